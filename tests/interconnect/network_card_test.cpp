// Puts by network cards, over a real network: order, rate, queues, a card shared by GPUs.
#include "interconnect/network_card.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "interconnect/small_net.h"

namespace t3sim {
namespace {

constexpr Tick kDoorbell = 3500;         // from a poster to the card
constexpr Tick kAcknowledgement = 7000;  // from the last byte back to the card

// Two pairs of GPUs, each with a card that its GPUs share, joined by a switch. What GPU 1 sends takes longer.
TopologyConfig two_cards(std::uint32_t queue = 1000, std::uint64_t put_time_ps = 0) {
  TopologyConfig config;
  config.kind = TopologyKind::graph;
  config.vertices["card[0-1]"] = {VertexKind::card, 500'000, {}};
  config.vertices["net"] = {};
  config.card = {queue, put_time_ps, 0, CardPuts::none};
  const auto link = [&](const std::string& from, const std::string& to, std::uint64_t GBps,
                        std::uint64_t ns) {
    LinkSpec spec;
    spec.from = from;
    spec.to = to;
    spec.bandwidth_Bps = GBps * 1'000'000'000;
    spec.latency_ps = ns * 1000;
    config.links.push_back(spec);
  };
  link("gpu0", "card0", 50, 500);
  link("gpu1", "card0", 50, 5000);
  link("gpu[2-3]", "card1", 50, 500);
  link("card[0-1]", "net", 25, 1000);
  return config;
}

// GPUs that send what card 0 starts, and acknowledge what has come.
class PutNet : private CardClient {
 public:
  explicit PutNet(const TopologyConfig& config)
      : net(config, 4), card(*net.fabric->network()->cards().find("card0")) {
    card.tell(*this);
  }

  std::uint32_t post(Put put, Tick at = 1) {
    put.number = static_cast<std::uint32_t>(puts.size());
    puts.push_back(put);
    missing.push_back(0);
    card.post(put, at + kDoorbell);
    return put.number;
  }
  void run() {
    while (step()) {
    }
  }

  SmallNet net;
  NetworkCard& card;
  std::vector<Put> puts;
  std::vector<std::uint64_t> missing;
  std::map<std::uint32_t, Tick> started, arrived, done;
  std::vector<std::uint32_t> order;  // of arrivals

 private:
  bool step() {
    if (!net.step()) return false;
    for (const auto& [put, at] : std::exchange(to_send_, {})) send(put, at);
    for (auto& gpu : net.gpus) take(*gpu);
    return true;
  }
  void put_started(NetworkCard&, const Put& put, Tick now) override {
    started[put.number] = now;
    if (put.kind != Put::Kind::fence) to_send_.emplace_back(put, now);
  }
  void put_done(NetworkCard&, const Put& put, Tick now) override { done[put.number] = now; }
  void send(const Put& put, Tick at) {
    missing[put.number] = (put.bytes + 127) / 128;
    for (std::uint64_t i = 0; i < missing[put.number]; ++i)
      net.gpus[put.from]->send(put.to, packet(kFullLine, put.number), at + kDoorbell);
  }
  void take(NetGpu& gpu) {
    for (const NetGpu::Arrived& a : gpu.arrived) {
      if (--missing[a.token] != 0) continue;
      arrived[a.token] = a.at;
      order.push_back(a.token);
      card.acknowledge(puts[a.token], a.at + kAcknowledgement);
    }
    gpu.arrived.clear();
  }

  std::vector<std::pair<Put, Tick>> to_send_;
};

Put put(std::uint16_t from, std::uint16_t to, std::uint64_t bytes, std::uint16_t poster = 0) {
  return {Put::Kind::data, poster, from, to, bytes, 0};
}
Put flag(std::uint16_t from, std::uint16_t to) { return {Put::Kind::flag, 0, from, to, 32, 0}; }
Put fence() { return {Put::Kind::fence, 0, 0, 2, 0, 0}; }

TEST(NetworkCard, TakesDoorbellWayAndSerialisationForAPut) {
  PutNet net(two_cards());
  const auto a = net.post(put(0, 2, 128));
  net.run();
  // To the card; the word to read; two links of 500 ns, two of 1 us, two cards of 500 ns; 128 bytes at 50 GB/s.
  const double ns = 500 + 500 + 2 * 500 + 2 * 1000 + 2 * 500 + 128 / 50.0;
  EXPECT_NEAR(static_cast<double>(net.arrived.at(a)) / 7, ns, 0.02 * ns);
  EXPECT_TRUE(net.card.idle());
}

TEST(NetworkCard, KeepsPutsOfAPairInOrder) {
  PutNet net(two_cards());
  std::vector<std::uint32_t> posted;
  for (int i = 0; i < 20; ++i) posted.push_back(net.post(put(0, 2, 128 * (1 + (i * 7) % 13))));
  net.run();
  EXPECT_EQ(net.order, posted);
}

TEST(NetworkCard, LetsAShortWayOvertakeALongOne) {
  PutNet net(two_cards());
  const auto far = net.post(put(1, 2, 128)), near = net.post(put(0, 2, 128));
  net.run();
  EXPECT_LT(net.arrived.at(near), net.arrived.at(far));
}

TEST(NetworkCard, StartsWhatFollowsAFenceWhenAllBeforeItHasArrived) {
  PutNet net(two_cards());
  const auto far = net.post(put(1, 2, 1 << 16)), other = net.post(put(0, 3, 128));
  const auto f = net.post(fence());
  const auto after = net.post(put(0, 2, 128));
  net.run();
  EXPECT_GE(net.started.at(f), net.arrived.at(far) + kAcknowledgement);
  EXPECT_GE(net.started.at(f), net.arrived.at(other) + kAcknowledgement);
  EXPECT_GT(net.started.at(after), net.started.at(f));
  EXPECT_GT(net.card.stats().waited_for_order, 0U);
}

TEST(NetworkCard, DeliversAFlagBehindTheDataOfItsWayWithoutWaiting) {
  PutNet net(two_cards());
  const auto data = net.post(put(0, 2, 1 << 16)), raised = net.post(flag(0, 2));
  net.run();
  EXPECT_GT(net.arrived.at(raised), net.arrived.at(data));
  EXPECT_LT(net.started.at(raised), net.arrived.at(data));
}

TEST(NetworkCard, DeliversAFlagBehindDataThatComesAnotherWay) {
  PutNet net(two_cards());
  const auto data = net.post(put(1, 2, 1 << 16)), raised = net.post(flag(0, 2));
  net.run();
  EXPECT_GE(net.started.at(raised), net.arrived.at(data) + kAcknowledgement);
}

TEST(NetworkCard, SendsAFlagAtOncePastDataForAnotherGpu) {
  PutNet net(two_cards());
  const auto data = net.post(put(1, 3, 1 << 16)), raised = net.post(flag(0, 2));
  net.run();
  EXPECT_LT(net.arrived.at(raised), net.arrived.at(data));
}

TEST(NetworkCard, StartsAPutAtATimeAtItsRate) {
  PutNet net(two_cards(1000, 100'000));
  for (int i = 0; i < 101; ++i) net.post(put(0, 2, 32));
  net.run();
  EXPECT_EQ(net.started.at(100) - net.started.at(0), 100U * 700);
}

// Two GPUs share the card: in turn, and together at the rate of its port.
TEST(NetworkCard, IsSharedByItsGpus) {
  PutNet net(two_cards());
  constexpr std::uint64_t kBytes = 1 << 19;
  for (const std::uint16_t g : Gpus{0, 1}) net.post(put(g, static_cast<std::uint16_t>(g + 2), kBytes, g));
  net.run();
  const Tick last = std::max(net.arrived.at(0), net.arrived.at(1));
  const double ns = 500 + 500 + 1000 + 2000 + 1000 + 2.0 * kBytes / 25;
  EXPECT_NEAR(static_cast<double>(last) / 7, ns, 0.02 * ns);
}

TEST(NetworkCard, DoesNotLetAPostersFenceHoldUpAnother) {
  PutNet net(two_cards());
  const auto far = net.post(put(1, 2, 1 << 16));
  net.post(fence());
  const auto other = net.post(put(0, 3, 128, 1));
  net.run();
  EXPECT_LT(net.started.at(other), net.arrived.at(far));
}

TEST(NetworkCard, HasAPlaceForAPutUntilItIsDone) {
  PutNet net(two_cards(2));
  net.post(put(0, 2, 128));
  net.post(put(0, 2, 128));
  EXPECT_THROW(net.post(put(0, 2, 128)), CheckError);
  net.puts.pop_back();
  net.missing.pop_back();
  net.run();
  EXPECT_EQ(net.done.size(), 2U);
  net.post(put(0, 2, 128), 1'000'000);
  net.run();
  EXPECT_EQ(net.done.size(), 3U);
}

TEST(NetworkCard, SaysWhatItHolds) {
  PutNet net(two_cards());
  net.post(put(0, 2, 128));
  EXPECT_EQ(net.net.fabric->describe_waiting(), "card0: 1 puts of poster 0 wait, 0 are under way\n");
}

}  // namespace
}  // namespace t3sim
