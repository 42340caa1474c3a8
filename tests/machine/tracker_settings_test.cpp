// What the settings of section tracker do to a run.
#include <gtest/gtest.h>

#include "draws.h"
#include "machine/small_cluster.h"
#include "run/functional.h"
#include "run/scheme_table.h"

namespace t3sim {
namespace {

Config fused_config() { return small_config(4, 1024, 512, 64, GpuModel::explicit_); }

std::uint64_t errors_of(const Config& config) {
  const SchemeTable schemes(config);
  std::vector<FunctionalGpu> state = functional_state(config, schemes.collectives());
  for (const SchemePhase& phase : schemes.scheme(shipped::t3_mca).phases)
    run_phase(config, phase.phase, &state);
  const FunctionalResult result =
      check_result(config, schemes.collectives(), schemes.scheme(shipped::t3_mca).exchange, state);
  EXPECT_GT(result.elements, 0U);
  return result.errors;
}

// tests/tracker/table_size_test.cpp has the rule; here, that it reaches the run and nothing is lost or early.
TEST(TrackerSettings, CountingAtIssueLosesNothingAndKeepsTheSumsRight) {
  Config config = fused_config();
  const PhaseResult enqueue = run_phase(config, fused_phase());
  config.tracker.count_at = TrackerCountAt::issue;
  const PhaseResult issue = run_phase(config, fused_phase());
  EXPECT_EQ(issue.tracker.lookups, enqueue.tracker.lookups);
  EXPECT_EQ(issue.tracker.completed_entries, enqueue.tracker.completed_entries);
  EXPECT_EQ(errors_of(config), 0U);
}

// A ring of single sectors: one update completes an entry, at once where it enters the DRAM queue, and a memory cycle
// later at the earliest where it must be issued.
TEST(TrackerSettings, AnEntryLivesUntilItsLastUpdateCounts) {
  Config config = small_config(4, 64, 1, 32, GpuModel::explicit_);
  config.workload.tile = {16, 16, 32};
  config.workload.wavefronts = 1;
  EXPECT_EQ(run_phase(config, near_memory_phase()).tracker.life, 0U);
  config.tracker.count_at = TrackerCountAt::issue;
  const PhaseResult issue = run_phase(config, near_memory_phase());
  const Tick memory_cycle = time_base(config).from_ps(1000);
  EXPECT_EQ(issue.tracker.completed_entries, 3U);
  EXPECT_GE(issue.tracker.life, 3 * memory_cycle);
}

// A ring of single sectors: two GPUs forward what the Tracker has triggered, the first one what is there.
TEST(TrackerSettings, EachTriggerComesItsLatencyLater) {
  Config config = small_config(4, 64, 1, 32, GpuModel::explicit_);
  config.workload.tile = {16, 16, 32};
  config.workload.wavefronts = 1;
  config.tracker.latency_cycles = 0;
  const Tick at_once = run_phase(config, near_memory_phase()).ticks;
  config.tracker.latency_cycles = 7000;
  const Tick longer = run_phase(config, near_memory_phase()).ticks - at_once;
  const Tick expected = 2 * time_base(config).from_ps(5'000'000);
  EXPECT_NEAR(static_cast<double>(longer), static_cast<double>(expected),
              0.01 * static_cast<double>(expected));
}

TEST(TrackerSettings, CountingAtIssueEndsWithFullSetsToo) {
  T3_SKIP_IF_SANITIZED();
  Config config = small_config(8, 2048, 4096, 32, GpuModel::mirror);
  config.topology.link.bandwidth_Bps = 10'000'000'000;
  config.tracker.count_at = TrackerCountAt::issue;
  EXPECT_GT(run_phase(config, fused_phase()).stalled_stores, 0U);
}

TEST(TrackerSettings, FewPortsDelayWhatTheTrackerTriggers) {
  T3_SKIP_IF_SANITIZED();
  Config config = fused_config();
  const PhaseResult free = run_phase(config, fused_phase());
  config.tracker.ports = 64;
  const PhaseResult many = run_phase(config, fused_phase());
  config.tracker.ports = 1;
  const PhaseResult one = run_phase(config, fused_phase());
  EXPECT_EQ(free.tracker.lookup_wait, 0U);
  EXPECT_LT(many.tracker.longest_lookup_wait, one.tracker.longest_lookup_wait);
  EXPECT_GT(one.tracker.longest_lookup_wait, 0U);
  EXPECT_EQ(one.dram.written(Traffic::rs), free.dram.written(Traffic::rs));
  EXPECT_EQ(errors_of(config), 0U);
}

// Tracked packets of 128 B become 144 B on the wire: the link is busy for 9/8 of the time.
TEST(TrackerSettings, MetadataCostsTimeOnTheWireAndNoDataBytes) {
  Config config = fused_config();
  config.tracker.metadata_bytes = 16;
  config.topology.link.bandwidth_Bps = 5'000'000'000;  // the link is all that counts
  const PhaseResult with = run_phase(config, fused_phase());
  config.tracker.metadata_bytes = 0;
  const PhaseResult without = run_phase(config, fused_phase());
  EXPECT_EQ(with.link_bytes, without.link_bytes);
  EXPECT_EQ(with.tracker.lookups, without.tracker.lookups);
  EXPECT_NEAR(static_cast<double>(with.ticks) / static_cast<double>(without.ticks), 144.0 / 128, 0.02);
}

TEST(TrackerSettings, MetadataCostsNothingInCollectivesWithoutATracker) {
  Config config = fused_config();
  const Tick without = run_phase(config, scatter_phase()).ticks;
  config.tracker.metadata_bytes = 16;
  EXPECT_EQ(run_phase(config, scatter_phase()).ticks, without);
}

// 128 x 128 tiles of FP16 in 8 wavefronts: 128 sectors, two updates of each; 32 workgroups at most.
TEST(TrackerSettings, TheSizeOfTheTableFollowsFromWhatEntriesHold) {
  const PhaseResult result = run_phase(fused_config(), fused_phase());
  EXPECT_EQ(result.tracker_bits.counter, 9U);
  EXPECT_EQ(result.tracker_bits.wavefront, 3U);
  EXPECT_EQ(result.tracker_bits.tag, 0U);
  EXPECT_EQ(result.tracker_bits.table_bytes(8), 256U * result.tracker_bits.total());
}

}  // namespace
}  // namespace t3sim
