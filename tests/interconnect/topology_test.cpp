#include "interconnect/topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "config/config.h"
#include "interconnect/topologies.h"

namespace t3sim {
namespace {

using Gpus = std::vector<std::uint16_t>;

std::set<std::uint16_t> reached(const GpuPorts& ports) {
  std::set<std::uint16_t> gpus;
  for (const PortSpec& port : ports.out) gpus.insert(port.gpus.begin(), port.gpus.end());
  return gpus;
}

constexpr TopologyKind kKinds[] = {TopologyKind::ring, TopologyKind::bidirectional_ring,
                                   TopologyKind::fully_connected, TopologyKind::switched,
                                   TopologyKind::two_level};

TEST(Topology, RingLeadsToThePreviousGpu) {
  const GpuPorts ports = gpu_ports(of_kind(TopologyKind::ring), 4, 0);
  ASSERT_EQ(ports.out.size(), 1U);
  EXPECT_EQ(ports.out[0].gpus, Gpus{3});
  EXPECT_EQ(ports.out[0].name, "link.out");
  EXPECT_EQ(ports.in.at(0).gpus, Gpus{1});
}

TEST(Topology, BidirectionalRingHasALinkEitherWay) {
  const GpuPorts ports = gpu_ports(of_kind(TopologyKind::bidirectional_ring), 4, 0);
  ASSERT_EQ(ports.out.size(), 2U);
  EXPECT_EQ(ports.out[0].gpus, Gpus{3});
  EXPECT_EQ(ports.out[1].gpus, Gpus{1});
  EXPECT_EQ(ports.out[1].name, "link.out[1]");
}

TEST(Topology, BidirectionalRingOfTwoIsOneLink) {
  EXPECT_EQ(gpu_ports(of_kind(TopologyKind::bidirectional_ring), 2, 0).out.size(), 1U);
}

TEST(Topology, FullyConnectedHasALinkAPair) {
  const GpuPorts ports = gpu_ports(of_kind(TopologyKind::fully_connected), 5, 3);
  EXPECT_EQ(ports.out.size(), 4U);
  EXPECT_EQ(reached(ports), (std::set<std::uint16_t>{0, 1, 2, 4}));
  ASSERT_EQ(ports.in.size(), 1U);
  EXPECT_EQ(ports.in[0].bandwidth_Bps, 0U);  // limited at the other ends
}

TEST(Topology, FullyConnectedMayShareOnePortEachWay) {
  TopologyConfig config = of_kind(TopologyKind::fully_connected);
  config.shared_port = true;
  const GpuPorts ports = gpu_ports(config, 5, 3);
  ASSERT_EQ(ports.out.size(), 1U);
  EXPECT_EQ(ports.out[0].gpus, (Gpus{4, 0, 1, 2}));
  EXPECT_EQ(ports.in.at(0).bandwidth_Bps, config.link.bandwidth_Bps);
}

TEST(Topology, SwitchHasHalfOfTheLatencyOnEitherSide) {
  TopologyConfig config = of_kind(TopologyKind::switched);
  config.link.latency_ps = 501;
  const GpuPorts ports = gpu_ports(config, 5, 3);
  ASSERT_EQ(ports.out.size(), 1U);
  EXPECT_EQ(ports.out[0].latency_ps + ports.in.at(0).latency_ps, 501U);
  EXPECT_TRUE(ports.in[0].from_switch);
}

TEST(Topology, TwoLevelHasLinksInsideANodeAndAPortToTheOthers) {
  TopologyConfig config = of_kind(TopologyKind::two_level);
  config.node_size = 3;
  const GpuPorts ports = gpu_ports(config, 6, 4);
  ASSERT_EQ(ports.out.size(), 3U);
  EXPECT_EQ(ports.out[0].gpus, Gpus{5});
  EXPECT_EQ(ports.out[1].gpus, Gpus{3});
  EXPECT_EQ(ports.out[2].gpus, (Gpus{0, 1, 2}));
  EXPECT_EQ(ports.out[2].name, "link.out[outer]");
  EXPECT_EQ(ports.out[2].bandwidth_Bps, config.outer_bandwidth_Bps);
  EXPECT_EQ(ports.out[2].latency_ps, config.outer_latency_ps);
  ASSERT_EQ(ports.in.size(), 2U);
  EXPECT_EQ(ports.in[0].bandwidth_Bps, 0U);
  EXPECT_EQ(ports.in[1].bandwidth_Bps, config.outer_bandwidth_Bps);
}

TEST(Topology, AGpusOwnBandwidthIsNotThatOfTheWayToOtherNodes) {
  TopologyConfig config = of_kind(TopologyKind::two_level);
  config.node_size = 3;
  config.own_bandwidth_Bps[4] = config.link.bandwidth_Bps / 2;
  const GpuPorts ports = gpu_ports(config, 6, 4);
  EXPECT_EQ(ports.out[0].bandwidth_Bps, config.link.bandwidth_Bps / 2);
  EXPECT_EQ(ports.out[2].bandwidth_Bps, config.outer_bandwidth_Bps);
  EXPECT_EQ(ports.in[1].bandwidth_Bps, config.outer_bandwidth_Bps);
}

TEST(Topology, TwoLevelUsesTheLinksOfANodeHoweverNearOtherNodesAre) {
  TopologyConfig config = of_kind(TopologyKind::two_level);
  config.node_size = 3;
  config.outer_latency_ps = config.link.latency_ps / 2;
  const GpuPorts ports = gpu_ports(config, 6, 4);
  EXPECT_EQ(ports.out[0].gpus, Gpus{5});
  EXPECT_EQ(ports.out[1].gpus, Gpus{3});
  EXPECT_EQ(ports.out[2].gpus, (Gpus{0, 1, 2}));
}

TEST(Topology, WhatOneGpuSendsOutAnotherTakesIn) {
  for (TopologyKind kind : kKinds)
    for (std::uint32_t gpus : {2U, 4U, 8U})
      for (std::uint32_t from = 0; from < gpus; ++from)
        for (std::uint16_t to : reached(gpu_ports(of_kind(kind), gpus, static_cast<std::uint16_t>(from)))) {
          int ways = 0;
          for (const WayIn& in : gpu_ports(of_kind(kind), gpus, to).in)
            ways += static_cast<int>(std::count(in.gpus.begin(), in.gpus.end(), from));
          EXPECT_EQ(ways, 1) << "kind " << static_cast<int>(kind) << " from " << from << " to " << to;
        }
}

TEST(Topology, NamesTheGpusOfARouteThatDoesNotExist) {
  EXPECT_EQ(unreachable(of_kind(TopologyKind::ring), 8, {{0, 7}, {1, 0}}), "");
  EXPECT_EQ(unreachable(of_kind(TopologyKind::ring), 8, {{0, 7}, {1, 2}, {1, 3}}),
            "there is no link from GPU 1 to GPU 2: topology.kind ring joins GPU 1 to GPU 0 only");
  EXPECT_EQ(unreachable(of_kind(TopologyKind::bidirectional_ring), 8, {{0, 2}}),
            "there is no link from GPU 0 to GPU 2: topology.kind bidirectional-ring joins GPU 0 to GPU 7 and "
            "GPU 1 only");
  EXPECT_NE(unreachable(of_kind(TopologyKind::switched), 8, {{0, 8}}), "");
  EXPECT_NE(unreachable(of_kind(TopologyKind::switched), 8, {{3, 3}}), "");
}

TEST(Topology, ReachesEveryGpuButInARing) {
  for (TopologyKind kind : {TopologyKind::fully_connected, TopologyKind::switched, TopologyKind::two_level})
    for (std::uint16_t from = 0; from < 8; ++from)
      for (std::uint16_t to = 0; to < 8; ++to)
        EXPECT_EQ(unreachable(of_kind(kind), 8, {{from, to}}).empty(), from != to);
}

TEST(Topology, RefusesSettingsThatDoNotGoTogether) {
  TopologyConfig config = of_kind(TopologyKind::two_level);
  EXPECT_EQ(refusal(config, 8), "");
  EXPECT_NE(refusal(config, 6).find("6 GPUs do not divide into nodes of 4"), std::string::npos);
  config = of_kind(TopologyKind::ring);
  config.shared_port = true;
  EXPECT_NE(refusal(config, 8).find("topology.shared_port"), std::string::npos);
  config = of_kind(TopologyKind::fully_connected);
  config.switched.reduction = SwitchReduction::in_switch;
  EXPECT_NE(refusal(config, 8).find("in-switch needs topology.kind: switch"), std::string::npos);
  config.kind = TopologyKind::switched;
  EXPECT_EQ(refusal(config, 8), "");
}

}  // namespace
}  // namespace t3sim
