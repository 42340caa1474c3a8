// The machines of configs/topologies, each with a collective by its copy engines: bytes of every link to the byte, and
// the time of the link that bounds it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "config/load.h"
#include "draws.h"
#include "machine/small_cluster.h"
#include "run/check_config.h"
#include "run/network_report.h"

namespace t3sim {
namespace {

// Copy engines that read as fast as memory gives, so that links bound a direct exchange.
const std::vector<std::string> kFastEngines{"dma={engines: 64, lines_per_cycle: 16, buffer: 64 MiB}",
                                            "memory.clock=4 GHz"};
constexpr std::uint64_t kMiB = 1 << 20;

Config shipped(const std::string& name, const std::vector<std::string>& settings = {}) {
  config::Node root = config::load_file(std::string(T3SIM_SOURCE_DIR) + "/configs/topologies/" + name).root;
  config::apply_override(root, "workload={m: 2048, n: 1024, k: 64}");  // 4 MiB of output
  for (const std::string& setting : settings) config::apply_override(root, setting);
  Config config;
  check_config(config, config::read(root, config));
  return config;
}

struct Carried {
  PhaseResult result;
  std::map<std::string, std::uint64_t> bytes;  // by link
  Fullest fullest;
};
Carried reduce_scatter_by_dma(const Config& config) {
  Carried run{run_phase(config, near_memory_phase()), {}, {}};
  const LinkLoads loads = link_loads(run.result);
  const Graph& graph = run.result.fabric->topology().graph;
  for (std::uint32_t l = 0; l < graph.links().size(); ++l) run.bytes[graph.name(l)] = loads.links[l].bytes;
  run.fullest = fullest(graph, loads);
  return run;
}
// Microseconds for so many bytes on a link whose packets of 128 B have a header.
double serialised(double bytes, double GBps, double header) {
  return bytes * (128 + header) / 128 / GBps / 1e3;
}

// Ring: every GPU sends 7 chunks to the one below it; 0 and 4 to the other socket, through their host's memory.
TEST(EightA100OnPcie, SendARingsBytesThroughHostMemoryBetweenSockets) {
  T3_SKIP_IF_SANITIZED();
  const Carried run = reduce_scatter_by_dma(shipped("a100-pcie-x8.yaml"));
  constexpr std::uint64_t kSent = 7 * 4 * kMiB / 8;
  for (const auto& [link, bytes] : run.bytes) {
    const bool card = link.find("card") != link.npos;
    EXPECT_EQ(bytes, card ? 0 : kSent) << link;
  }
  const double step = serialised(4.0 * kMiB / 8, 31.5, 24);
  const double expected = 7 * (step + 1.052);
  EXPECT_NEAR(run.result.time_us, expected, 0.05 * expected);
  EXPECT_NE(run.fullest.name.find("gpu"), run.fullest.name.npos) << run.fullest.name;
  EXPECT_GT(run.fullest.share, 0.9);
}

// Two levels: 14 of 16 chunks go to GPUs of the own node, one to the other, as puts over the rail.
TEST(TwoNodesOfEightH800, SendOneChunkToTheOtherNode) {
  T3_SKIP_IF_SANITIZED();
  const Carried run = reduce_scatter_by_dma(shipped("h800-2x8.yaml"));
  constexpr std::uint64_t kChunk = 4 * kMiB / 16;
  for (const auto& [link, bytes] : run.bytes) {
    const bool nvlink = link.find("nvswitch") != link.npos, spine = link.find("spine") != link.npos;
    EXPECT_EQ(bytes, (nvlink ? 14 : spine ? 0 : 1) * kChunk) << link;
  }
  for (const char* card : {"nic0", "nic15"})
    EXPECT_EQ(run.result.fabric->network()->cards().find(card)->stats().bytes, kChunk);
  // What goes to the other node follows what it is the sum of.
  const double node = serialised(14.0 * kChunk, 200, 32) + 1, between = serialised(1.0 * kChunk, 50, 2) + 2.9;
  EXPECT_GT(run.result.time_us, node + 2.9);
  EXPECT_LT(run.result.time_us, 1.1 * (node + between + 0.7));
}

// Direct: every link between switches carries the chunks of 8 pairs.
TEST(TorusOfSixteen, SharesADirectExchangeEvenly) {
  T3_SKIP_IF_SANITIZED();
  const Carried run = reduce_scatter_by_dma(shipped("torus-16.yaml", kFastEngines));
  constexpr std::uint64_t kChunk = 4 * kMiB / 16;
  for (const auto& [link, bytes] : run.bytes)
    EXPECT_EQ(bytes, (link.find("gpu") == link.npos ? 8 : 15) * kChunk) << link;
  const double expected = serialised(8.0 * kChunk, 75, 0) + 1.25;
  EXPECT_NEAR(run.result.time_us, expected, 0.05 * expected);
}

// Direct: every link carries one chunk. The copy engine reads chunk after chunk, 16 lines a cycle of 1.4 GHz: the last of
// seven links starts when it has read six.
TEST(EightMi300x, SendAChunkOverEachLink) {
  const Carried run = reduce_scatter_by_dma(shipped("mi300x-8.yaml", kFastEngines));
  constexpr double kChunk = 4.0 * kMiB / 8;
  EXPECT_EQ(run.bytes.size(), 56U);
  for (const auto& [link, bytes] : run.bytes) EXPECT_EQ(bytes, kChunk) << link;
  const double expected = 6 * kChunk / (16 * 128 * 1400.0) + serialised(kChunk, 64, 0) + 0.6;
  EXPECT_NEAR(run.result.time_us, expected, 0.05 * expected);
}

}  // namespace
}  // namespace t3sim
