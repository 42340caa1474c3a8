// Do the parts of a GPU hear what they must, when they must, and all of them? Told by what they do then.
#include <gtest/gtest.h>

#include <map>

#include "machine/gpu_stats.h"
#include "machine/small_cluster.h"

namespace t3sim {
namespace {

// A counter of each part of GPU 0 whose name begins so.
std::map<std::string, double> by_part(const PhaseResult& result, std::string_view component,
                                      std::string_view name) {
  struct Sink final : StatsSink {
    Sink(std::string_view component, std::string_view name) : component_(component), name_(name) {}
    void count(std::string_view c, std::string_view n, std::uint64_t value, std::string_view unit) override {
      real(c, n, static_cast<double>(value), unit);
    }
    void real(std::string_view c, std::string_view n, double value, std::string_view) override {
      if (c.starts_with(component_) && n == name_) found[std::string(c)] = value;
    }
    std::string_view component_, name_;
    std::map<std::string, double> found;
  } sink(component, name);
  visit_stats(*result.gpus[0], sink);
  return sink.found;
}

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

// Section 6.1.3: what the first stage has shown sets the threshold, in every memory controller. Until then there
// is none.
TEST(FirstStage, TellsEveryChannelHowIntensiveTheKernelIs) {
  const auto waits = [](Threshold threshold) {
    return by_part(with_threshold(memory_intensive(), threshold), "channel[", "communication_head_wait");
  };
  const auto none = waits(ThresholdSetting::none), five = waits(std::uint64_t{5}),
             chosen = waits(ThresholdSetting::automatic);
  ASSERT_EQ(none.size(), 4U);
  for (const auto& [channel, wait] : none) {
    EXPECT_GT(five.at(channel), 1.5 * wait) << channel;
    EXPECT_GT(chosen.at(channel), wait + (five.at(channel) - wait) / 3) << channel;
  }
}

TEST(FirstStage, IsNotKnownBeforeItHasEnded) {
  Config config = memory_intensive();
  config.gpu.cus = 32;  // all 64 workgroups: the first stage ends with the kernel
  const PhaseResult chosen = with_threshold(config, ThresholdSetting::automatic);
  EXPECT_EQ(chosen.ticks, with_threshold(config, ThresholdSetting::none).ticks);
  EXPECT_NE(chosen.ticks, with_threshold(config, std::uint64_t{5}).ticks);
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
