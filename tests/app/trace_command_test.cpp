// t3sim trace, run as a user would.
#include <gtest/gtest.h>

#include "app/program.h"
#include "in_folder.h"

namespace t3sim {
namespace {

const std::string kData = std::string(T3SIM_SOURCE_DIR) + "/tests/trace/data";

class TraceCommand : public InFolder {
 protected:
  static void expect_refused(const std::string& arguments, const std::string& part) {
    const Outcome outcome = t3sim_with("trace " + arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  }
  static void expect_done(const std::string& arguments) {
    const Outcome outcome = t3sim_with("trace " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
};

TEST_F(TraceCommand, GeneratesATraceThatInfoDescribes) {
  expect_done("gen --m 1024 --n 512 --k 256 --layout TN --name small -o small.t3t");
  const Outcome info = t3sim_with("trace info small.t3t");
  EXPECT_EQ(info.status, 0);
  for (const char* part : {"name = small", "layout = TN", "32 workgroups, 256 groups", "of A", "1.05 MB",
                           "arithmetic intensity", "tiles by stage: 8 x 4 tiles"})
    EXPECT_NE(info.out.find(part), std::string::npos) << part << "\n" << info.out;
}

TEST_F(TraceCommand, TheSameRecipeGivesTheSameFile) {
  expect_done("gen --m 1024 --n 512 --k 256 --date 2026-11-21 -o a.t3t");
  expect_done("gen --m 1024 --n 512 --k 256 --date 2026-11-21 -o b.t3t");
  EXPECT_EQ(content_of("a.t3t"), content_of("b.t3t"));
}

TEST_F(TraceCommand, EveryOptionOfTheGeneratorReachesTheHead) {
  expect_done(
      "gen --m 1024 --n 512 --k 256 --type fp8 --layout nt --tile 64x128x64 --wavefronts 4 --buffers 3 "
      "--order grouped "
      "--group 2 --start-tile 5 --split-k 2 --persistent 7 -o all.t3t");
  const std::string head = content_of("all.t3t");
  for (const char* line : {"type = FP8", "layout = NT", "tile = 64x128x64", "wavefronts = 4", "buffers = 3",
                           "order = grouped", "group = 2", "start_tile = 5", "split_k = 2", "persistent = 7"})
    EXPECT_NE(head.find(line), std::string::npos) << line;
}

TEST_F(TraceCommand, ImportsAnAccelSimListAndSaysWhatWasInIt) {
  const Outcome outcome =
      t3sim_with("trace import accelsim " + kData + "/accelsim/gemm-8tb/kernelslist.g -o g.t3t");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("16384 loaded, 8192 stored"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("issue model: schedulers=4"), std::string::npos) << outcome.out;
}

TEST_F(TraceCommand, AnImportedKernelCanBeDeclaredToBeAGemm) {
  const std::string import =
      "import accelsim " + kData +
      "/accelsim/gemm-8tb/kernelslist.g -o g.t3t --n 256 --k 128 "
      "--a-address 0x7f0010000000 --b-address 0x7f0000000000 --c-address 0x7f0020000000 --quiet ";
  expect_refused(import + "--m 640", "the kernel is not the GEMM it was said to be");
  EXPECT_FALSE(std::filesystem::exists("g.t3t"));
  expect_done(import + "--m 512");
  EXPECT_NE(t3sim_with("trace info g.t3t").out.find("tiles by stage: 4 x 2 tiles"), std::string::npos);
}

TEST_F(TraceCommand, TheIssueModelCanBeChosenAndChanged) {
  const std::string kernel = kData + "/accelsim/gemm-small/kernel-1.traceg.gz";
  expect_done("import accelsim " + kernel + " --issue-model hopper --issue sfu_interval=4 -o g.t3t");
  EXPECT_NE(content_of("g.t3t").find("sfu_interval=4 sfu_latency=23 tensor_flops_per_cycle=4096"),
            std::string::npos);
}

TEST_F(TraceCommand, ImportsATimeline) {
  const std::string files =
      kData + "/h200/gemm_timeline.csv.gz --cases " + kData + "/h200/gemm_timeline_cases.csv";
  expect_done("import timeline " + files + " --case mega-gpt-2-op-tp16-128x256x64 -o t.t3t");
  const Outcome info = t3sim_with("trace info t.t3t --cus 132");
  EXPECT_NE(info.out.find("timing = kernel"), std::string::npos);
  EXPECT_NE(info.out.find("64.5 us"), std::string::npos) << info.out;
  expect_done("import timeline " + files + " --case mega-gpt-2-op-tp16-128x256x64 --use compute -o c.t3t");
  EXPECT_NE(content_of("c.t3t").find("timing = workgroup"), std::string::npos);
}

TEST_F(TraceCommand, SaysWhatIsMissingOrWrong) {
  write_file("not-a-trace", "hello\n");
  expect_refused("", "gen, import or info?");
  expect_refused("make", "\"make\" is unknown");
  expect_refused("gen --m 1 --n 1 --k 1", "-o FILE is missing");
  expect_refused("gen --n 512 --k 256 -o a.t3t", "m is 0");
  expect_refused("gen --m 1 --n 1 --k 1 --tile 128 -o a.t3t", "tile '128' is not written MxNxK");
  expect_refused("gen --m 1 --n 1 --k 1 --layout XY -o a.t3t", "layout 'XY' is unknown");
  expect_refused("gen --m 1 --n 1 --k 1 -o no/such/folder/a.t3t", "there is no directory no/such/folder");
  expect_refused("gen --m 1 --n 1 --k 1 -o not-a-trace",
                 "is there already and was not written by this command");
  EXPECT_EQ(content_of("not-a-trace"), "hello\n");
  std::filesystem::create_symlink("not-a-trace", "link");
  expect_refused("gen --m 1 --n 1 --k 1 -o link", "is a link or a device");
  expect_refused("gen --m 1 --n 1 --k 1 -o a.t3t --date 2026-02-30", "is no day; allowed: YYYY-MM-DD");
  expect_refused("import accelsim not-a-trace --kernel 0 -o a.t3t", "--kernel: allowed: 1 and more");
  expect_refused("info", "no trace named");
  expect_refused("info not-a-trace", "this is no t3sim trace");
  expect_refused("info missing", "cannot open");
  expect_refused("import", "accelsim or timeline?");
  expect_refused("import accelsim not-a-trace -o a.t3t --quiet", "this is no kernel trace");
  expect_refused("import timeline not-a-trace -o a.t3t", "there is no column 'case'");
  EXPECT_FALSE(std::filesystem::exists("a.t3t"));
}

TEST_F(TraceCommand, HelpsAtEveryLevel) {
  for (const char* arguments : {"--help", "gen --help", "info --help", "import --help",
                                "import accelsim --help", "import timeline --help"}) {
    const Outcome outcome = t3sim_with(std::string("trace ") + arguments);
    EXPECT_EQ(outcome.status, 0) << arguments;
    EXPECT_NE(outcome.out.find("Usage: t3sim trace"), std::string::npos) << arguments;
  }
}

}  // namespace
}  // namespace t3sim
