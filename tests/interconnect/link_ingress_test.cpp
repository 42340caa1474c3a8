#include "interconnect/link_ingress.h"

#include <gtest/gtest.h>

#include <memory>

#include "interconnect/paper_link.h"

namespace t3sim {
namespace {

// The receiving end, in front of two memory channels of 1 GHz.
class Ingress : public testing::Test, public ChannelClient {
 protected:
  explicit Ingress(std::uint32_t port_bursts = 64) {
    memory.channels = 2;
    memory.port_bursts = port_bursts;
    map = std::make_unique<AddressMap>(memory, 1);
    std::vector<Channel*> all;
    for (unsigned c = 0; c < 2; ++c) {
      channels.push_back(
          std::make_unique<Channel>(memory, c, ChannelWiring{Clock(7), scheduler, *this, *map, 1}));
      scheduler.add(*channels.back());
      all.push_back(channels.back().get());
    }
    const LinkConfig config;
    // GPUs 0 and 1 have links of their own; 2, 3 and 4 share a port; 5 and 6 come from a switch.
    const std::vector<WayIn> ways{{"link.in", 0, config.latency_ps, false, {0, 1}},
                                  {"link.in[outer]", 25'000'000'000, 2 * config.latency_ps, false, {2, 3, 4}},
                                  {"link.in[switch]", 75'000'000'000, config.latency_ps / 2, true, {5, 6}}};
    link = std::make_unique<LinkIngress>(config, ways, LinkWiring{paper_time(), scheduler, outbox},
                                         MemoryPorts{*map, all, 1});
    scheduler.add(*link);
  }
  std::uint64_t address_in(unsigned channel, unsigned n) const {
    for (std::uint64_t address = 0;; address += kLineBytes)
      if (map->channel(address) == channel && n-- == 0) return address;
  }
  void deliver(std::uint64_t address, Tick at, std::uint8_t sectors = kFullLine, std::uint16_t from = 0) {
    Request r = packet(sectors);
    r.source = from;
    r.address = address;
    link->deliver(r, at);
  }
  bool may_enqueue(const Request&) override { return false; }  // what is remote is never asked
  void enqueued(const Request& r, Tick now) override { entered.push_back({now, r}); }
  void performed(Request&, Tick) override {}
  void read_done(const Request&, Tick) override {}
  void port_free(unsigned channel, unsigned, Tick now) override { link->channel_free(channel, now); }

  MemoryConfig memory;
  Scheduler scheduler;
  Outbox outbox;
  std::unique_ptr<AddressMap> map;
  std::vector<std::unique_ptr<Channel>> channels;
  std::unique_ptr<LinkIngress> link;
  std::vector<Outbox::Packet> entered;
};

class NarrowIngress : public Ingress {
 protected:
  NarrowIngress() : Ingress(4) {}
};

TEST_F(Ingress, HandsPacketsToTheirControllerAsCommunicationFromAfar) {
  Request r = packet(0b0011);
  r.address = address_in(1, 5);
  r.tracked = true;
  link->deliver(r, 100);
  scheduler.run();
  ASSERT_EQ(entered.size(), 1U);
  EXPECT_EQ(entered[0].request.address, address_in(1, 5));
  EXPECT_EQ(entered[0].request.stream, Stream::communication);
  EXPECT_TRUE(entered[0].request.remote);
  EXPECT_GT(entered[0].at, 100U);
  EXPECT_LE(entered[0].at, 100U + 2 * 7);
  EXPECT_EQ(link->stats().bytes, 64U);
}

TEST_F(Ingress, ReturnsCreditForTheBytesWithTheLinksLatency) {
  deliver(address_in(0, 0), 100, 0b0111);
  scheduler.run();
  ASSERT_EQ(outbox.credits.size(), 1U);
  EXPECT_EQ(outbox.credits[0].bytes, 96U);
  EXPECT_EQ(outbox.credits[0].at, 100 + kLatency);
}

TEST_F(NarrowIngress, KeepsCreditBackWhileTheControllerHasNoRoomAndLosesNothing) {
  for (unsigned i = 0; i < 200; ++i) deliver(address_in(0, i), 100);
  scheduler.run_until(110);
  EXPECT_LT(outbox.credits.size(), 5U);
  EXPECT_FALSE(link->idle());
  scheduler.run();
  EXPECT_EQ(entered.size(), 200U);
  std::uint64_t returned = 0;
  for (const auto& credit : outbox.credits) returned += credit.bytes;
  EXPECT_EQ(returned, 200U * 128);
  EXPECT_EQ(link->stats().peak_bytes, 199U * 128);  // the first one was handed on at once
  EXPECT_TRUE(link->idle());
}

TEST_F(NarrowIngress, LetsNoBusyControllerHoldUpTheOther) {
  for (unsigned i = 0; i < 200; ++i) deliver(address_in(0, i), 100);
  deliver(address_in(1, 0), 101);
  scheduler.run_until(101 + 3 * 7);
  bool arrived = false;
  for (const auto& p : entered) arrived = arrived || p.request.address == address_in(1, 0);
  EXPECT_TRUE(arrived);
}

TEST_F(NarrowIngress, KeepsTheOrderOfPacketsToOneController) {
  for (unsigned i = 0; i < 50; ++i) deliver(address_in(0, i), 100 + i);
  scheduler.run();
  ASSERT_EQ(entered.size(), 50U);
  for (unsigned i = 0; i < 50; ++i) EXPECT_EQ(entered[i].request.address, address_in(0, i));
}

TEST_F(Ingress, ReturnsCreditToTheGpuThatThePacketCameFromWithItsLatency) {
  deliver(address_in(0, 0), 100, kFullLine, 1);
  deliver(address_in(0, 1), 200, kFullLine, 3);
  deliver(address_in(0, 2), 300, kFullLine, 6);
  scheduler.run();
  ASSERT_EQ(outbox.credits.size(), 3U);
  const Tick expected[] = {100 + kLatency, 200 + 2 * kLatency, 300 + kLatency / 2};
  const std::uint16_t gpus[] = {1, 3, 6};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(outbox.credits[i].gpu, gpus[i]);
    EXPECT_EQ(outbox.credits[i].at, expected[i]);
  }
}

TEST_F(Ingress, TakesPacketsOfSeveralLinksAtOnce) {
  for (unsigned i = 0; i < 20; ++i) deliver(address_in(0, i), 100, kFullLine, 0);
  for (unsigned i = 0; i < 20; ++i) deliver(address_in(1, i), 90, kFullLine, 1);
  scheduler.run_until(110);
  EXPECT_EQ(link->stats().bytes, 40U * 128);
  scheduler.run();
  EXPECT_EQ(entered.size(), 40U);
}

// Three GPUs send as fast as their ports can: the port in takes as long as for one of them.
TEST_F(Ingress, LimitsASharedPortToItsBandwidth) {
  constexpr unsigned kPackets = 30;
  for (const std::uint16_t from : Gpus{2, 3, 4})
    for (unsigned i = 0; i < kPackets; ++i)
      deliver(address_in(i % 2, i), 1000 + line_ticks(i, 25), kFullLine, from);
  const Tick end = 1000 + line_ticks(3 * kPackets - 1, 25);  // the first one has come in already
  scheduler.run_until(end);
  EXPECT_EQ(link->stats().bytes, (3 * kPackets - 1) * 128);
  scheduler.run_until(end + 1);
  EXPECT_EQ(link->stats().bytes, 3 * kPackets * 128);
  scheduler.run();
  link->for_each_shared_port([&](const std::string& name, Tick busy) {
    EXPECT_EQ(name, "link.in[outer]");
    EXPECT_EQ(busy, line_ticks(3 * kPackets, 25));
  });
}

TEST_F(Ingress, LetsAnIdleSharedPortCostNothing) {
  deliver(address_in(0, 0), 1000, kFullLine, 2);
  deliver(address_in(0, 1), 1000 + line_ticks(1, 25), kFullLine, 2);
  scheduler.run();
  ASSERT_EQ(outbox.credits.size(), 2U);
  EXPECT_EQ(outbox.credits[0].at, 1000 + 2 * kLatency);
  EXPECT_EQ(outbox.credits[1].at, 1000 + line_ticks(1, 25) + 2 * kLatency);
}

TEST_F(Ingress, TakesTheGpusOfASharedPortInTurn) {
  for (unsigned i = 0; i < 3; ++i) deliver(address_in(0, i), 1000, kFullLine, 2);
  for (unsigned i = 3; i < 6; ++i) deliver(address_in(0, i), 1000, kFullLine, 4);
  scheduler.run();
  std::vector<std::uint16_t> order;
  for (const auto& credit : outbox.credits) order.push_back(credit.gpu);
  EXPECT_EQ(order, (std::vector<std::uint16_t>{2, 4, 2, 4, 2, 4}));
}

TEST_F(Ingress, DoesNotLimitLinksByASharedPortBesideThem) {
  for (unsigned i = 0; i < 20; ++i) deliver(address_in(0, i), 1000, kFullLine, 2);
  deliver(address_in(1, 0), 1001, kFullLine, 0);
  scheduler.run_until(1002);
  EXPECT_EQ(link->stats().bytes, 2U * 128);
  EXPECT_NE(link->describe_waiting().find("link.in[outer]: 18 packets from GPU 2 wait for the port\n"),
            std::string::npos)
      << link->describe_waiting();
}

TEST_F(NarrowIngress, SaysWhoWaitsForWhichController) {
  for (unsigned i = 0; i < 30; ++i) deliver(address_in(1, i), 100, kFullLine, 1);
  scheduler.run_until(101);
  EXPECT_NE(link->describe_waiting().find("packets, the first from GPU 1, wait for memory controller 1\n"),
            std::string::npos)
      << link->describe_waiting();
}

}  // namespace
}  // namespace t3sim
