// The gap to the ideal overlap: parts that add up, and causes that are those of the machine.
#include "run/gap.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "machine/small_cluster.h"
#include "run/run_schemes.h"

namespace t3sim {
namespace {

PhaseAccount kernel_of(std::uint64_t places, Tick time, Tick loads) {
  PhaseAccount a;
  a.time = time;
  a.kernel.places = places;
  a.kernel.time = time;
  a.kernel.idle[PlaceWait::loads] = loads;
  a.kernel.all[PlaceWait::loads] = loads;
  a.kernel.working = places * time - loads;
  a.kernel.loading = 10 * loads;
  a.kernel.reads = 100;
  a.kernel.read_latency_cycles = 100 * 300;
  a.link.idle[0] = a.link.after_last[0] = time;
  a.link_at_kernel_end = a.link;
  return a;
}

TEST(GapToKernel, SlowerReadsThatMakeLoadsSlowerAreContention) {
  const PhaseAccount alone = kernel_of(2, 100, 20);
  PhaseAccount fused = kernel_of(2, 110, 40);
  fused.kernel.read_latency_cycles *= 2;
  const GapTicks gap = gap_to_kernel(fused, alone);
  EXPECT_EQ(gap[GapPart::memory_contention], 20);
  EXPECT_EQ(gap.sum(), 20);  // 10 ticks, of 2 places
}

// The wait is as long, but nobody computes meanwhile.
TEST(GapToKernel, WaitsThatAreNoLongerCoveredAreOfTheOverlapOfWorkgroups) {
  PhaseAccount alone = kernel_of(2, 100, 20), fused = kernel_of(2, 110, 40);
  alone.kernel.all[PlaceWait::loads] = fused.kernel.all[PlaceWait::loads] = 80;
  const GapTicks gap = gap_to_kernel(fused, alone);
  EXPECT_EQ(gap[GapPart::workgroup_overlap], 20);
  EXPECT_EQ(gap.sum(), 20);
}

// Alone a quarter of the wait was idle. It is 40 longer: a quarter of that would be idle again, and 10 more are.
TEST(GapToKernel, ALongerWaitIsIdleAtTheShareThatItHadAlone) {
  PhaseAccount alone = kernel_of(2, 100, 20), fused = kernel_of(2, 110, 40);
  alone.kernel.all[PlaceWait::loads] = 80;
  fused.kernel.all[PlaceWait::loads] = 120;
  fused.kernel.read_latency_cycles *= 2;
  const GapTicks gap = gap_to_kernel(fused, alone);
  EXPECT_EQ(gap[GapPart::memory_contention], 10);
  EXPECT_EQ(gap[GapPart::workgroup_overlap], 10);
  EXPECT_EQ(gap.sum(), 20);
}

TEST(GapToKernel, FewerReadsThatMakeLoadsFasterAreTheCaches) {
  PhaseAccount fused = kernel_of(2, 95, 10);
  fused.kernel.reads = 50;
  fused.kernel.read_latency_cycles = 50 * 300;
  const GapTicks gap = gap_to_kernel(fused, kernel_of(2, 100, 20));
  EXPECT_EQ(gap[GapPart::cache_bypass], -10);
  EXPECT_EQ(gap.sum(), -10);
}

TEST(GapToKernel, IdleTimeThatNoSlowerLoadExplainsIsUnexplained) {
  PhaseAccount fused = kernel_of(2, 110, 40);
  fused.kernel.read_latency_cycles *= 2;
  fused.kernel.loading = 10 * 20 + 5;  // 5 longer, 20 more idle
  const GapTicks gap = gap_to_kernel(fused, kernel_of(2, 100, 20));
  EXPECT_EQ(gap[GapPart::memory_contention], 5);
  EXPECT_EQ(gap[GapPart::unexplained], 15);
}

TEST(GapToKernel, SlowerLoadsWithoutSlowerReadsAreUnexplained) {
  const GapTicks gap = gap_to_kernel(kernel_of(2, 110, 40), kernel_of(2, 100, 20));
  EXPECT_EQ(gap[GapPart::unexplained], 20);
}

TEST(GapResult, AddsUpInPicosecondsWhateverTheTick) {
  const TimeBase time({{std::uint64_t{7'000'000'000}}});
  GapTicks parts;
  parts.unit = 3;
  parts[GapPart::link] = 10;
  parts[GapPart::tail] = -1;
  const GapResult result = gap_result(parts, 4, 7, time, "gemm");
  EXPECT_EQ(result.gap_ps, 1000);
  std::int64_t sum = 0;
  for (const auto& [name, ps] : result.parts_ps) sum += ps;
  EXPECT_EQ(sum, 1000);
  EXPECT_EQ(result.parts_ps.back().first, "unexplained");
  EXPECT_LE(std::abs(result.parts_ps.back().second), kGapParts);
}

TEST(GapResult, RefusesPartsThatDoNotAddUp) {
  const TimeBase time({{std::uint64_t{7'000'000'000}}});
  EXPECT_THROW(gap_result({}, 0, 1, time, "gemm"), CheckError);
}

TEST(GapResult, MeasuresWhatIsUnexplainedByTheSizesOfAllParts) {
  GapResult gap;
  gap.gap_ps = 2;
  gap.parts_ps = {{"link", 50}, {"cache_bypass", -49}, {"unexplained", 1}};
  EXPECT_DOUBLE_EQ(gap.unexplained_share(), 0.01);
}

// Machines on which one cause is the largest by construction.
class Machine : public testing::Test {
 protected:
  static Config layer(std::uint32_t gpus, std::uint32_t m, std::uint32_t n, std::uint32_t k) {
    Config config = small_config(gpus, m, n, k, GpuModel::mirror);
    config.schemes = {shipped::t3};
    return config;
  }
  static GapResult gap(const Config& config) {
    Progress silent(Progress::Mode::silent);
    const RunReport report = run_schemes(config, {}, silent);
    EXPECT_TRUE(report.schemes.at(0).gap.has_value());
    return report.schemes.at(0).gap.value();
  }
  static std::string largest(const GapResult& gap) {
    std::string name;
    std::int64_t most = 0;
    for (const auto& [part, ps] : gap.parts_ps)
      if (ps > most) name = part, most = ps;
    return name;
  }
};

// The first chunk goes to the neighbour by stores: half of the output of two GPUs.
TEST_F(Machine, WithSlowLinksItIsTheLink) {
  Config config = layer(2, 2048, 1024, 512);
  config.topology.link.bandwidth_Bps = 10'000'000'000;
  EXPECT_EQ(largest(gap(config)), "link");
}

TEST_F(Machine, WithOneDmaEngineAndABufferOfFourLinesItIsTheDma) {
  Config config = layer(4, 2048, 1024, 512);
  config.dma.engines = 1;
  config.dma.buffer_bytes = 512;
  EXPECT_EQ(largest(gap(config)), "dma");
}

TEST_F(Machine, WithSlowMemoryItIsMemoryContention) {
  Config config = layer(4, 2048, 1024, 512);
  config.memory.clock_hz = 300'000'000;
  EXPECT_EQ(largest(gap(config)), "memory_contention");
}

}  // namespace
}  // namespace t3sim
