#include "interconnect/link.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace t3sim {
namespace {

TimeBase paper_time() {
  constexpr std::array<std::uint64_t, 2> clocks{1'400'000'000, 1'000'000'000};
  return TimeBase(clocks);
}

Request packet(std::uint8_t sectors = kFullLine, std::uint32_t token = 0) {
  Request r;
  r.op = Op::update;
  r.sectors = sectors;
  r.token = token;
  return r;
}

class Waiting final : public Sender {
 public:
  void granted(Tick now) override { at.push_back(now); }
  std::vector<Tick> at;
};

// The sending end alone; what leaves is in the outbox.
class Egress : public testing::Test {
 protected:
  static LinkConfig wide() {
    LinkConfig config;
    config.buffer_bytes = 1ULL << 40;
    return config;
  }
  void build(const LinkConfig& config) {
    link = std::make_unique<LinkEgress>(
        config, paper_time(), scheduler, outbox, [this](Tick now) { dma_sent.push_back(now); },
        [this](Tick now) { store_sent.push_back(now); }, 0);
    scheduler.add(*link);
  }
  void store(std::uint32_t token, Tick ready) {
    ASSERT_TRUE(link->store_input().take(waiting));
    link->push_store(packet(kFullLine, token), ready);
  }
  std::vector<std::uint32_t> tokens() const {
    std::vector<std::uint32_t> out;
    for (const auto& p : outbox.packets) out.push_back(p.request.token);
    return out;
  }

  Scheduler scheduler;
  Outbox outbox;
  Waiting waiting;
  std::vector<Tick> dma_sent, store_sent;
  std::unique_ptr<LinkEgress> link;
};

constexpr Tick kLatency = 3500;  // 500 ns at 7 GHz

// 128 B at 75 GB/s are 11.9467 ticks: rounding each packet up would lose 0.4 %.
TEST_F(Egress, SerialisesManyPacketsWithoutDrift) {
  build(wide());
  constexpr std::uint64_t kPackets = 75'000;
  for (std::uint64_t i = 0; i < kPackets; ++i) link->push_dma(packet(), 1);
  scheduler.run();
  ASSERT_EQ(outbox.packets.size(), kPackets);
  EXPECT_EQ(outbox.packets.back().at, 1 + kPackets * 128 * 7 / 75 + kLatency);
  for (std::uint64_t i = 1; i < kPackets; ++i) {
    const Tick gap = outbox.packets[i].at - outbox.packets[i - 1].at;
    ASSERT_TRUE(gap == 11 || gap == 12) << gap;
  }
  EXPECT_EQ(link->stats().busy, kPackets * 128 * 7 / 75);
  EXPECT_EQ(link->stats().bytes, kPackets * 128);
}

TEST_F(Egress, StaysExactForPacketsOfDifferentSizes) {
  build(wide());
  std::uint64_t bytes = 0;
  for (unsigned i = 0; i < 30'000; ++i) {
    const Request r = packet(static_cast<std::uint8_t>(1 + i % 15));
    bytes += request_bytes(r);
    link->push_dma(r, 1);
  }
  scheduler.run();
  EXPECT_EQ(outbox.packets.back().at, 1 + (bytes * 7 + 74) / 75 + kLatency);
}

TEST_F(Egress, DeliversAPacketWhenItsLastByteHasCrossed) {
  build(wide());
  link->push_dma(packet(), 100);
  scheduler.run();
  EXPECT_EQ(outbox.packets.at(0).at, 100 + 12 + kLatency);
}

TEST_F(Egress, StartsAfreshAfterAGap) {
  build(wide());
  link->push_dma(packet(), 100);
  link->push_dma(packet(), 100);
  scheduler.run();
  link->push_dma(packet(), 1000);
  scheduler.run();
  EXPECT_EQ(outbox.packets.at(1).at, 100 + 24 + kLatency);
  EXPECT_EQ(outbox.packets.at(2).at, 1000 + 12 + kLatency);
}

TEST_F(Egress, SendsNothingBeforeItIsReady) {
  build(wide());
  store(1, 500);
  link->push_dma(packet(kFullLine, 2), 20);
  scheduler.run();
  EXPECT_EQ(tokens(), (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(store_sent, std::vector<Tick>{500});
}

TEST_F(Egress, AddsTheHeaderToTheTimeButNotToTheBytes) {
  LinkConfig config = wide();
  config.header_bytes = 22;  // 150 bytes a packet: 14 ticks
  build(config);
  for (int i = 0; i < 100; ++i) link->push_dma(packet(), 1);
  scheduler.run();
  EXPECT_EQ(outbox.packets.back().at, 1 + 1400 + kLatency);
  EXPECT_EQ(link->stats().bytes, 12'800U);
}

TEST_F(Egress, AlternatesBetweenStoresAndDma) {
  build(wide());
  for (std::uint32_t i = 0; i < 5; ++i) {
    store(i, 1);
    link->push_dma(packet(kFullLine, 100 + i), 1);
  }
  scheduler.run();
  EXPECT_EQ(tokens(), (std::vector<std::uint32_t>{0, 100, 1, 101, 2, 102, 3, 103, 4, 104}));
}

TEST_F(Egress, GivesTheWholeLinkToOneWhenTheOtherHasNothing) {
  build(wide());
  for (std::uint32_t i = 0; i < 3; ++i) link->push_dma(packet(kFullLine, 100 + i), 1);
  store(1, 30);
  scheduler.run();
  EXPECT_EQ(tokens(), (std::vector<std::uint32_t>{100, 101, 102, 1}));
  EXPECT_EQ(outbox.packets.back().at, 1 + 48 + kLatency);
}

TEST_F(Egress, StopsWithoutCreditAndGoesOnWhenItComesBack) {
  LinkConfig config = wide();
  config.buffer_bytes = 256;
  build(config);
  for (std::uint32_t i = 0; i < 4; ++i) link->push_dma(packet(kFullLine, i), 1);
  link->credit(64, 5000);
  link->credit(64, 6000);
  scheduler.run();
  ASSERT_EQ(tokens(), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(dma_sent.back(), 6000U);  // two credits of half a packet
  EXPECT_EQ(link->stats().wait_credit, 6000U - 25);
  EXPECT_FALSE(link->idle());
  EXPECT_EQ(link->describe_waiting(), "link out: 0 stores and 1 DMA packets queued, 0 bytes of credit\n");
  link->credit(128, 9000);
  scheduler.run();
  EXPECT_EQ(dma_sent.back(), 9000U);
  EXPECT_TRUE(link->idle());
}

TEST_F(Egress, FreesAStorePlaceWhenTheStoreLeaves) {
  LinkConfig config = wide();
  config.store_queue = 2;
  build(config);
  store(0, 1);
  store(1, 1);
  EXPECT_FALSE(link->store_input().take(waiting));
  scheduler.run();
  EXPECT_EQ(waiting.at, std::vector<Tick>{1});  // the first one's turn
}

// The receiving end, in front of two memory channels of 1 GHz.
class Ingress : public testing::Test, public ChannelClient {
 protected:
  explicit Ingress(std::uint32_t port_bursts = 64) {
    memory.channels = 2;
    memory.port_bursts = port_bursts;
    map = std::make_unique<AddressMap>(memory, 1);
    std::vector<Channel*> all;
    for (unsigned c = 0; c < 2; ++c) {
      channels.push_back(std::make_unique<Channel>(memory, c, Clock(7), scheduler, *this, *map, 1));
      scheduler.add(*channels.back());
      all.push_back(channels.back().get());
    }
    link = std::make_unique<LinkIngress>(LinkConfig{}, paper_time(), scheduler, *map, all, 1, outbox);
    scheduler.add(*link);
  }
  std::uint64_t address_in(unsigned channel, unsigned n) const {
    for (std::uint64_t address = 0;; address += kLineBytes)
      if (map->channel(address) == channel && n-- == 0) return address;
  }
  void deliver(std::uint64_t address, Tick at, std::uint8_t sectors = kFullLine) {
    Request r = packet(sectors);
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
  EXPECT_EQ(link->bytes(), 64U);
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
  EXPECT_EQ(link->peak_bytes(), 199U * 128);  // the first one was handed on at once
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

}  // namespace
}  // namespace t3sim
