// What the L2 does between kernels and with writes from a link (l2.kernel_boundary, l2.remote_writes).
#include <gtest/gtest.h>

#include "draws.h"
#include "machine/gpu_stats.h"
#include "machine/small_cluster.h"
#include "results/progress.h"
#include "run/functional.h"
#include "run/run_schemes.h"

namespace t3sim {
namespace {

using L2 = std::vector<std::vector<L2Contents>>;

PhaseResult run_with(const Config& config, const SmallPhase& phase, L2& l2) {
  return Cluster(config, phase.of(config), time_base(config), {.l2 = &l2}).run({});
}

// An output of 256 KiB: fits in the 1 MiB of the small machine's L2.
Config fitting(std::uint32_t gpus, KernelBoundary boundary) {
  Config config = small_config(gpus, 512, 256, 64, GpuModel::explicit_);
  config.l2.kernel_boundary = boundary;
  return config;
}

TEST(KernelBoundary, FlushWritesTheOutputAndEmptiesTheCache) {
  const Config config = fitting(2, KernelBoundary::flush);
  L2 l2;
  EXPECT_EQ(run_with(config, gemm_phase(), l2).dram.written(Traffic::gemm), 512U * 256 * 2);
  const PhaseResult rs = run_with(config, scatter_phase(), l2);
  EXPECT_EQ(rs.dram.read(Traffic::rs), expected_bytes(config, scatter_phase(), 0).read(Traffic::rs));
}

TEST(KernelBoundary, KeepLeavesTheOutputForTheNextKernel) {
  const Config config = fitting(2, KernelBoundary::keep);
  L2 l2;
  EXPECT_EQ(run_with(config, gemm_phase(), l2).dram.written(Traffic::gemm), 0U);
  const PhaseResult rs = run_with(config, scatter_phase(), l2);
  // Only the received copy of its own chunk comes from memory.
  EXPECT_EQ(rs.dram.read(Traffic::rs), 512U * 256 * 2 / 2);
}

// The output fits, so nothing is evicted before the end: flushing it is all that differs.
TEST(KernelBoundary, NoKernelWaitsForTheWriteBack) {
  for (const SmallPhase& phase : {gemm_phase(), scatter_phase()}) {
    L2 flushed, kept;
    const PhaseResult flush = run_with(fitting(2, KernelBoundary::flush), phase, flushed);
    const PhaseResult keep = run_with(fitting(2, KernelBoundary::keep), phase, kept);
    EXPECT_EQ(flush.ticks, keep.ticks);
    EXPECT_GT(flush.gpus[0]->drained(), flush.ticks);
    EXPECT_EQ(keep.gpus[0]->drained(), keep.gpus[0]->end());
  }
}

// Twice what the L2 holds, so that some of it is written back before.
TEST(KernelBoundary, WhatAKernelLeavesIsWrittenBackWhileTheNextOneRuns) {
  for (const bool l2_takes_remote_writes : few({true, false}, 1)) {
    Config config = small_config(2, 1024, 1024, 64, GpuModel::explicit_);
    if (l2_takes_remote_writes) config.l2.remote_writes = RemoteWrites::l2;
    const TimeBase time = time_base(config);
    const auto phase = [&](const SmallPhase& p) { return p.of(config); };
    Leftovers of_gemm, of_scatter, none;
    const PhaseResult gemm = Cluster(config, phase(gemm_phase()), time, {.after = &of_gemm}).run({});
    EXPECT_EQ(gemm.dram.written(Traffic::gemm), 1024U * 1024 * 2);
    const PhaseResult last = Cluster(config, phase(gemm_phase()), time).run({});
    EXPECT_EQ(last.ticks, gemm.ticks);
    EXPECT_GT(last.gpus[0]->drained(), gemm.gpus[0]->drained());
    std::uint64_t left = 0;
    for (const DirtyLines& lines : of_gemm[0])
      for (const Request& line : lines) left += request_bytes(line);
    EXPECT_GT(left, 512U << 10);
    EXPECT_LE(left, 1U << 20);

    const PhaseResult alone = Cluster(config, phase(scatter_phase()), time, {.after = &none}).run({});
    const PhaseResult after =
        Cluster(config, phase(scatter_phase()), time, {.before = &of_gemm, .after = &of_scatter}).run({});
    EXPECT_EQ(after.dram.written(Traffic::gemm), 0U);  // the GEMM's account
    EXPECT_EQ(after.dram.read(Traffic::rs), alone.dram.read(Traffic::rs));
    struct Written final : StatsSink {
      void add(const Counter& counter, CounterValue value) override {
        if (counter.component.starts_with("l2[") && counter.name == "writeback_bytes")
          bytes += std::get<std::uint64_t>(value);
      }
      std::uint64_t bytes = 0;
    } with, without;
    visit_stats(*after.gpus[0], with);
    visit_stats(*alone.gpus[0], without);
    EXPECT_GE(with.bytes, without.bytes + left / 2);
  }
}

TEST(KernelBoundary, NoSchemeDependsOnWhichOthersAreAskedFor) {
  T3_SKIP_IF_SANITIZED();
  const std::vector<std::string> all = {shipped::sequential, shipped::t3, shipped::t3_mca,
                                        shipped::ideal_overlap, shipped::ideal_rs_nmc};
  Progress silent(Progress::Mode::silent);
  for (const GemmRole role : {GemmRole::producer, GemmRole::consumer, GemmRole::independent})
    for (const KernelBoundary boundary : {KernelBoundary::flush, KernelBoundary::keep}) {
      Config config = small_config(4, 512, 1024, 64, GpuModel::mirror);
      config.collective.kind =
          role == GemmRole::consumer ? CollectiveChoice::all_gather : CollectiveChoice::reduce_scatter;
      config.collective.gemm = role;
      config.l2.kernel_boundary = boundary;
      config.schemes = all;
      const RunReport together = run_schemes(config, {}, silent);
      for (std::size_t i = 0; i < all.size(); ++i) {
        config.schemes = {all[i]};
        const SchemeResult alone = run_schemes(config, {}, silent).schemes.front();
        EXPECT_EQ(alone.time_us, together.schemes[i].time_us) << alone.name;
        EXPECT_EQ(alone.phases, together.schemes[i].phases) << alone.name;
      }
    }
}

TEST(KernelBoundary, KeepNeverReadsWhatALinkHasOverwritten) {
  const Config config = fitting(2, KernelBoundary::keep);
  L2 l2;
  run_with(config, gemm_phase(), l2);
  run_with(config, scatter_phase(), l2);
  const PhaseResult ag = run_with(config, gather_phase(), l2);
  std::uint64_t dropped = 0;
  struct Sum final : StatsSink {
    explicit Sum(std::uint64_t& total) : sum(total) {}
    void add(const Counter& counter, CounterValue value) override {
      if (counter.name == "dropped_bytes") sum += std::get<std::uint64_t>(value);
    }
    std::uint64_t& sum;
  } sink(dropped);
  visit_stats(*ag.gpus[0], sink);
  EXPECT_EQ(dropped,
            512U * 256 * 2 / 2);  // the neighbour's chunk, of which this GPU held its own partial sums
  // A kernel that reads all of the output now finds its own chunk in the L2, and in memory what came over the link.
  const PhaseResult all = run_with(config, scatter_phase(), l2);
  EXPECT_GE(all.dram.read(Traffic::rs), 512U * 256 * 2 / 2);
}

// Its stores no longer take room from its inputs, and none are left to be written back.
TEST(CacheOutput, IsOneWayToWriteTheSameBytes) {
  Config config = small_config(2, 512, 1024, 128, GpuModel::mirror);
  for (const bool acknowledged : {false, true}) {
    config.gpu.store_acknowledgement = acknowledged;
    config.l2.cache_output = true;
    L2 cached, uncached;
    const PhaseResult with = run_with(config, gemm_phase(), cached);
    config.l2.cache_output = false;
    const PhaseResult without = run_with(config, gemm_phase(), uncached);
    EXPECT_EQ(with.dram.written(Traffic::gemm), 512U * 1024 * 2);
    EXPECT_EQ(without.dram.written(Traffic::gemm), 512U * 1024 * 2);
    EXPECT_LE(without.dram.read(Traffic::gemm), with.dram.read(Traffic::gemm));
    const Tick left = with.gpus[0]->drained() - with.gpus[0]->end();
    EXPECT_LT(without.gpus[0]->drained() - without.gpus[0]->end(), left / 2);
  }
}

// Acknowledged from memory, where stores pass by the L2.
TEST(StoreAcknowledgement, LosesNoWorkgroupOfAFusedGemm) {
  Config config = small_config(2, 512, 512, 64, GpuModel::explicit_);
  L2 before, after;
  const PhaseResult free = run_with(config, fused_phase(), before);
  config.gpu.store_acknowledgement = true;
  const PhaseResult held = run_with(config, fused_phase(), after);
  EXPECT_EQ(held.dram.written(Traffic::gemm), free.dram.written(Traffic::gemm));
}

// How many cycles acknowledgement adds to a GEMM of one workgroup.
double cost_of_acknowledgement(Config config) {
  const Tick free = run_phase(config, gemm_phase()).ticks;
  config.gpu.store_acknowledgement = true;
  const Tick held = run_phase(config, gemm_phase()).ticks;
  return static_cast<double>(held - free) /
         static_cast<double>(time_base(config).period(config.gpu.clock_hz));
}

TEST(StoreAcknowledgement, TakesTheWayBackToTheCu) {
  Config config = small_config(2, 128, 128, 32, GpuModel::mirror);
  const double near = cost_of_acknowledgement(config);
  config.gpu.noc_latency_cycles += 1000;
  EXPECT_NEAR(cost_of_acknowledgement(config) - near, 1000, 20);
}

TEST(StoreAcknowledgement, ComesFromMemoryWhereStoresPassByTheL2) {
  Config config = small_config(2, 128, 128, 32, GpuModel::mirror);
  config.l2.cache_output = false;
  const double near = cost_of_acknowledgement(config);
  config.l2.dram_path_cycles += 1000;
  EXPECT_NEAR(cost_of_acknowledgement(config) - near, 1000, 20);
}

TEST(RemoteWrites, ToTheL2ReachMemoryAllTheSameWhenItIsFlushed) {
  for (std::uint32_t gpus : {2U, 4U}) {
    Config config = fitting(gpus, KernelBoundary::flush);
    config.l2.remote_writes = RemoteWrites::l2;
    std::vector<FunctionalGpu> state = functional_state(config, collectives(config));
    for (const SmallPhase& phase : {gemm_phase(), scatter_phase(), gather_phase()})
      run_phase(config, phase, &state);
    EXPECT_EQ(check_result(config, collectives(config), {nullptr, collectives(config).kernel}, state).errors,
              0U);
  }
}

TEST(RemoteWrites, ToTheL2AreReadFromThere) {
  Config config = fitting(4, KernelBoundary::keep);
  config.l2.remote_writes = RemoteWrites::l2;
  L2 l2;
  run_with(config, gemm_phase(), l2);
  EXPECT_EQ(run_with(config, scatter_phase(), l2).dram.read(Traffic::rs), 0U);
  EXPECT_EQ(run_with(config, gather_phase(), l2).dram.read(Traffic::ag), 0U);
}

TEST(RemoteWrites, OfTrackedUpdatesAlwaysGoToMemory) {
  Config config = fitting(4, KernelBoundary::flush);
  config.l2.remote_writes = RemoteWrites::l2;
  std::vector<FunctionalGpu> state = functional_state(config, collectives(config));
  for (const SmallPhase& phase : {fused_phase(), gather_phase()}) run_phase(config, phase, &state);
  EXPECT_EQ(check_result(config, collectives(config), {nullptr, collectives(config).kernel}, state).errors,
            0U);
}

}  // namespace
}  // namespace t3sim
