// Packets through whole topologies: times in closed form, back-pressure, mirror.
#include <gtest/gtest.h>

#include <random>

#include "interconnect/small_net.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kManyPackets = 3000;

TopologyConfig of_kind(TopologyKind kind) {
  TopologyConfig config;
  config.kind = kind;
  return config;
}
TopologyConfig shared_ports() {
  TopologyConfig config = of_kind(TopologyKind::fully_connected);
  config.shared_port = true;
  return config;
}
void send(SmallNet& net, std::uint16_t from, std::uint16_t to, std::uint64_t packets = kManyPackets) {
  for (std::uint64_t i = 0; i < packets; ++i)
    net.gpus[from]->send(to, packet(kFullLine, static_cast<std::uint32_t>(i)));
}

struct FabricCase {
  const char* name;
  TopologyConfig config;
};
void PrintTo(const FabricCase& c, std::ostream* os) { *os << c.name; }
std::string name_of_case(const testing::TestParamInfo<FabricCase>& info) { return info.param.name; }

// One GPU sends to the one before it: the same bandwidth and latency whatever joins them.
class EveryTopology : public testing::TestWithParam<FabricCase> {};

TEST_P(EveryTopology, CarriesPacketsAtTheLinksBandwidthAndLatency) {
  SmallNet net(GetParam().config, 4);
  send(net, 1, 0);
  net.run();
  EXPECT_EQ(net.gpus[0]->arrived.size(), kManyPackets);
  EXPECT_TRUE(close(net.last_arrival(0), 1 + line_ticks(kManyPackets) + kLatency));
}

TEST_P(EveryTopology, LetsNeighboursSendAtOnce) {
  SmallNet net(GetParam().config, 4);
  for (std::uint16_t g = 0; g < 4; ++g) send(net, g, static_cast<std::uint16_t>((g + 3) % 4));
  net.run();
  for (std::size_t g = 0; g < 4; ++g)
    EXPECT_TRUE(close(net.last_arrival(g), 1 + line_ticks(kManyPackets) + kLatency));
}

TEST_P(EveryTopology, KeepsThePacketsOfOneGpuInOrder) {
  SmallNet net(GetParam().config, 4);
  send(net, 1, 0);
  net.run();
  for (std::uint32_t i = 0; i < kManyPackets; ++i) ASSERT_EQ(net.gpus[0]->arrived[i].token, i);
}

// Buffers of two packets, thousands of packets of all sizes: a byte of credit lost would stop it, one too
// many would overfill a buffer.
TEST_P(EveryTopology, LosesNoCredit) {
  TopologyConfig config = GetParam().config;
  config.link.buffer_bytes = 256;
  SmallNet net(config, 4);
  for (std::uint32_t i = 0; i < 500; ++i)
    for (std::uint16_t g = 0; g < 4; ++g)
      for (const PortSpec& port : net.gpus[g]->ports.out)
        for (std::uint16_t to : port.gpus)
          net.gpus[g]->send(to, packet(static_cast<std::uint8_t>(1 + (i * 7 + g) % 15)));
  net.run();
  EXPECT_EQ(net.received_bytes(), net.sent_bytes());
  for (const auto& gpu : net.gpus) {
    EXPECT_TRUE(gpu->out.idle()) << gpu->out.describe_waiting();
    EXPECT_TRUE(gpu->in.idle());
    EXPECT_EQ(gpu->out.bytes(), gpu->sent_bytes);
    EXPECT_LE(gpu->in.stats().peak_bytes, 3U * 256);
  }
  EXPECT_TRUE(net.fabric->idle());
}

// Without a switch, or with one.
class PaperTopology : public EveryTopology {};

TEST_P(PaperTopology, IsLimitedByTheRoundTripOfItsCredits) {
  TopologyConfig config = GetParam().config;
  config.link.buffer_bytes = 128;
  SmallNet net(config, 4);
  send(net, 1, 0, 10);
  net.run();
  // One packet at a time and its credit back: from the receiver, or from the middle with a switch, which has
  // a buffer of its own.
  const Tick hop = config.kind == TopologyKind::switched ? kLatency / 2 : kLatency;
  EXPECT_EQ(net.last_arrival(0), 1 + 9 * (12 + 2 * hop) + 12 + kLatency);
}

TEST_P(EveryTopology, GivesTheSameInEveryRun) {
  std::vector<NetGpu::Arrived> first;
  for (int run = 0; run < 2; ++run) {
    SmallNet net(GetParam().config, 4);
    std::mt19937 random(7);
    for (int i = 0; i < 5000; ++i) {
      const auto from = static_cast<std::uint16_t>(random() % 4);
      const auto& ports = net.gpus[from]->ports.out;
      const PortSpec& port = ports[random() % ports.size()];
      net.gpus[from]->send(port.gpus[random() % port.gpus.size()],
                           packet(kFullLine, static_cast<std::uint32_t>(i)), 1 + i * 4);
    }
    net.run();
    std::vector<NetGpu::Arrived> all;
    for (const auto& gpu : net.gpus) all.insert(all.end(), gpu->arrived.begin(), gpu->arrived.end());
    EXPECT_EQ(all.size(), 5000U);
    if (run == 0)
      first = all;
    else
      EXPECT_EQ(all, first);
  }
}

const auto kPaperTopologies = testing::Values(
    FabricCase{"Ring", of_kind(TopologyKind::ring)},
    FabricCase{"BidirectionalRing", of_kind(TopologyKind::bidirectional_ring)},
    FabricCase{"FullyConnected", of_kind(TopologyKind::fully_connected)},
    FabricCase{"SharedPort", shared_ports()}, FabricCase{"Switch", of_kind(TopologyKind::switched)},
    FabricCase{"TwoLevelInOneNode", of_kind(TopologyKind::two_level)});
INSTANTIATE_TEST_SUITE_P(Kinds, EveryTopology, kPaperTopologies, name_of_case);
INSTANTIATE_TEST_SUITE_P(Kinds, PaperTopology, kPaperTopologies, name_of_case);

TopologyConfig grid_of(TopologyKind kind, const std::array<std::uint32_t, 3>& shape) {
  TopologyConfig config = of_kind(kind);
  config.shape = shape;
  return config;
}
TopologyConfig one_socket() {
  TopologyConfig config = of_kind(TopologyKind::pcie_tree);
  config.pcie = {1, 4, 1, false, 1'000'000'000, 1000, 1'000'000'000, 1000, {}, 1000};
  return config;
}
INSTANTIATE_TEST_SUITE_P(Networks, EveryTopology,
                         testing::Values(FabricCase{"Torus", grid_of(TopologyKind::torus, {4, 1, 1})},
                                         FabricCase{"FatTreeOfOneLeaf", of_kind(TopologyKind::fat_tree)},
                                         FabricCase{"PcieTreeOfOneSocket", one_socket()}),
                         name_of_case);

TEST(BidirectionalRing, SendsBothWaysAtOnce) {
  SmallNet net(of_kind(TopologyKind::bidirectional_ring), 4);
  send(net, 0, 3);
  send(net, 0, 1);
  net.run();
  EXPECT_EQ(net.last_arrival(3), 1 + line_ticks(kManyPackets) + kLatency);
  EXPECT_EQ(net.last_arrival(1), 1 + line_ticks(kManyPackets) + kLatency);
}

TEST(FullyConnected, HasTheWholeBandwidthToEveryGpu) {
  SmallNet net(of_kind(TopologyKind::fully_connected), 4);
  for (const std::uint16_t g : Gpus{1, 2, 3}) send(net, 0, g);
  for (const std::uint16_t g : Gpus{1, 2, 3}) send(net, g, 0);
  net.run();
  for (std::size_t g = 0; g < 4; ++g) EXPECT_EQ(net.last_arrival(g), 1 + line_ticks(kManyPackets) + kLatency);
}

TEST(SharedPort, SharesItsBandwidthOnTheWayOut) {
  SmallNet net(shared_ports(), 4);
  for (const std::uint16_t g : Gpus{1, 2, 3}) send(net, 0, g);
  net.run();
  for (std::size_t g : {1, 2, 3})
    EXPECT_EQ(net.last_arrival(g), 1 + line_ticks(3 * kManyPackets - 3 + g) + kLatency);
}

// Incast: the receiver's port is busy without a gap from the first packet on.
TEST(SharedPort, SharesItsBandwidthOnTheWayIn) {
  SmallNet net(shared_ports(), 4);
  for (const std::uint16_t g : Gpus{1, 2, 3}) send(net, g, 0);
  net.run();
  EXPECT_EQ(net.last_arrival(0), 1 + line_ticks(1) + kLatency + line_ticks(3 * kManyPackets - 1));
}

TEST(SharedPort, SharesItsBandwidthForHeadersToo) {
  TopologyConfig config = shared_ports();
  config.link.header_bytes = 22;  // 150 bytes a packet: 14 ticks
  SmallNet net(config, 4);
  for (const std::uint16_t g : Gpus{1, 2, 3}) send(net, g, 0);
  net.run();
  EXPECT_EQ(net.last_arrival(0), 1 + 14 + kLatency + 14 * (3 * kManyPackets - 1));
}

TEST(Switch, LimitsIncastToTheBandwidthOfOnePort) {
  SmallNet net(of_kind(TopologyKind::switched), 4);
  for (const std::uint16_t g : Gpus{1, 2, 3}) send(net, g, 0);
  net.run();
  EXPECT_EQ(net.last_arrival(0), 1 + line_ticks(1) + kLatency + line_ticks(3 * kManyPackets - 1));
}

TEST(Switch, TakesItsOutputsTimeForHeadersToo) {
  TopologyConfig config = of_kind(TopologyKind::switched);
  config.link.header_bytes = 22;  // 150 bytes a packet: 14 ticks
  SmallNet net(config, 4);
  for (const std::uint16_t g : Gpus{1, 2, 3}) send(net, g, 0);
  net.run();
  EXPECT_EQ(net.last_arrival(0), 1 + 14 + kLatency + 14 * (3 * kManyPackets - 1));
}

TEST(Switch, IsFairUnderIncast) {
  SmallNet net(of_kind(TopologyKind::switched), 4);
  for (const std::uint16_t g : Gpus{1, 2, 3}) send(net, g, 0);
  net.run();
  std::size_t seen[4] = {};
  for (std::size_t i = 0; i < 3 * kManyPackets; ++i) {
    ++seen[net.gpus[0]->arrived[i].from];
    ASSERT_TRUE(i % 3 != 2 || (seen[1] == seen[2] && seen[2] == seen[3])) << i;
  }
}

TEST(SharedPort, AGpuThatTakesNothingHoldsUpNoOther) {
  SmallNet net(shared_ports(), 4, {.closed = {1}});
  send(net, 0, 1);
  send(net, 0, 2);
  net.run();
  EXPECT_EQ(net.gpus[1]->arrived.size(), 0U);
  EXPECT_EQ(net.gpus[2]->arrived.size(), kManyPackets);
  EXPECT_EQ(net.gpus[0]->out.describe_waiting(),
            "link.out: 0 stores and 952 DMA packets wait for GPU 1, 0 bytes of credit\n");
}

TEST(Switch, AGpuThatTakesNothingHoldsUpNoOther) {
  SmallNet net(of_kind(TopologyKind::switched), 4, {.closed = {1}});
  send(net, 0, 1, 5000);
  send(net, 3, 1, 5000);
  send(net, 0, 2);
  net.run();
  EXPECT_EQ(net.gpus[1]->arrived.size(), 0U);
  EXPECT_EQ(net.gpus[2]->arrived.size(), kManyPackets);
  // GPU 1 holds a buffer of 1024 packets, the switch one of each sender: each has half of the latency.
  EXPECT_EQ(net.gpus[0]->out.bytes() + net.gpus[3]->out.bytes(), (3 * 1024 + kManyPackets) * 128);
  EXPECT_EQ(net.fabric->describe_waiting(),
            "switch: 1024 packets from GPU 3 wait for GPU 1, 0 bytes of credit\n"
            "switch: 1024 packets from GPU 0 wait for GPU 1, 0 bytes of credit\n");
}

TEST(TwoLevel, IsSlowBetweenNodesOnly) {
  SmallNet net(of_kind(TopologyKind::two_level), 8);
  send(net, 0, 1);
  send(net, 0, 5);
  net.run();
  EXPECT_EQ(net.last_arrival(1), 1 + line_ticks(kManyPackets) + kLatency);
  EXPECT_TRUE(close(net.last_arrival(5), 1 + line_ticks(kManyPackets, 25) + 4 * kLatency));
}

TEST(TwoLevel, SharesThePortBetweenNodes) {
  SmallNet net(of_kind(TopologyKind::two_level), 8);
  for (const std::uint16_t g : Gpus{4, 5, 6, 7}) send(net, g, 0);
  send(net, 1, 4);
  send(net, 1, 5);
  net.run();
  EXPECT_EQ(net.last_arrival(0), 1 + line_ticks(1, 25) + 4 * kLatency + line_ticks(4 * kManyPackets - 1, 25));
  EXPECT_EQ(net.last_arrival(5), 1 + line_ticks(2 * kManyPackets, 25) + 4 * kLatency);
}

TEST(Fabric, StepsInWindowsOfTheShortestHop) {
  const auto window = [](const TopologyConfig& config) { return SmallNet(config, 8).fabric->window(); };
  EXPECT_EQ(window(of_kind(TopologyKind::ring)), kLatency);
  EXPECT_EQ(window(of_kind(TopologyKind::switched)), kLatency / 2);
  EXPECT_EQ(window(of_kind(TopologyKind::two_level)), kLatency);
}

// All GPUs do the same: GPU 0 alone, mirrored, receives the same packets at the same ticks as with all of
// them.
class Mirror : public testing::TestWithParam<FabricCase> {};

TEST_P(Mirror, ReceivesWhatItWouldReceiveFromGpusLikeIt) {
  constexpr std::uint32_t kGpus = 5;
  const auto receives = [&](bool mirror) {
    SmallNet net(GetParam().config, kGpus, {.mirror = mirror});
    for (std::uint16_t g = 0; g < net.gpus.size(); ++g) {
      std::mt19937 random(3);
      for (std::uint32_t i = 0; i < 4000; ++i) {
        const auto& ports = net.gpus[g]->ports.out;
        const PortSpec& port = ports[random() % ports.size()];
        Request r = packet(static_cast<std::uint8_t>(1 + random() % 15), i);
        r.tile = static_cast<std::uint32_t>(random() + g) % kGpus;  // its chunk
        net.gpus[g]->send(port.gpus[random() % port.gpus.size()], r, 1 + i * (i % 1000 == 0 ? 20 : 3));
      }
    }
    net.run();
    return net.gpus[0]->arrived;
  };
  const auto alone = receives(true), all = receives(false);
  ASSERT_EQ(alone.size(), 4000U);
  EXPECT_EQ(alone, all);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Mirror,
                         testing::Values(FabricCase{"Ring", of_kind(TopologyKind::ring)},
                                         FabricCase{"BidirectionalRing",
                                                    of_kind(TopologyKind::bidirectional_ring)},
                                         FabricCase{"FullyConnected", of_kind(TopologyKind::fully_connected)},
                                         FabricCase{"SharedPort", shared_ports()},
                                         FabricCase{"Switch", of_kind(TopologyKind::switched)}),
                         name_of_case);

}  // namespace
}  // namespace t3sim
