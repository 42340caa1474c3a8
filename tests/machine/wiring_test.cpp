// Do the parts of a GPU hear what they must, when they must, and all of them? Told by what they do then.
#include <gtest/gtest.h>

#include <vector>

#include "draws.h"
#include "machine/small_cluster.h"
#include "run/scheme_table.h"

namespace t3sim {
namespace {

// A multiple of both clocks' periods, so that everything after it happens as before.
constexpr std::uint64_t kLaunchCycles = 7000;

TEST(Launch, ShiftsAKernelByItsCyclesAndChangesNothingElse) {
  for (const GpuModel model : {GpuModel::mirror, GpuModel::explicit_})
    for (const SmallPhase& phase :
         {gemm_phase(), scatter_phase(), gather_phase(), fused_phase(), fused_phase(ArbitrationKind::mca)}) {
      Config config = small_config(4, 512, 256, 64, model);
      config.gpu.kernel_launch_cycles = 0;
      const PhaseResult at_once = run_phase(config, phase);
      config.gpu.kernel_launch_cycles = kLaunchCycles;
      const PhaseResult late = run_phase(config, phase);
      EXPECT_EQ(late.ticks, at_once.ticks + time_base(config).from_ps(5'000'000))
          << static_cast<int>(phase.what);
      EXPECT_EQ(late.dram, at_once.dram);
    }
}

TEST(Launch, CostsNothingWhereNoKernelRuns) {
  Config config = small_config(4, 512, 256, 64, GpuModel::mirror);
  config.gpu.kernel_launch_cycles = 0;
  const Tick at_once = run_phase(config, near_memory_phase()).ticks;
  config.gpu.kernel_launch_cycles = kLaunchCycles;
  EXPECT_EQ(run_phase(config, near_memory_phase()).ticks, at_once);
}

// A GEMM that keeps the DRAM queues full, and links that bring communication all the time.
Config memory_intensive() {
  Config config = small_config(4, 1024, 1024, 128, GpuModel::mirror);
  config.memory.channels = 4;
  config.l2.slices = 8;
  config.l2.size_bytes = 256 << 10;
  config.tracker.capacity = TrackerCapacity::unbounded;
  config.topology.link.store_queue = 65536;
  config.arbitration.starvation_limit_cycles = 1 << 30;
  return config;
}

using Threshold = config::ChoiceOrCount<ThresholdSetting>;

PhaseResult with_threshold(Config config, Threshold threshold) {
  config.arbitration.threshold = threshold;
  return run_phase(config, fused_phase(ArbitrationKind::mca));
}

// The thresholds that each memory controller of GPU 0 has had, one after the other.
std::vector<std::vector<std::uint32_t>> thresholds_of(const Config& config) {
  std::vector<std::vector<std::uint32_t>> seen(config.memory.channels);
  Cluster cluster(config, fused_phase(ArbitrationKind::mca).of(config), time_base(config));
  cluster.after_step([&](Gpu& gpu) {
    for (std::size_t c = 0; c < seen.size(); ++c) {
      const std::uint32_t now = gpu.parts().channels[c]->policy().threshold_bursts();
      if (seen[c].empty() || seen[c].back() != now) seen[c].push_back(now);
    }
  });
  cluster.run({});
  return seen;
}

// Section 6.1.3: what the first stage has shown sets the threshold, in every memory controller. Until then there
// is none.
TEST(FirstStage, TellsEveryChannelHowIntensiveTheKernelIs) {
  T3_SKIP_IF_SANITIZED();
  constexpr std::uint32_t kNone = ArbitrationConfig::kNoThreshold;
  Config heavy = memory_intensive();
  heavy.workload.n = 2048;  // two stages
  heavy.gpu.cus = 32;
  for (const auto& channel : thresholds_of(heavy)) {
    ASSERT_EQ(channel.size(), 2U);
    EXPECT_EQ(channel[0], kNone);
    EXPECT_LE(channel[1], 30U);
  }
  Config late = heavy;  // what happens before the first workgroup is no part of the stage
  late.gpu.kernel_launch_cycles = 200 * kLaunchCycles;
  EXPECT_EQ(thresholds_of(late), thresholds_of(heavy));
  Config light = heavy;
  light.gpu.matrix_flops_per_cycle = 16;
  for (const auto& channel : thresholds_of(light)) EXPECT_EQ(channel, std::vector{kNone});
}

// 8 CUs of two workgroups each.
TEST(FirstStage, IsAsManyWorkgroupsAsTheCusHold) {
  const PhaseResult result = run_phase(small_config(2, 1024, 1024, 32, GpuModel::mirror), gemm_phase());
  EXPECT_EQ(result.gpus[0]->kernels().back()->stages(), 64U / 16);
}

// Chunks of 2 x 2 tiles: each GPU begins with the one that its plan says it produces first.
TEST(Production, BeginsWithTheFirstChunkOfEachGpusOrder) {
  const Config config = small_config(4, 1024, 256, 32, GpuModel::explicit_);
  const Phase phase = fused_phase().of(config);
  const PhaseResult result = run_phase(config, phase);
  for (std::uint32_t g = 0; g < 4; ++g)
    EXPECT_EQ(result.gpus[g]->kernels().back()->launch.source().tile(0),
              4 * phase.plan()->gpus[g].order.front());
}

TEST(Production, BeginsWithTheOwnRowsOfAGatheredInput) {
  Config config = small_config(4, 1024, 256, 64, GpuModel::explicit_);
  config.collective.kind = CollectiveChoice::all_gather;
  config.collective.gemm = GemmRole::consumer;
  const SchemeTable schemes(config);
  for (const SchemePhase& phase : schemes.scheme(shipped::t3).phases) {
    if (phase.time_key != "fused_us") continue;
    const PhaseResult result = run_phase(config, phase.phase);
    for (std::uint32_t g = 0; g < 4; ++g)
      EXPECT_EQ(result.gpus[g]->kernels().back()->launch.source().tile(0), 4 * g);
  }
}

// Section 4.5: at the kernel's end communication is drained. Under a threshold of one burst each channel would
// go on a request at a time.
TEST(KernelEnd, MakesEveryChannelDrainItsCommunication) {
  Config config = memory_intensive();
  config.topology.link.bandwidth_Bps = 1'000'000'000'000;
  config.topology.link.latency_ps = 10'000;
  const PhaseResult mca = with_threshold(config, std::uint64_t{1});
  const TimeBase time = time_base(config);
  const double tail_us = time.to_us(mca.ticks - mca.use.account.kernel.time);
  const double dram_us = static_cast<double>(mca.dram.read(Traffic::rs) + mca.dram.written(Traffic::rs)) /
                         config.memory.peak_bytes_per_second() * 1e6;
  EXPECT_GT(tail_us, 0.3 * dram_us);  // most of it was held back
  EXPECT_LT(tail_us, 2.2 * dram_us);
}

}  // namespace
}  // namespace t3sim
