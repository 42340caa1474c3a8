// t3sim run with a program instead of schemes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "app/program.h"
#include "in_folder.h"

namespace t3sim {
namespace {

class RunProgram : public InFolder {
 protected:
  static constexpr const char* kSmall =
      "run --machine h200 --program gemm-copy-gemm -p m=256 -p n=512 -p k=256 ";
};

TEST_F(RunProgram, SaysWhenEveryCommandBeganAndEnded) {
  const Outcome outcome = t3sim_with(std::string(kSmall) + "-o result");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part :
       {"GEMM, copy, GEMM, 2 GPUs: ", "compute     gemm c = a * b", "compute     copy c to received@1",
        "consume     gemm d = received * b2", "GPU 1  "})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
  for (const char* file : {"results.json", "commands.csv", "config.yaml", "manifest.json"})
    EXPECT_TRUE(std::filesystem::exists(std::string("result/") + file)) << file;
  const std::string csv = content_of("result/commands.csv");
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 2 * 5);
}

TEST_F(RunProgram, GivesTheSameBytesAgainFromItsConfigurationAndOnThreeThreads) {
  ASSERT_EQ(t3sim_with(std::string(kSmall) + "-o first -j 1").status, 0);
  ASSERT_EQ(t3sim_with("run first/config.yaml -o second -j 3").status, 0);
  for (const char* file : {"results.json", "commands.csv", "config.yaml"})
    EXPECT_EQ(content_of(std::string("first/") + file), content_of(std::string("second/") + file)) << file;
}

TEST_F(RunProgram, SaysWhichCommandIsOfWhichKindAndWhatTheHostDoesItself) {
  std::ofstream("mine.yaml")
      << "name: mine\narrays: {a: {rows: 64, columns: 64}, b: {rows: 64, columns: 64}}\n"
         "streams: {s: [{name: 'the \"first\"', copy: {from: a, to: \"b@(rank + 1) % gpus\"}},\n"
         "  {sync: s}, {host: 2 us}]}\n";
  const Outcome outcome = t3sim_with("run --machine h200 --program mine.yaml -o result --timeline");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string csv = content_of("result/commands.csv");
  EXPECT_TRUE(
      csv.starts_with("gpu,number,stream,kind,command,issued_us,begun_us,done_us\n"
                      "0,0,s,copy,\"the \"\"first\"\"\",0.000,"))
      << csv;
  for (const char* part : {"\n0,1,host,sync,", "\n0,2,host,host,host 2 us,"})
    EXPECT_NE(csv.find(part), std::string::npos) << csv;
  const std::string trace = content_of("result/timeline.perfetto-trace");
  for (const char* part : {"GPU 1", "host 2 us", "issued_us"})
    EXPECT_NE(trace.find(part), std::string::npos) << part;
}

TEST_F(RunProgram, IsNotSampledWhereWorkgroupsDriftForLongerThanShortRunsLast) {
  const std::string program =
      " --program decomposed-gemm -p pieces=1 -p m=128 -p n=256 -p k=4096 --set run.sampling=auto --set "
      "gpus.count=2 ";
  const Outcome greedy = t3sim_with("run --machine a800-x8" + program + "-o greedy");
  ASSERT_EQ(greedy.status, 0) << greedy.err;
  EXPECT_NE(greedy.err.find("run.sampling: auto: all of the program is simulated"), std::string::npos)
      << greedy.err;
  EXPECT_EQ(greedy.out.find("extrapolated"), std::string::npos);
  const Outcome even = t3sim_with("config --machine h800-x8" + program);
  ASSERT_EQ(even.status, 0) << even.err;
  EXPECT_EQ(even.err, "");
  EXPECT_NE(even.out.find("sampling: auto"), std::string::npos);
}

TEST_F(RunProgram, SaysWhatChangesNothing) {
  const std::string run =
      "run --machine h200 --program decomposed-gemm -p m=256 -p n=256 -p k=64 --set run.duty=0.8";
  const Outcome boost = t3sim_with(run);
  EXPECT_EQ(boost.status, 0) << boost.err;
  EXPECT_NE(boost.err.find("run.duty and run.calls change nothing with run.clock: boost"), std::string::npos)
      << boost.err;
  const Outcome power = t3sim_with(run + " --set run.clock=power");
  EXPECT_EQ(power.status, 0) << power.err;
  EXPECT_EQ(power.err.find("change nothing"), std::string::npos) << power.err;
}

TEST_F(RunProgram, PutsALongOneTogetherFromPhases) {
  const std::string run =
      "run --machine mi300x-x8 --program gather -p m=8192 -p k=32768 --set run.sampling=phases --set "
      "gpus.model=";
  const Outcome phases = t3sim_with(run + "mirror");
  EXPECT_EQ(phases.status, 0) << phases.err;
  EXPECT_NE(phases.out.find("put together from short runs, phases of other kinds: 1;"), std::string::npos)
      << phases.out;
  EXPECT_EQ(t3sim_with(run + "explicit").status, 2);
}

TEST_F(RunProgram, OfOnesOwnFile) {
  std::ofstream("mine.yaml")
      << "name: mine\narrays: {a: {rows: 64, columns: 64}, b: {rows: 64, columns: 64}}\n"
         "streams: {s: [{copy: {from: a, to: \"b@(rank + 1) % gpus\"}}]}\n";
  const Outcome outcome = t3sim_with("run --machine h200 --program mine.yaml --json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\"link_bytes\": 8192"), std::string::npos) << outcome.out;
}

TEST_F(RunProgram, RefusesWhatIsWrongWithAProgramBeforeItRuns) {
  std::ofstream("race.yaml")
      << "name: race\narrays: {a: {rows: 64, columns: 64}, b: {rows: 64, columns: 64}}\n"
         "streams:\n"
         "  s: [{copy: {from: a, to: \"b@1 - rank\"}}]\n"
         "  t: [{copy: {from: a, to: \"b@1 - rank\"}}]\n";
  const Outcome race = t3sim_with("run --machine h200 --program race.yaml -o result");
  EXPECT_EQ(race.status, 2);
  EXPECT_NE(race.err.find("race.yaml:"), std::string::npos) << race.err;
  EXPECT_FALSE(std::filesystem::exists("result"));
  const Outcome unknown = t3sim_with("run --machine h200 --program gem-copy-gemm");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("did you mean gemm-copy-gemm?"), std::string::npos) << unknown.err;
  const Outcome parameter = t3sim_with("run --machine h200 --program gemm-copy-gemm -p mm=3");
  EXPECT_EQ(parameter.status, 2);
  EXPECT_NE(parameter.err.find("did you mean"), std::string::npos) << parameter.err;
  for (const char* option : {"--scheme t3", "--debug dma", "--explain"})
    EXPECT_EQ(t3sim_with(std::string("run --machine h200 --program gemm-copy-gemm ") + option).status, 2)
        << option;
  const Outcome flushes = t3sim_with("run --machine paper --program gemm-copy-gemm");
  EXPECT_EQ(flushes.status, 2);
  EXPECT_NE(flushes.err.find("l2.kernel_boundary: programs need keep"), std::string::npos) << flushes.err;
}

}  // namespace
}  // namespace t3sim
