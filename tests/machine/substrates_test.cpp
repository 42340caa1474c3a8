// Beside near-memory op-and-store: atomics at the L2 (section 7.4), zeros that are written and not assumed,
// and the operation that follows an all-reduce (7.6). Every run checks its bytes against expected_bytes();
// the closed forms here are written out again.
#include <gtest/gtest.h>

#include <algorithm>

#include "draws.h"
#include "machine/small_cluster.h"
#include "run/functional.h"
#include "run/run_schemes.h"
#include "run/scheme_table.h"

namespace t3sim {
namespace {

constexpr const char* kSchemes[] = {shipped::sequential, shipped::t3, shipped::t3_mca, shipped::ideal_rs_nmc};

Config ring(std::uint32_t gpus = 4, std::uint32_t m = 512, std::uint32_t n = 256) {
  return small_config(gpus, m, n, 64, GpuModel::explicit_);
}

Config direct(TopologyKind topology, std::uint32_t gpus = 4, std::uint32_t m = 512, std::uint32_t n = 256) {
  Config config = ring(gpus, m, n);
  config.collective.algorithm = CollectiveAlgorithm::direct;
  config.topology.kind = topology;
  return config;
}

Config in_switch() {
  Config config = direct(TopologyKind::switched);
  config.topology.switched.reduction = SwitchReduction::in_switch;
  return config;
}

std::uint64_t output_bytes(const Config& config) {
  return std::uint64_t{config.workload.m} * config.workload.n * 2;
}

// Phases of a scheme on the same memory. `leave_out`: a phase that is not run.
std::uint64_t errors(const Config& config, const std::string& id, const std::string& leave_out = "") {
  const SchemeTable schemes(config);
  std::vector<FunctionalGpu> state = functional_state(config, schemes.collectives());
  for (const SchemePhase& phase : schemes.scheme(id).phases)
    if (phase.time_key != leave_out) run_phase(config, phase.phase, &state);
  return check_result(config, schemes.collectives(), schemes.scheme(id).exchange, state).errors;
}

// Of GPU 0.
DramBytes bytes(const Config& config, const std::string& id, const std::string& time_key) {
  const Scheme scheme = SchemeTable(config).scheme(id);
  for (const SchemePhase& phase : scheme.phases)
    if (phase.time_key == time_key) return run_phase(config, phase.phase).dram;
  ADD_FAILURE() << id << " has no phase " << time_key;
  return {};
}

bool has_phase(const Config& config, const std::string& id, const std::string& time_key) {
  const Scheme scheme = SchemeTable(config).scheme(id);
  return std::ranges::any_of(scheme.phases, [&](const auto& phase) { return phase.time_key == time_key; });
}

TEST(DirectReduceScatter, DoesNotReadMemoryForCommunication) {
  for (const TopologyKind topology : {TopologyKind::fully_connected, TopologyKind::switched}) {
    const Config config = direct(topology);
    const DramBytes fused = bytes(config, shipped::t3, "fused_us");
    EXPECT_EQ(fused.read(Traffic::rs), 0U);
    EXPECT_EQ(fused.written(Traffic::rs), output_bytes(config) * 3 / 4);
  }
}

TEST(Atomics, ReadWhatTheyAddTo) {
  for (Config config : {ring(), direct(TopologyKind::fully_connected), in_switch()}) {
    const DramBytes near_memory = bytes(config, shipped::t3, "fused_us");
    config.memory.reduction = ReductionSubstrate::atomic;
    const DramBytes atomic = bytes(config, shipped::t3, "fused_us");
    EXPECT_EQ(atomic.written(Traffic::rs), near_memory.written(Traffic::rs));
    EXPECT_EQ(atomic.read(Traffic::rs), near_memory.read(Traffic::rs) + near_memory.written(Traffic::rs));
    EXPECT_EQ(atomic.written(Traffic::gemm), near_memory.written(Traffic::gemm));
    EXPECT_GE(atomic.read(Traffic::gemm), atomic.written(Traffic::gemm))
        << "the GEMM's own stores are updates too";
  }
}

TEST(Atomics, GiveTheExactSums) {
  for (Config config :
       few({ring(3, 500, 300), in_switch(), ring(), ring(5, 1000, 100), direct(TopologyKind::fully_connected),
            direct(TopologyKind::fully_connected, 3, 500, 300)},
           2))
    for (const std::uint32_t split_k : {1U, 2U}) {
      config.memory.reduction = ReductionSubstrate::atomic;
      config.workload.split_k = split_k;
      for (const char* id : kSchemes) EXPECT_EQ(errors(config, id), 0U) << id << ", " << split_k;
    }
}

TEST(Zeros, AreWrittenWhereUpdatesWillAdd) {
  Config config = ring();
  EXPECT_FALSE(has_phase(config, shipped::t3, "zero_us"));
  config.collective.zero_init = ZeroInit::simulated;
  EXPECT_FALSE(has_phase(config, shipped::sequential, "zero_us")) << "it adds nothing up in memory";
  const DramBytes zeros = bytes(config, shipped::t3, "zero_us");
  EXPECT_EQ(zeros.read(Traffic::other), 0U);
  EXPECT_EQ(zeros.written(Traffic::other), output_bytes(config) * 3 / 4)
      << "all chunks but the one that goes away at once";

  config = direct(TopologyKind::fully_connected);
  config.collective.zero_init = ZeroInit::simulated;
  EXPECT_EQ(bytes(config, shipped::t3, "zero_us").written(Traffic::other), output_bytes(config) / 4)
      << "the own chunk";
  config.workload.split_k = 2;
  EXPECT_EQ(bytes(config, shipped::sequential, "zero_us").written(Traffic::other), output_bytes(config))
      << "parts of split-K add up in memory too";
}

// Not in the L2: what adds to them comes past it.
TEST(Zeros, AreInMemoryWhenTheirPhaseEnds) {
  Config config = ring();
  config.collective.zero_init = ZeroInit::simulated;
  const SchemeTable schemes(config);
  for (const SchemePhase& phase : schemes.scheme(shipped::t3).phases) {
    if (phase.time_key != "zero_us") continue;
    const PhaseResult zeros = Cluster(config, phase.phase, time_base(config)).run({});
    EXPECT_EQ(zeros.gpus[0]->drained(), zeros.ticks);
    const auto written = static_cast<double>(zeros.dram.written(Traffic::other));
    EXPECT_GE(zeros.time_us * 1e-6, written / config.memory.peak_bytes_per_second());
  }
}

TEST(Zeros, AreNeededAndEnough) {
  for (Config config :
       few({ring(3, 500, 300), in_switch(), ring(), direct(TopologyKind::fully_connected)}, 2))
    for (const std::uint32_t split_k : {1U, 2U}) {
      config.collective.zero_init = ZeroInit::simulated;
      config.workload.split_k = split_k;
      for (const char* id : kSchemes) EXPECT_EQ(errors(config, id), 0U) << id << ", " << split_k;
      EXPECT_GT(errors(config, shipped::t3, "zero_us"), 0U);
    }
}

TEST(AFollowingOperation, ReadsAndWritesTheWholeOutputAsAKernel) {
  Config config = ring();
  config.workload.following.kind = FollowingKind::kernel;
  for (const std::uint32_t operands : {1U, 3U}) {
    config.workload.following.operands = operands;
    const DramBytes following = bytes(config, shipped::t3, "following_us");
    EXPECT_EQ(following.read(Traffic::other), (1 + operands) * output_bytes(config));
    EXPECT_EQ(following.written(Traffic::other), output_bytes(config));
  }
}

TEST(AFollowingOperation, ReadsItsOperandsForTheOwnPartOnlyNearMemory) {
  for (Config config : {ring(), direct(TopologyKind::fully_connected)}) {
    config.workload.following.kind = FollowingKind::near_memory;
    for (const char* id : {shipped::t3, shipped::ideal_rs_nmc}) {
      const DramBytes following = bytes(config, id, "following_us");
      EXPECT_EQ(following.read(Traffic::other), output_bytes(config) / 4);
      EXPECT_EQ(following.written(Traffic::other), output_bytes(config) / 4);
    }
    const DramBytes sequential = bytes(config, shipped::sequential, "following_us");
    EXPECT_EQ(sequential.read(Traffic::other), 2 * output_bytes(config))
        << "a kernel: it has no near-memory adds";
    config.memory.reduction = ReductionSubstrate::atomic;
    EXPECT_EQ(bytes(config, shipped::t3, "following_us").read(Traffic::other), output_bytes(config) / 4 * 2);
  }
}

TEST(AFollowingOperation, GivesTheExactSums) {
  for (Config config :
       few({ring(3, 500, 300), ring(), direct(TopologyKind::fully_connected, 5, 1000, 200)}, 1))
    for (const FollowingKind kind : {FollowingKind::kernel, FollowingKind::near_memory}) {
      config.workload.following = {kind, 2};
      for (const char* id : kSchemes) EXPECT_EQ(errors(config, id), 0U) << id;
      EXPECT_GT(errors(config, shipped::t3, "following_us"), 0U);
    }
}

TEST(PhasesAroundTheCollective, CountInTimeAndBytes) {
  Config config = ring();
  config.collective.zero_init = ZeroInit::simulated;
  config.workload.following.kind = FollowingKind::near_memory;
  config.schemes = {shipped::t3};
  Progress progress(Progress::Mode::silent);
  const SchemeResult t3 = run_schemes(config, {}, progress).schemes.front();
  const std::vector<std::string> keys{"zero_us", "fused_us", "following_us", "ag_us"};
  ASSERT_EQ(t3.phases.size(), keys.size());
  double sum = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(t3.phases[i].first, keys[i]);
    EXPECT_GT(t3.phases[i].second, 0);
    sum += t3.phases[i].second;
  }
  EXPECT_DOUBLE_EQ(t3.time_us, sum);
  const auto other = std::ranges::find(t3.dram_bytes, std::string("other_write"),
                                       &std::pair<std::string, std::uint64_t>::first);
  ASSERT_NE(other, t3.dram_bytes.end());
  EXPECT_EQ(other->second, output_bytes(config)) << "3/4 of zeros, 1/4 of sums";
}

}  // namespace
}  // namespace t3sim
