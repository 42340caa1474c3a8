// gpus.model: mirror: one GPU of a program stands for all.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "runtime/configured_run.h"
#include "runtime/hand_program.h"
#include "runtime/load_program.h"
#include "runtime/mirrored.h"

namespace t3sim {
namespace {

Config mesh_for(const std::string& name, std::uint32_t gpus) {
  Config config = program_machine(gpus);
  config.topology.kind = TopologyKind::fully_connected;
  config.workload.tile = {64, 64, 32};
  config.workload.wavefronts = 4;
  config.gpu.cus = 16;
  config.commands.copy_ps = 500'000;
  config.program.file = name;
  config.program.parameters = {{"m", 1024}, {"k", 512}};
  if (!name.starts_with("gemv")) config.program.parameters["n"] = 256;
  if (name.starts_with("all-gather")) config.program.parameters["rows"] = 128;
  if (name.ends_with("beside"))
    for (const char* side : {"rows", "columns"}) config.program.parameters[side] = 64;
  return config;
}

ProgramResult run(Config config, GpuModel choice) {
  config.gpus.choice = choice;
  return run_program(config, load_program(config));
}

// Of the GPUs: what one that stands for all has not is the last one's lateness. In ticks.
double mean_end(const ProgramResult& result) {
  double sum = 0;
  for (const ProgramResult::OneGpu& gpu : result.gpus) {
    Tick last = 0;
    for (const CommandTimes& times : gpu.times) last = std::max(last, times.done);
    sum += static_cast<double>(last);
  }
  return sum / static_cast<double>(result.gpus.size());
}

class Mirror : public testing::TestWithParam<std::string> {};

// Not to the tick: what other GPUs read and write lies at other places in their memory.
TEST_P(Mirror, TakesWhatAllGpusTakeAndSendsTheSameBytes) {
  for (const TopologyKind kind : {TopologyKind::fully_connected, TopologyKind::switched}) {
    Config config = mesh_for(GetParam(), 4);
    config.topology.kind = kind;
    const ProgramResult all = run(config, GpuModel::explicit_), one = run(config, GpuModel::mirror);
    EXPECT_NEAR(one.time_us / all.time_us, 1, 0.02);
    ASSERT_EQ(one.gpus.size(), 4U);
    for (std::size_t g = 0; g < 4; ++g) EXPECT_EQ(one.gpus[g].link_bytes, all.gpus[g].link_bytes);
    EXPECT_LT(one.events, all.events / 3);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Mirror,
                         testing::Values("ficco-serial", "ficco-shard-p2p", "ficco-uniform-fused-1d",
                                         "ficco-uniform-fused-2d", "ficco-hetero-fused-1d",
                                         "ficco-hetero-unfused-1d", "ficco-rccl", "gemm-copy-gemm",
                                         "gemm-then-all-to-all", "gemm-then-reduce-scatter",
                                         "all-gather-gemm", "all-gather-gemm-push", "gemm-reduce-scatter",
                                         "gemm-all-to-all", "gemv-all-reduce",
                                         "medium-grained-gemm-reduce-scatter", "pipelined-all-gather-gemm"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

void expect_the_same_in_the_mean(Config config, double tolerance) {
  for (const TopologyKind kind : {TopologyKind::fully_connected, TopologyKind::switched}) {
    config.topology.kind = kind;
    const ProgramResult all = run(config, GpuModel::explicit_), one = run(config, GpuModel::mirror);
    EXPECT_NEAR(mean_end(one) / mean_end(all), 1, tolerance);
    EXPECT_EQ(one.gpus[3].link_bytes, all.gpus[3].link_bytes);
  }
}

TEST(MirrorOfAProgram, takes_what_all_take_where_a_library_gathers_beside_gemms) {
  Config config = mesh_for("gemms-beside-transfers", 4);
  config.program.parameters["library"] = 1;
  config.program.parameters["gemms"] = 3;
  expect_the_same_in_the_mean(config, 0.01);
}

// GPUs that all do the same still end up to 5 % apart.
TEST(MirrorOfAProgram, takes_what_all_take_in_the_mean_where_tiles_are_handed_on_beside_a_gemm) {
  expect_the_same_in_the_mean(mesh_for("gemm-reduce-scatter-beside", 4), 0.02);
}

TEST(MirrorOfAProgram, is_the_default_and_says_so_or_why_not) {
  Config config = mesh_for("ficco-serial", 4);
  config.gpus.choice = GpuModel::automatic;
  EXPECT_EQ(run_configured(config).gpu_model, "one GPU stands for all 4");
  config.program.file = "gemm-reduce-scatter";
  config.program.parameters["shift"] = 0;
  const ConfiguredRun all = run_configured(config);
  EXPECT_EQ(all.config.gpus.choice, GpuModel::explicit_);
  EXPECT_NE(all.gpu_model.find("all 4 GPUs are simulated, as \""), std::string::npos) << all.gpu_model;
}

// All GPUs store into the same owner at a time, so that GPU 0 is the only one that begins with its own rows.
TEST(MirrorOfAProgram, whose_tiles_are_not_turned_by_rank_is_refused) {
  Config config = mesh_for("gemm-reduce-scatter", 4);
  config.program.parameters["shift"] = 0;
  EXPECT_THROW(run(config, GpuModel::mirror), InputError);
}

// The first tiles of GPU 0 are its own; those of GPU 2 wait for rows of GPU 0, which come third.
TEST(MirrorOfAProgram, whose_tiles_do_not_wait_in_the_order_in_which_rows_come_is_refused) {
  for (const char* name : {"all-gather-gemm", "all-gather-gemm-push"}) {
    Config config = mesh_for(name, 4);
    config.program.parameters["shift"] = 0;
    EXPECT_NE(why_no_mirror(config, load_program(config)), "") << name;
  }
}

// A stream, too, may wait for the words in another order.
TEST(MirrorOfAProgram, whose_streams_wait_for_other_words_is_refused) {
  const auto first_waits_for = [](const auto& word_of) {
    HandProgram hand(4);
    const std::uint32_t here = hand.signals("here", 4);
    for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
      for (std::uint32_t d = 1; d < 4; ++d)
        hand.issue(gpu, "say", program::SetSignal{.set = {.word = {here, gpu, (gpu + d) % 4}}});
      hand.issue(gpu, "hear", program::WaitSignal{.wait = {.word = {here, word_of(gpu), gpu}}});
    }
    return why_no_mirror(hand.program());
  };
  EXPECT_EQ(first_waits_for([](std::uint32_t gpu) { return (gpu + 1) % 4; }), "");
  EXPECT_NE(first_waits_for([](std::uint32_t gpu) { return gpu == 0 ? 1U : 0U; }), "");
}

TEST(MirrorOfAProgram, in_which_one_gpu_does_something_else_is_refused) {
  Config config = mesh_for("decomposed-gemm", 2);
  EXPECT_NE(why_no_mirror(load_program(config)), "");
}

TEST(MirrorOfAProgram, on_gpus_that_differ_is_refused) {
  Config config = mesh_for("ficco-serial", 4);
  config.gpus.overrides[1].link_bandwidth_Bps = 1'000'000'000;
  EXPECT_THROW(run(config, GpuModel::mirror), InputError);
}

}  // namespace
}  // namespace t3sim
