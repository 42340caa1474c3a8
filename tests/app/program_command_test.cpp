// t3sim program, run as a user would.
#include <gtest/gtest.h>

#include <fstream>

#include "app/program.h"
#include "in_folder.h"

namespace t3sim {
namespace {

class ProgramCommand : public InFolder {
 protected:
  static void expect_refused(const std::string& arguments, const std::string& message) {
    const Outcome outcome = t3sim_with("program " + arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err, "t3sim: " + message + "\n");
  }
};

TEST_F(ProgramCommand, ListsWhatT3simBringsAlong) {
  const Outcome outcome = t3sim_with("program list");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("gemm-copy-gemm                      two streams, a signal between GPUs\n"),
            std::string::npos)
      << outcome.out;
}

TEST_F(ProgramCommand, ChecksAProgramForTheGpusAndParametersThatAreAsked) {
  const Outcome outcome = t3sim_with("program check ficco-serial --gpus 4 --set m=4096 --set k=1024");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "FiCCO, serial: no fault found in 40 commands of 4 GPUs\n");
}

TEST_F(ProgramCommand, ExplainsAProgram) {
  const Outcome outcome = t3sim_with("program explain all-gather-gemm --gpus 2 --commands 1");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part :
       {"all-gather + GEMM (Flux, pull) on 2 GPUs, m = 8192, n = 6144, k = 12288, rows = 512, barrier = 0, "
        "shift = 1\n",
        "  a      8192   12288    FP16  1       192.00 MiB  0x200000    all  values in a[rows 0:4096], the "
        "rest nothing\n",
        "GPU 0, stream copies: 16 commands", "copy a@1[rows 4096:4608] to a[rows 4096:4608]  12.00 MiB\n",
        "... and 15 more", "they wait for 16 words", "  GPU 0      -      96.00\n",
        "GPU 0: 1 GEMM, 1237.0 GFLOP\n", "promised: c is gathered a times b\n"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
}

TEST_F(ProgramCommand, SaysWhoSetsWhatIsWaitedFor) {
  const Outcome outcome = t3sim_with("program explain gemm-copy-gemm --gpus 3");
  EXPECT_NE(outcome.out.find("wait here >= 1          set by GPU 2 (line 17)"), std::string::npos)
      << outcome.out;
}

TEST_F(ProgramCommand, AFileWithAMistakeGetsOneLineAndStatus2) {
  std::ofstream("p.yaml") << "name: x\narrays: {}\nstreams: {u: [{wait: s}]}\n";
  expect_refused("check p.yaml", "p.yaml:3:22: unknown signal \"s\"; allowed: none");
}

TEST_F(ProgramCommand, WrongArgumentsSayWhatIsAllowed) {
  expect_refused("", "program: list, check or explain? (see t3sim program --help)");
  expect_refused("run", "program: \"run\" is unknown: list, check and explain are known");
  expect_refused("check", "program check: no program named (see t3sim program list)");
  expect_refused("check nothing.yaml", "nothing.yaml: no such file, or it cannot be read");
  expect_refused("check ficco-serial --gpus 0", "program check: --gpus must be 1 to 1024");
  expect_refused("check ficco-serial --set m", "--set m: expected NAME=NUMBER, e.g. --set m=4096");
  expect_refused("check ficco-serial --set mm=1",
                 "programs/ficco-serial.yaml: unknown parameter \"mm\"; did you mean m?");
  expect_refused("check ficco-serial --gpus 3",
                 "programs/ficco-serial.yaml:5:10: require: the program needs m % gpus == 0; here gpus = 3, "
                 "m = 16384, n = "
                 "7168, k = 8192, gemm = 1");
  const Outcome outcome = t3sim_with("program check ficco-seral");
  EXPECT_NE(outcome.err.find("no program \"ficco-seral\"; did you mean ficco-serial?"), std::string::npos);
}

}  // namespace
}  // namespace t3sim
