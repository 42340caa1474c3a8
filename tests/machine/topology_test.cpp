// Whole GPUs over every topology: right sums, bytes, mirror, routes that do not exist.
#include <gtest/gtest.h>

#include "machine/fabric_setup.h"
#include "machine/gpu_stats.h"
#include "machine/small_cluster.h"
#include "plan/plan_library.h"
#include "run/functional.h"

namespace t3sim {
namespace {

struct TopologyCase {
  const char* name;
  TopologyKind kind;
  bool shared_port;
  SwitchConfig switched;
  CardPuts puts = CardPuts::none;
  std::uint32_t sockets = 2;  // a node; four GPUs altogether
};
void PrintTo(const TopologyCase& c, std::ostream* os) { *os << c.name; }
std::string name_of_topology(const testing::TestParamInfo<TopologyCase>& info) { return info.param.name; }

constexpr TopologyCase kFullyConnected{"FullyConnected", TopologyKind::fully_connected, false, {}};
constexpr TopologyCase kSharedPort{"SharedPort", TopologyKind::fully_connected, true, {}};
constexpr TopologyCase kSwitch{"Switch", TopologyKind::switched, false, {}};
constexpr TopologyCase kInSwitch{
    "InSwitch", TopologyKind::switched, false, {SwitchReduction::in_switch, 1 << 20}};
constexpr TopologyCase kSmallTable{
    "SmallTable", TopologyKind::switched, false, {SwitchReduction::in_switch, 8}};
constexpr TopologyCase kTwoLevel{"TwoLevel", TopologyKind::two_level, false, {}};

constexpr TopologyCase kTorus{"Torus", TopologyKind::torus, false, {}};
constexpr TopologyCase kMesh{"Mesh", TopologyKind::mesh, false, {}};
constexpr TopologyCase kFatTree{"FatTree", TopologyKind::fat_tree, false, {}};
constexpr TopologyCase kPcieTree{"PcieTreeThroughHostMemory", TopologyKind::pcie_tree, false, {}};

constexpr TopologyCase kCards{"CardsOfTwoNodes", TopologyKind::pcie_tree, false, {}, CardPuts::none, 1};
constexpr TopologyCase kPuts{"PutsOfGpus", TopologyKind::pcie_tree, false, {}, CardPuts::gpu, 1};
constexpr TopologyCase kHostPuts{"PutsOfHosts", TopologyKind::pcie_tree, false, {}, CardPuts::host, 1};

Config config_of(const TopologyCase& c, GpuModel model, std::uint32_t gpus = 4) {
  Config config = small_config(gpus, 512, 256, 64, model);
  config.topology.kind = c.kind;
  config.topology.shared_port = c.shared_port;
  config.topology.switched = c.switched;
  config.topology.node_size = 2;
  config.topology.shape = {gpus / 2, 2, 1};
  config.topology.hop_latency_ps = 8'000;
  config.topology.card = {4, 50'000, 20'000, c.puts};
  config.topology.spines = 2;
  config.topology.pcie = {c.sockets, gpus / 2,        1,       false, 40'000'000'000,
                          200'000,   100'000'000'000, 300'000, {},    800'000};
  return config;
}
// Direct reduce-scatter fused with the GEMM (section 7.1): GPU r ends with chunk r.
Phase direct_scatter(std::uint32_t gpus) {
  return fused_by(plan_library::load("direct-reduce-scatter", gpus));
}
// Elements of GPU r's chunk r that are not the sum of all GPUs' parts.
std::uint64_t wrong_sums(const Config& config, const std::vector<FunctionalGpu>& state) {
  const CollectiveArrays c = collective_arrays(config, direct_scatter(config.gpus.count));
  std::uint64_t wrong = 0;
  for (std::uint32_t tile = 0; tile < c.array.grid.tiles(); ++tile) {
    const Block block = c.array.grid.block(tile);
    const FunctionalGpu& owner = state[c.chunks.chunk_of(tile)];
    for (std::uint32_t row = block.row; row < block.row + block.rows; ++row)
      for (std::uint32_t column = block.column; column < block.column + block.columns; ++column) {
        const std::uint64_t address = c.array.address(row, column);
        std::int32_t sum = 0;
        for (const FunctionalGpu& gpu : state)
          for (std::uint32_t part = 0; part < config.workload.split_k; ++part)
            sum += gpu.produced->value(address, part);
        wrong += owner.memory.element(address) != sum;
      }
  }
  return wrong;
}

class Topologies : public testing::TestWithParam<TopologyCase> {};

TEST_P(Topologies, GiveTheExactSumsOfADirectReduceScatter) {
  for (const std::uint32_t split_k : {1U, 2U}) {
    Config config = config_of(GetParam(), GpuModel::explicit_);
    config.workload.split_k = split_k;
    std::vector<FunctionalGpu> state = functional_state(config, collectives(config));
    run_phase(config, direct_scatter(4), &state);
    EXPECT_EQ(wrong_sums(config, state), 0U) << "split-K " << split_k;
  }
}

TEST_P(Topologies, GiveTheExactSumsOfARing) {
  const Config config = config_of(GetParam(), GpuModel::explicit_);
  std::vector<FunctionalGpu> state = functional_state(config, collectives(config));
  run_phase(config, fused_phase(), &state);
  run_phase(config, gather_phase(), &state);
  EXPECT_EQ(check_result(config, collectives(config), {nullptr, collectives(config).kernel}, state).errors,
            0U);
}

TEST_P(Topologies, GiveTheExactSumsWithBuffersOfAPacket) {
  Config config = config_of(GetParam(), GpuModel::explicit_);
  config.topology.link.buffer_bytes = 128;
  config.topology.link.store_queue = 1;
  config.topology.link.latency_ps = 20'000;
  config.topology.outer_latency_ps = 40'000;
  std::vector<FunctionalGpu> state = functional_state(config, collectives(config));
  run_phase(config, direct_scatter(4), &state);
  EXPECT_EQ(wrong_sums(config, state), 0U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Topologies,
                         testing::Values(kFullyConnected, kSharedPort, kSwitch, kInSwitch, kSmallTable,
                                         kTwoLevel, kTorus, kMesh, kFatTree, kPcieTree, kCards, kPuts,
                                         kHostPuts),
                         name_of_topology);

class MirroredTopologies : public testing::TestWithParam<TopologyCase> {};

TEST_P(MirroredTopologies, AgreeWithExplicitGpus) {
  const PhaseResult one = run_phase(config_of(GetParam(), GpuModel::mirror), direct_scatter(4));
  const PhaseResult all = run_phase(config_of(GetParam(), GpuModel::explicit_), direct_scatter(4));
  EXPECT_NEAR(one.time_us, all.time_us, 0.01 * all.time_us);
  EXPECT_EQ(one.link_bytes, all.link_bytes);
  EXPECT_EQ(one.dram.written(Traffic::gemm), all.dram.written(Traffic::gemm));
  EXPECT_EQ(one.dram.read(Traffic::rs), all.dram.read(Traffic::rs));
  EXPECT_EQ(one.dram.written(Traffic::rs), all.dram.written(Traffic::rs));
}

INSTANTIATE_TEST_SUITE_P(Kinds, MirroredTopologies,
                         testing::Values(kFullyConnected, kSharedPort, kSwitch, kInSwitch), name_of_topology);

// To the two GPUs of the other node goes twice as much as to the neighbour, over a port of a third of the bandwidth.
TEST(AccountOfAPhase, IsOfThePortThatWasBusiest) {
  const PhaseResult result = run_phase(config_of(kTwoLevel, GpuModel::explicit_), direct_scatter(4));
  for (const auto& gpu : result.gpus) {
    ASSERT_EQ(gpu->links().size(), 2U);
    EXPECT_GT(gpu->links()[1].busy, gpu->links()[0].busy);
    EXPECT_EQ(account_of(*gpu).link.busy, gpu->links()[1].busy);
  }
}

// Every element of the own chunk is written once by the switch instead of once by each of the others.
TEST(InSwitchReduction, WritesASumInsteadOfItsParts) {
  const PhaseResult plain = run_phase(config_of(kSwitch, GpuModel::explicit_), direct_scatter(4));
  const PhaseResult summed = run_phase(config_of(kInSwitch, GpuModel::explicit_), direct_scatter(4));
  EXPECT_EQ(plain.dram.written(Traffic::rs), 3 * summed.dram.written(Traffic::rs));
  EXPECT_EQ(plain.link_bytes, summed.link_bytes);
}

// Sums of parts that have found no room in the table are the same, but more bytes arrive.
TEST(InSwitchReduction, LetsPartsPassAFullTable) {
  const PhaseResult summed = run_phase(config_of(kInSwitch, GpuModel::explicit_), direct_scatter(4));
  const PhaseResult small = run_phase(config_of(kSmallTable, GpuModel::explicit_), direct_scatter(4));
  EXPECT_GT(small.dram.written(Traffic::rs), summed.dram.written(Traffic::rs));
}

TEST(Routes, AreRefusedWhereTheTopologyHasNoLink) {
  Config config = config_of(kSwitch, GpuModel::explicit_);
  EXPECT_NO_THROW(check_routes(config, direct_scatter(4), "fused"));
  config.topology.kind = TopologyKind::ring;
  EXPECT_NO_THROW(check_routes(config, fused_phase().of(config), "fused"));
  try {
    check_routes(config, direct_scatter(4), "fused");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(),
                 "fused: there is no link from GPU 0 to GPU 1: topology.kind ring joins GPU 0 to GPU 3 only");
  }
}

// A GPU's own link bandwidth holds on either side of a switch.
TEST(SlowLink, SlowsDownWhoeverWaitsForIt) {
  Config config = config_of(kSwitch, GpuModel::explicit_);
  const double alike = run_phase(config, direct_scatter(4)).time_us;
  config.gpus.overrides[2].link_bandwidth_Bps = 10'000'000'000;
  EXPECT_GT(run_phase(config, direct_scatter(4)).time_us, 1.2 * alike);
}

// ... and on either side of whatever forwards, but on no link in between, whichever GPU it is.
TEST(SlowLink, IsOfTheGpusOwnLinksOnly) {
  for (const std::uint32_t gpu : {0U, 3U}) {
    Config config = config_of(kTorus, GpuModel::explicit_);
    config.gpus.overrides[gpu].link_bandwidth_Bps = 10'000'000'000;
    const auto topology = make_topology(topology_of(config), 4);
    for (const GraphLink& link : topology->graph.links()) {
      const bool own = link.from == gpu || link.to == gpu;
      EXPECT_EQ(link.bandwidth_Bps == 10'000'000'000, own) << topology->graph.vertex(link.from).name;
    }
  }
}

TEST(SlowLink, IsSlowWhateverTheDescriptionOfTheLinkSays) {
  Config config = config_of(kSwitch, GpuModel::explicit_);
  config.topology.kind = TopologyKind::graph;
  config.topology.vertices["s"] = {};
  config.topology.links.resize(1);
  config.topology.links[0].from = "gpu[0-3]";
  config.topology.links[0].to = "s";
  config.topology.links[0].bandwidth_Bps = 75'000'000'000;
  const double alike = run_phase(config, direct_scatter(4)).time_us;
  config.gpus.overrides[2].link_bandwidth_Bps = 10'000'000'000;
  EXPECT_GT(run_phase(config, direct_scatter(4)).time_us, 1.2 * alike);
}

}  // namespace
}  // namespace t3sim
