#include "interconnect/link_egress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "interconnect/paper_link.h"

namespace t3sim {
namespace {

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
  // To GPUs 7, 8, ..., by default each with a buffer of its own.
  void build(const LinkConfig& config, unsigned gpus = 1, std::vector<std::uint32_t> channels = {}) {
    PortSpec port{"link.out", config.bandwidth_Bps, config.latency_ps,
                  {},         config.buffer_bytes,  config.header_bytes};
    for (unsigned i = 0; i < gpus; ++i) port.gpus.push_back(static_cast<std::uint16_t>(7 + i));
    port.channels = std::move(channels);
    link = std::make_unique<LinkEgress>(
        config, port, LinkWiring{paper_time(), scheduler, outbox},
        EgressListener{[this](const Request&, Tick now) { dma_sent.push_back(now); },
                       [this](const Request&, Tick now) { store_sent.push_back(now); }});
    scheduler.add(*link);
  }
  void store(std::uint32_t token, Tick ready, LinkEgress::Lane lane = 0) {
    ASSERT_TRUE(link->store_input(lane).take(waiting));
    link->push_store(lane, packet(kFullLine, token), ready);
  }
  void dma(std::uint32_t token, LinkEgress::Lane lane = 0) {
    link->push_dma(lane, packet(kFullLine, token), 1);
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

// 128 B at 75 GB/s are 11.9467 ticks: rounding each packet up would lose 0.4 %.
TEST_F(Egress, SerialisesManyPacketsWithoutDrift) {
  build(wide());
  constexpr std::uint64_t kPackets = 75'000;
  for (std::uint64_t i = 0; i < kPackets; ++i) link->push_dma(0, packet(), 1);
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
    link->push_dma(0, r, 1);
  }
  scheduler.run();
  EXPECT_EQ(outbox.packets.back().at, 1 + (bytes * 7 + 74) / 75 + kLatency);
}

TEST_F(Egress, SendsWhatGoesAlongBeforeTheNextPacketAndOnAnIdleWireForNothing) {
  build(wide());
  link->send_along(75, 50);  // idle
  for (unsigned i = 0; i < 2; ++i) link->push_dma(0, packet(), 100);
  scheduler.run_until(101);
  link->send_along(75, 101);  // the first packet is under way
  scheduler.run();
  EXPECT_EQ(outbox.packets[0].at, 100 + 12 + kLatency);
  EXPECT_EQ(outbox.packets[1].at, 100 + (331 * 7 + 74) / 75 + kLatency);
  EXPECT_EQ(link->stats().bytes, 256U) << "of packets";
}

TEST_F(Egress, DeliversAPacketWhenItsLastByteHasCrossed) {
  build(wide());
  link->push_dma(0, packet(), 100);
  scheduler.run();
  EXPECT_EQ(outbox.packets.at(0).at, 100 + 12 + kLatency);
}

TEST_F(Egress, StartsAfreshAfterAGap) {
  build(wide());
  link->push_dma(0, packet(), 100);
  link->push_dma(0, packet(), 100);
  scheduler.run();
  link->push_dma(0, packet(), 1000);
  scheduler.run();
  EXPECT_EQ(outbox.packets.at(1).at, 100 + 24 + kLatency);
  EXPECT_EQ(outbox.packets.at(2).at, 1000 + 12 + kLatency);
}

TEST_F(Egress, SendsNothingBeforeItIsReady) {
  build(wide());
  store(1, 500);
  link->push_dma(0, packet(kFullLine, 2), 20);
  scheduler.run();
  EXPECT_EQ(tokens(), (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(store_sent, std::vector<Tick>{500});
}

TEST_F(Egress, AddsTheHeaderToTheTimeButNotToTheBytes) {
  LinkConfig config = wide();
  config.header_bytes = 22;  // 150 bytes a packet: 14 ticks
  build(config);
  for (int i = 0; i < 100; ++i) link->push_dma(0, packet(), 1);
  scheduler.run();
  EXPECT_EQ(outbox.packets.back().at, 1 + 1400 + kLatency);
  EXPECT_EQ(link->stats().bytes, 12'800U);
}

TEST_F(Egress, AddsTheTrackersMetadataToTrackedPackets) {
  LinkConfig config = wide();
  config.metadata_bytes = 22;
  build(config);
  Request tracked = packet();
  tracked.tracked = true;
  for (int i = 0; i < 100; ++i) link->push_dma(0, tracked, 1);
  scheduler.run();
  EXPECT_EQ(outbox.packets.back().at, 1 + 1400 + kLatency);
}

TEST_F(Egress, AddsNoMetadataToOtherPackets) {
  LinkConfig config = wide();
  config.metadata_bytes = 22;
  build(config);
  for (int i = 0; i < 100; ++i) link->push_dma(0, packet(), 1);
  scheduler.run();
  EXPECT_EQ(outbox.packets.back().at, 1 + line_ticks(100) + kLatency);
}

TEST_F(Egress, AlternatesBetweenStoresAndDma) {
  build(wide());
  for (std::uint32_t i = 0; i < 5; ++i) {
    store(i, 1);
    link->push_dma(0, packet(kFullLine, 100 + i), 1);
  }
  scheduler.run();
  EXPECT_EQ(tokens(), (std::vector<std::uint32_t>{0, 100, 1, 101, 2, 102, 3, 103, 4, 104}));
}

TEST_F(Egress, GivesTheWholeLinkToOneWhenTheOtherHasNothing) {
  build(wide());
  for (std::uint32_t i = 0; i < 3; ++i) link->push_dma(0, packet(kFullLine, 100 + i), 1);
  store(1, 30);
  scheduler.run();
  EXPECT_EQ(tokens(), (std::vector<std::uint32_t>{100, 101, 102, 1}));
  EXPECT_EQ(outbox.packets.back().at, 1 + 48 + kLatency);
}

TEST_F(Egress, StopsWithoutCreditAndGoesOnWhenItComesBack) {
  LinkConfig config = wide();
  config.buffer_bytes = 256;
  build(config);
  for (std::uint32_t i = 0; i < 4; ++i) link->push_dma(0, packet(kFullLine, i), 1);
  link->credit(0, 64, 5000);
  link->credit(0, 64, 6000);
  scheduler.run();
  ASSERT_EQ(tokens(), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(dma_sent.back(), 6000U);  // two credits of half a packet
  EXPECT_EQ(link->stats().wait_credit, 6000U - 25);
  EXPECT_FALSE(link->idle());
  EXPECT_EQ(link->describe_waiting(),
            "link.out: 0 stores and 1 DMA packets wait for GPU 7, 0 bytes of credit\n");
  link->credit(0, 128, 9000);
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
  EXPECT_FALSE(link->store_input(0).take(waiting));
  scheduler.run();
  EXPECT_EQ(waiting.at, std::vector<Tick>{1});  // the first one's turn
}

TEST_F(Egress, TakesItsGpusInTurn) {
  build(wide(), 3);
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t lane = 0; lane < 3; ++lane) dma(10 * lane + i, lane);
  scheduler.run();
  EXPECT_EQ(tokens(), (std::vector<std::uint32_t>{0, 10, 20, 1, 11, 21, 2, 12, 22}));
}

TEST_F(Egress, GivesAPortToOneGpuWhenTheOthersHaveNothing) {
  build(wide(), 3);
  for (std::uint32_t i = 0; i < 1000; ++i) dma(i, 1);
  scheduler.run();
  EXPECT_EQ(outbox.packets.back().at, 1 + line_ticks(1000) + kLatency);
}

TEST_F(Egress, SharesThePortsBandwidth) {
  build(wide(), 4);
  for (std::uint32_t i = 0; i < 250; ++i)
    for (unsigned lane = 0; lane < 4; ++lane) dma(lane, lane);
  scheduler.run();
  EXPECT_EQ(outbox.packets.back().at, 1 + line_ticks(1000) + kLatency);
}

TEST_F(Egress, PassesOverAGpuWhoseBufferIsFull) {
  LinkConfig config = wide();
  config.buffer_bytes = 256;
  build(config, 2);
  for (std::uint32_t i = 0; i < 6; ++i) {
    dma(i, 0);
    dma(10 + i, 1);
    link->credit(1, 128, 1);
  }
  scheduler.run();
  EXPECT_EQ(tokens(), (std::vector<std::uint32_t>{0, 10, 1, 11, 12, 13, 14, 15}));
  EXPECT_EQ(link->describe_waiting(),
            "link.out: 0 stores and 4 DMA packets wait for GPU 7, 0 bytes of credit\n");
}

// GPUs behind one switch, say: what is in the buffer there for the one leaves less for the other.
TEST_F(Egress, SharesABufferBetweenTheGpusOfAChannel) {
  LinkConfig config = wide();
  config.buffer_bytes = 256;
  build(config, 2, {0, 0});
  for (std::uint32_t i = 0; i < 2; ++i) {
    dma(i, 0);
    dma(10 + i, 1);
  }
  scheduler.run();
  EXPECT_EQ(tokens(), (std::vector<std::uint32_t>{0, 10}));
  link->credit(1, 128, 5000);
  scheduler.run();
  EXPECT_EQ(tokens(), (std::vector<std::uint32_t>{0, 10, 1}));
}

TEST_F(Egress, HasPlacesForStoresToEachGpu) {
  LinkConfig config = wide();
  config.store_queue = 1;
  build(config, 2);
  store(0, 1, 0);
  EXPECT_FALSE(link->store_input(0).take(waiting));
  store(1, 1, 1);
  scheduler.run();
  EXPECT_EQ(tokens(), (std::vector<std::uint32_t>{0, 1}));
}

}  // namespace
}  // namespace t3sim
