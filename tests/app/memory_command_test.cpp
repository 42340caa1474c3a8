// t3sim memory and t3sim validate memory, as a user calls them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "draws.h"
#include "in_folder.h"
#include "program.h"

namespace t3sim {
namespace {

const std::string kSource = T3SIM_SOURCE_DIR;
const std::string kReference = " --config " + kSource + "/configs/memory/hbm2-reference.yaml";

class TheMemoryCommand : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write_file("trace.txt", "10 0x0 R\n1000 0x0 R\n2000 0x40 W\n2000 0x40 U\n");
  }
};

TEST_F(TheMemoryCommand, PrintsOneJsonObjectWithTheAgreedKeys) {
  const Outcome outcome = t3sim_with("memory trace.txt --json" + kReference);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  for (const char* key : {"cycles", "bandwidth_GBps", "avg_read_latency_ns", "p50_read_latency_ns",
                          "p99_read_latency_ns", "row_hit_rate", "requests", "host_cpu_seconds"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["requests"], 4);
  EXPECT_EQ(json["avg_read_latency_ns"], (31 + 17) / 2.0);
}

TEST_F(TheMemoryCommand, ChecksTheProtocolOnRequest) {
  const Outcome outcome = t3sim_with("memory trace.txt --check --json" + kReference);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["violations"], 0);
  EXPECT_GE(json["commands_checked"], 5);
}

TEST_F(TheMemoryCommand, PrintsATextOtherwise) {
  const Outcome outcome = t3sim_with("memory trace.txt" + kReference);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("of the peak of 32.0"), std::string::npos) << outcome.out;
}

TEST_F(TheMemoryCommand, RefusesWhatItCannotUseInOneLineWithStatus2) {
  write_file("bad.txt", "10 0x0 R\n12 0x40 Q\n");
  for (const std::string& arguments :
       {"memory" + kReference, "memory none.txt" + kReference, "memory bad.txt" + kReference,
        std::string("memory trace.txt"), "memory trace.txt --set memory.row=3KiB" + kReference,
        "memory trace.txt --set memory.rows=2KiB" + kReference, std::string("validate"),
        std::string("validate taste"), "validate memory --traces-only --data none" + kReference}) {
    const Outcome outcome = t3sim_with(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST_F(TheMemoryCommand, IsValidatedAgainstOtherSimulators) {
  const Outcome outcome = t3sim_with("validate memory --traces-only --repeats 1 -o out --data " + kSource +
                                     "/validation/memory/data" + kReference);
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_NE(content_of("out/summary.csv").find("unloaded.row_hit,17,17"), std::string::npos);
  EXPECT_EQ(content_of("out/summary.csv").find("FAIL"), std::string::npos);
  EXPECT_NE(content_of("out/speed.csv").find("b_rand_read"), std::string::npos);
}

TEST_F(TheMemoryCommand, IsNotValidatedWithoutTraces) {
  write_file("data/results.csv", content_of(kSource + "/validation/memory/data/results.csv"));
  const Outcome outcome = t3sim_with("validate memory --traces-only --repeats 1 --data data" + kReference);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("none of the traces"), std::string::npos) << outcome.err;
}

TEST_F(TheMemoryCommand, FailsTheValidationOfAnotherMemoryWithStatus1) {
  T3_SKIP_IF_SANITIZED();
  const Outcome outcome = t3sim_with("validate memory --traces-only --repeats 1 --data " + kSource +
                                     "/validation/memory/data" + kReference + " --set memory.timing.cl=20");
  EXPECT_EQ(outcome.status, 0) << "closed forms follow the configuration";
  const Outcome slower = t3sim_with("validate memory --traces-only --repeats 1 --data " + kSource +
                                    "/validation/memory/data" + kReference + " --set memory.timing.ccd_s=4");
  EXPECT_EQ(slower.status, 1);
}

}  // namespace
}  // namespace t3sim
