// What is said of a run of a program.
#include "run/program_report.h"

#include <gtest/gtest.h>

#include "runtime/hand_program.h"

namespace t3sim {
namespace {

ConfiguredRun sampled_run(bool commands) {
  ConfiguredRun run;
  run.config = program_machine(2);
  run.config.program = {"decomposed-gemm", {{"m", 256}, {"n", 256}, {"k", 64}}};
  run.program = load_program(run.config);
  run.result.time_us = 7;
  for (const program::GpuCommands& gpu : run.program.gpus) {
    run.result.gpus.emplace_back();
    if (commands) run.result.gpus.back().times.assign(gpu.commands.size(), {0, 0, 1000, {}});
  }
  run.sample.emplace().commands = commands;
  return run;
}

// Zeros would be read as times.
TEST(ProgramReport, LeavesOutTimesThatASampleDoesNotSay) {
  for (const bool commands : {false, true}) {
    const std::string json = program_json(sampled_run(commands));
    for (const char* key : {"kernels_us", "communication_us", "idle_us", "held_cus", "skew_us"})
      EXPECT_EQ(json.find(key) != std::string::npos, commands) << key;
    EXPECT_EQ(json.find("left_out") != std::string::npos, !commands);
    EXPECT_NE(json.find("\"time_us\": 7.0"), std::string::npos);
  }
  const std::string table = program_table(sampled_run(false));
  EXPECT_NE(table.find("GPU 0         -"), std::string::npos) << table;
}

}  // namespace
}  // namespace t3sim
