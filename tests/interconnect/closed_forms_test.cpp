// Every preset against closed forms: latency and rate of its worst pair, all-to-all, incast. Within 2 %.
#include <gtest/gtest.h>

#include <map>

#include "interconnect/small_net.h"

namespace t3sim {
namespace {

double ns(Tick ticks) { return static_cast<double>(ticks) / 7; }
// Nanoseconds that so many packets of 128 bytes need.
double line_ns(double packets, double gigabytes_per_second) { return packets * 128 / gigabytes_per_second; }

TopologyConfig base(TopologyKind kind) {
  TopologyConfig config;
  config.kind = kind;
  config.link.bandwidth_Bps = 75'000'000'000;
  config.link.latency_ps = 500'000;
  config.link.buffer_bytes = 1 << 20;
  config.link.header_bytes = 0;
  config.outer_bandwidth_Bps = 25'000'000'000;
  config.outer_latency_ps = 2'000'000;
  return config;
}
TopologyConfig grid_of(TopologyKind kind) {
  TopologyConfig config = base(kind);
  config.shape = {4, 4, 1};
  config.hop_latency_ps = 300'000;
  return config;
}
TopologyConfig forwarding_ring() {
  TopologyConfig config = grid_of(TopologyKind::torus);
  config.shape = {8, 1, 1};
  return config;
}
TopologyConfig tree() {
  TopologyConfig config = base(TopologyKind::fat_tree);
  config.node_size = 4;
  config.spines = 2;
  return config;
}
TopologyConfig pcie() {
  TopologyConfig config = base(TopologyKind::pcie_tree);
  config.pcie.socket_bandwidth_Bps = 40'000'000'000;
  config.pcie.socket_latency_ps = 200'000;
  config.pcie.memory_bandwidth_Bps = 100'000'000'000;
  config.pcie.memory_latency_ps = 300'000;
  config.pcie.card_latency_ps = 800'000;
  return config;
}
TopologyConfig slow_memory() {
  TopologyConfig config = pcie();
  config.pcie.memory_bandwidth_Bps = 40'000'000'000;
  return config;
}
TopologyConfig two_levels() {
  TopologyConfig config = base(TopologyKind::two_level);
  config.node_size = 4;
  return config;
}
TopologyConfig shared_port() {
  TopologyConfig config = base(TopologyKind::fully_connected);
  config.shared_port = true;
  return config;
}

struct Case {
  const char* name;
  TopologyConfig config;
  std::uint32_t gpus;
  std::uint16_t from, to;  // the worst pair
  double latency_ns;       // of all links and what lies between
  double rate;             // GB/s
  double serialised;       // GB/s: of the slowest link, where a packet is serialised
  double
      all_to_all;  // packets that the fullest link carries, a packet a pair, over its GB/s; 0: GPUs that do not
                   // reach each other
};
void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }
std::string name_of(const testing::TestParamInfo<Case>& info) { return info.param.name; }

class ClosedForm : public testing::TestWithParam<Case> {};

TEST_P(ClosedForm, OfTheLatencyOfTheWorstPair) {
  const Case& c = GetParam();
  SmallNet net(c.config, c.gpus);
  net.gpus[c.from]->send(c.to, packet());
  net.run();
  ASSERT_EQ(net.gpus[c.to]->arrived.size(), 1U);
  const double expected = c.latency_ns + line_ns(1, c.serialised);
  EXPECT_NEAR(ns(net.last_arrival(c.to)), expected, 0.02 * expected);
}

TEST_P(ClosedForm, OfTheRateOfTheWorstPair) {
  const Case& c = GetParam();
  constexpr double kLines = 20000;
  SmallNet net(c.config, c.gpus);
  for (int i = 0; i < kLines; ++i) net.gpus[c.from]->send(c.to, packet());
  net.run();
  const double expected = c.latency_ns + line_ns(kLines, c.rate);
  EXPECT_NEAR(ns(net.last_arrival(c.to)), expected, 0.02 * expected);
}

// Two GPUs and a switch; each link of 500 ns.
TopologyConfig through_a_switch(std::uint64_t first_GBps, std::uint64_t second_GBps) {
  TopologyConfig config = base(TopologyKind::graph);
  config.vertices["net"] = {};
  for (const auto& [gpu, GBps] : {std::pair{"gpu0", first_GBps}, {"gpu1", second_GBps}}) {
    LinkSpec link;
    link.from = gpu;
    link.to = "net";
    link.bandwidth_Bps = GBps * 1'000'000'000;
    link.latency_ps = config.link.latency_ps;
    config.links.push_back(link);
  }
  return config;
}

// To the tick, but for rounding: a packet's own time is too small a part of a way's to be seen otherwise.
TEST(ClosedFormOfAPacket, TakesItsTimeOnTheSlowerLinkOnceInEitherOrder) {
  for (const auto& [first, second] : {std::pair{100U, 10U}, {10U, 100U}}) {
    SmallNet net(through_a_switch(first, second), 2);
    net.gpus[0]->send(1, packet());
    net.run();
    ASSERT_EQ(net.gpus[1]->arrived.size(), 1U);
    EXPECT_NEAR(static_cast<double>(net.last_arrival(1)),
                static_cast<double>(2 * kLatency + line_ticks(1, 10)), 3)
        << first << " GB/s, then " << second;
  }
}

class ClosedFormOf : public ClosedForm {};

TEST_P(ClosedFormOf, AllToAll) {
  const Case& c = GetParam();
  constexpr int kLines = 1500;
  SmallNet net(c.config, c.gpus);
  for (std::uint16_t from = 0; from < c.gpus; ++from)
    for (std::uint16_t to = 0; to < c.gpus; ++to)
      for (int i = 0; i < kLines && from != to; ++i) net.gpus[from]->send(to, packet());
  net.run();
  Tick last = 0;
  for (std::uint16_t g = 0; g < c.gpus; ++g) last = std::max(last, net.last_arrival(g));
  const double expected = c.latency_ns + line_ns(kLines * c.all_to_all, 1);
  EXPECT_NEAR(ns(last), expected, 0.02 * expected);
  EXPECT_TRUE(net.fabric->idle());
}

// Worst pairs and fullest links, by hand:
//  torus 8x1x1, a ring that forwards: 4 hops; a link of either direction carries 1 + 2 + 3 packets of pairs nearer
//  than half way round, and 2 of those that are half way, as every other GPU takes its direction
//  torus 4x4: two hops in either dimension; 64 pairs cross its middle over 8 links: 8 packets a link
//  mesh 4x4: three hops in either dimension; 64 pairs over 4 links
//  fat tree, 4 leaves of 4, 2 spines at 25 GB/s: each leaf sends 4 x 12 packets over two links
//  PCIe, 8 GPUs: 16 pairs cross from socket to socket, over 40 GB/s; the memory's 100 GB/s take 50 of traffic
//  ... or its 40 GB/s take 20: what goes through it is written and read
//  PCIe, 16 GPUs: a card's port of 25 GB/s carries 4 GPUs' packets to 8
const std::vector<Case>& presets() {
  static const std::vector<Case> cases{
      Case{"Ring", base(TopologyKind::ring), 4, 1, 0, 500, 75, 75, 0},
      Case{"BidirectionalRing", base(TopologyKind::bidirectional_ring), 4, 1, 2, 500, 75, 75, 0},
      Case{"FullyConnected", base(TopologyKind::fully_connected), 8, 3, 7, 500, 75, 75, 1.0 / 75},
      Case{"SharedPort", shared_port(), 8, 3, 7, 500, 75, 75, 7.0 / 75},
      Case{"Switch", base(TopologyKind::switched), 8, 3, 7, 500, 75, 75, 7.0 / 75},
      Case{"TwoLevel", two_levels(), 8, 0, 5, 2000, 25, 25, 4.0 / 25},
      Case{"ForwardingRing", forwarding_ring(), 8, 0, 4, 4 * 300 + 200, 75, 75, 8.0 / 75},
      Case{"Torus", grid_of(TopologyKind::torus), 16, 0, 10, 4 * 300 + 200, 75, 75, 8.0 / 75},
      Case{"Mesh", grid_of(TopologyKind::mesh), 16, 0, 15, 6 * 300 + 200, 75, 75, 16.0 / 75},
      Case{"FatTree", tree(), 16, 0, 15, 2000, 25, 25, 24.0 / 25},
      Case{"PcieTree", pcie(), 8, 0, 7, 500 + 200 + 300 + 2 + 128 / 50.0, 40, 75, 16.0 / 40},
      Case{"PcieTreeOfSlowMemory", slow_memory(), 8, 0, 7, 500 + 200 + 300 + 2 + 128 / 20.0, 20, 75,
           16.0 / 20},
      Case{"PcieTreeOfTwoNodes", pcie(), 16, 0, 15, 2 * 500 + 2000 + 2 * 800, 25, 75, 32.0 / 25}};
  return cases;
}
// GPUs of a ring reach their neighbours only.
std::vector<Case> presets_that_reach_all() {
  std::vector<Case> cases = presets();
  std::erase_if(cases, [](const Case& c) { return c.all_to_all == 0; });
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Presets, ClosedForm, testing::ValuesIn(presets()), name_of);
INSTANTIATE_TEST_SUITE_P(Presets, ClosedFormOf, testing::ValuesIn(presets_that_reach_all()), name_of);

// All GPUs of a node send to those of a socket of the other: its one card takes what its port lets in.
TEST(SharedCard, TakesAnIncastAtTheRateOfItsPort) {
  constexpr int kLines = 500;
  SmallNet net(pcie(), 16);
  for (std::uint16_t from = 0; from < 8; ++from)
    for (const std::uint16_t to : Gpus{8, 9, 10, 11})
      for (int i = 0; i < kLines; ++i) net.gpus[from]->send(to, packet());
  net.run();
  Tick last = 0;
  for (const std::size_t g : {8, 9, 10, 11}) last = std::max(last, net.last_arrival(g));
  const double expected = 2 * 500 + 2000 + 2 * 800 + line_ns(8 * 4 * kLines, 25);
  EXPECT_NEAR(ns(last), expected, 0.02 * expected);
}

// ... or at its own rate, where that is less.
TEST(SharedCard, TakesAnIncastAtItsOwnRate) {
  constexpr int kLines = 500;
  TopologyConfig config = pcie();
  config.pcie.card_rate_Bps = 10'000'000'000;
  SmallNet net(config, 16);
  for (std::uint16_t from = 0; from < 8; ++from)
    for (const std::uint16_t to : Gpus{8, 9, 10, 11})
      for (int i = 0; i < kLines; ++i) net.gpus[from]->send(to, packet());
  net.run();
  Tick last = 0;
  for (const std::size_t g : {8, 9, 10, 11}) last = std::max(last, net.last_arrival(g));
  const double expected = 2 * 500 + 2000 + 2 * 800 + line_ns(8 * 4 * kLines, 10);
  EXPECT_NEAR(ns(last), expected, 0.02 * expected);
}

// A ring reduce-scatter of S bytes on n GPUs takes (n - 1) (S / n / bandwidth + latency) if each step waits
// for the whole of the one before: what ASTRA-sim finds for 150 GB/s (of 2^30) and 500 ns, to 0.2 %.
struct AstraSim {
  std::uint16_t gpus;
  std::uint64_t mebibytes;
  double microseconds;
};
class AstraSimRing : public testing::TestWithParam<AstraSim> {};

// One GPU stands for all: what it sends comes back to it.
TEST_P(AstraSimRing, TakesAsLong) {
  const auto [gpus, mebibytes, expected] = GetParam();
  TopologyConfig config = base(TopologyKind::ring);
  config.link.bandwidth_Bps = 150ULL << 30;
  const std::uint64_t lines = (mebibytes << 20) / gpus / 128;
  Tick total = 0;
  for (int step = 0; step + 1 < gpus; ++step) {
    SmallNet net(config, gpus, {.mirror = true});
    for (std::uint64_t i = 0; i < lines; ++i)
      net.gpus[0]->send(static_cast<std::uint16_t>(gpus - 1), packet());
    net.run();
    ASSERT_EQ(net.gpus[0]->arrived.size(), lines);
    total += net.gpus[0]->arrived.back().at;
  }
  EXPECT_NEAR(ns(total) / 1000, expected, 0.05 * expected);
}

INSTANTIATE_TEST_SUITE_P(Peers, AstraSimRing,
                         testing::Values(AstraSim{4, 1, 6.4}, AstraSim{4, 6, 30.8}, AstraSim{4, 24, 118.8},
                                         AstraSim{4, 96, 470.5}, AstraSim{4, 192, 939.5}, AstraSim{8, 1, 9.3},
                                         AstraSim{8, 6, 37.8}, AstraSim{8, 24, 140.4}, AstraSim{8, 96, 550.7},
                                         AstraSim{8, 192, 1097.9}));

}  // namespace
}  // namespace t3sim
