// Every collective under every scheme, on several numbers of GPUs, shapes, layouts and degrees of split-K:
// functional mode gives the exact sums or copies.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "draws.h"
#include "machine/small_cluster.h"
#include "run/functional.h"
#include "run/scheme_table.h"

namespace t3sim {
namespace {

struct Exchange {
  const char* name;
  CollectiveChoice kind;
  CollectiveAlgorithm algorithm;
  GemmRole gemm;
  TopologyKind topology;
};

struct Shape {
  std::uint32_t m, n;
};

struct Case {
  Exchange exchange;
  std::uint32_t gpus;
  Shape shape;
  OutputLayout output;
  std::uint32_t split_k;
};

Config config_of(const Case& c) {
  Config config = small_config(c.gpus, c.shape.m, c.shape.n, 128, GpuModel::explicit_);
  config.gpu.cus = 4;
  config.memory.channels = 4;
  config.l2.slices = 4;
  config.l2.size_bytes = 256 << 10;
  config.workload.tile = {32, 32, 32};
  config.workload.wavefronts = 4;
  config.workload.output = c.output;
  config.workload.split_k = c.split_k;
  config.topology.kind = c.exchange.topology;
  config.topology.node_size = c.gpus % 2 == 0 ? c.gpus / 2 : c.gpus;

  config.collective = {c.exchange.kind, c.exchange.algorithm, c.exchange.gemm, 0, ""};
  return config;
}

class EveryCollective : public testing::TestWithParam<Case> {};

TEST_P(EveryCollective, LeavesTheRightNumbersUnderEveryScheme) {
  const Config config = config_of(GetParam());
  const SchemeTable schemes(config);
  for (const char* id : {shipped::sequential, shipped::t3, shipped::t3_mca, shipped::ideal_rs_nmc}) {
    std::vector<FunctionalGpu> state = functional_state(config, schemes.collectives());
    for (const SchemePhase& phase : schemes.scheme(id).phases) run_phase(config, phase.phase, &state);
    const FunctionalResult result =
        check_result(config, schemes.collectives(), schemes.scheme(id).exchange, state);
    EXPECT_GE(result.elements, std::uint64_t{GetParam().shape.m} * GetParam().shape.n) << id;
    EXPECT_EQ(result.errors, 0U) << id;
  }
}

constexpr auto kRing = CollectiveAlgorithm::ring;
constexpr auto kTwoRings = CollectiveAlgorithm::bidirectional_ring;
constexpr auto kDirect = CollectiveAlgorithm::direct;
constexpr auto kTwoLevel = CollectiveAlgorithm::two_level;

constexpr Exchange kExchanges[] = {
    {"RingAllReduce", CollectiveChoice::all_reduce, kRing, GemmRole::producer, TopologyKind::ring},
    {"RingReduceScatter", CollectiveChoice::reduce_scatter, kRing, GemmRole::producer, TopologyKind::ring},
    {"RingAllGather", CollectiveChoice::all_gather, kRing, GemmRole::producer, TopologyKind::ring},
    {"RingGatheredInput", CollectiveChoice::all_gather, kRing, GemmRole::consumer, TopologyKind::ring},
    {"RingBesideAGemm", CollectiveChoice::reduce_scatter, kRing, GemmRole::independent, TopologyKind::ring},
    {"TwoRingsAllReduce", CollectiveChoice::all_reduce, kTwoRings, GemmRole::producer,
     TopologyKind::bidirectional_ring},
    {"DirectAllReduce", CollectiveChoice::all_reduce, kDirect, GemmRole::producer,
     TopologyKind::fully_connected},
    {"DirectAllGather", CollectiveChoice::all_gather, kDirect, GemmRole::producer, TopologyKind::switched},
    {"DirectGatheredInput", CollectiveChoice::all_gather, kDirect, GemmRole::consumer,
     TopologyKind::fully_connected},
    {"AllToAll", CollectiveChoice::all_to_all, kDirect, GemmRole::producer, TopologyKind::switched},
    {"TwoLevelAllReduce", CollectiveChoice::all_reduce, kTwoLevel, GemmRole::producer,
     TopologyKind::two_level},
};

// Of 660 combinations every seventh; under sanitizers, where each takes ten times as long, every 31st. Neither has
// a divisor in common with the numbers of exchanges, GPUs, shapes, layouts and splits: all of these are among them.
constexpr std::size_t kEvery = kSanitized ? 31 : 7;

std::vector<Case> cases() {
  std::vector<Case> all;
  std::size_t count = 0;
  for (const Exchange& exchange : kExchanges)
    for (std::uint32_t gpus : {2U, 3U, 4U, 5U, 8U})
      for (Shape shape : {Shape{256, 96}, Shape{259, 77}})
        for (OutputLayout output : {OutputLayout::column_major, OutputLayout::row_major})
          for (std::uint32_t split_k : {1U, 2U, 4U})
            if (count++ % kEvery == 0) all.push_back({exchange, gpus, shape, output, split_k});
  return all;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return fmt::format("{}{}Gpus{}x{}{}SplitK{}", c.exchange.name, c.gpus, c.shape.m, c.shape.n,
                     c.output == OutputLayout::row_major ? "RowMajor" : "ColumnMajor", c.split_k);
}

// The all-gather that follows must begin where the reduce-scatter has left each chunk.
TEST(DirectAllReduce, GathersEverySliceFromItsOwner) {
  for (std::uint32_t slices : {1U, 2U, 3U}) {
    Config config = config_of(
        {{"", CollectiveChoice::all_reduce, kDirect, GemmRole::producer, TopologyKind::fully_connected},
         4,
         {256, 96},
         OutputLayout::column_major,
         1});
    config.collective.slices = slices;
    const SchemeTable schemes(config);
    for (const char* id : {shipped::sequential, shipped::t3, shipped::ideal_rs_nmc}) {
      std::vector<FunctionalGpu> state = functional_state(config, schemes.collectives());
      for (const SchemePhase& phase : schemes.scheme(id).phases) run_phase(config, phase.phase, &state);
      EXPECT_EQ(check_result(config, schemes.collectives(), schemes.scheme(id).exchange, state).errors, 0U)
          << id << ", " << slices << " slices";
    }
  }
}

// One GPU that stands for all gives what all of them give.
class MirroredCollective : public testing::TestWithParam<Exchange> {};

TEST_P(MirroredCollective, AgreesWithExplicitGpus) {
  T3_SKIP_IF_SANITIZED();
  Config mirror;
  mirror.workload.m = 4096;
  mirror.workload.n = 1024;
  mirror.workload.k = 256;
  mirror.gpus.count = 4;
  mirror.topology.kind = GetParam().topology;
  mirror.collective = {GetParam().kind, GetParam().algorithm, GetParam().gemm, 0, ""};
  Config all = mirror;
  all.gpus.model = GpuModel::explicit_;
  const SchemeTable mirror_schemes(mirror), all_schemes(all);
  for (const char* id : {shipped::sequential, shipped::t3_mca, shipped::ideal_rs_nmc}) {
    double mirror_us = 0, all_us = 0;
    const Scheme one = mirror_schemes.scheme(id), many = all_schemes.scheme(id);
    for (std::size_t i = 0; i < one.phases.size(); ++i) {
      const PhaseResult a = run_phase(mirror, one.phases[i].phase), b = run_phase(all, many.phases[i].phase);
      mirror_us += a.time_us;
      all_us += b.time_us;
      EXPECT_EQ(a.link_bytes, b.link_bytes) << one.phases[i].name;
      DramBytes x = a.dram, y = b.dram;
      x.read(Traffic::gemm) = y.read(Traffic::gemm) = x.read(Traffic::ag) = y.read(Traffic::ag) =
          0;  // what the L2 makes of them
      EXPECT_EQ(x, y) << one.phases[i].name;
    }
    EXPECT_NEAR(mirror_us / all_us, 1, 0.01) << id;
  }
}

// Those that are cheap here; validation/mirror has all of them, at a size where start-up does not count.
INSTANTIATE_TEST_SUITE_P(Collectives, MirroredCollective,
                         testing::Values(kExchanges[2], kExchanges[3], kExchanges[4]),
                         [](const auto& p) { return std::string(p.param.name); });

INSTANTIATE_TEST_SUITE_P(Combinations, EveryCollective, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace t3sim
