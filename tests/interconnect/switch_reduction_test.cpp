// In-switch reduction (section 7.4) between whole GPUs.
#include <gtest/gtest.h>

#include <map>

#include "interconnect/small_net.h"

namespace t3sim {
namespace {

constexpr std::uint32_t kGpus = 4;
constexpr std::uint32_t kLines = 1000;

TopologyConfig reducing(std::uint64_t table_lines = 1 << 20) {
  TopologyConfig config;
  config.kind = TopologyKind::switched;
  config.switched = {SwitchReduction::in_switch, table_lines};
  return config;
}
SmallNet::Options options(std::uint32_t expected = kGpus - 1) {
  SmallNet::Options o;
  o.functional = true;
  o.updates_expected = [expected](const Request&) { return expected; };
  return o;
}
// GPU `from` updates every line of GPU 0, one each `gap` ticks from tick `start` on, with 100 from + line.
void update_all(SmallNet& net, std::uint16_t from, Tick start = 1, Tick gap = 0) {
  for (std::uint32_t i = 0; i < kLines; ++i) {
    Request r = packet();
    r.tracked = true;
    r.address = i * kLineBytes;
    r.payload = net.gpus[from]->pool()->allocate();
    (*net.gpus[from]->pool())[r.payload].fill(100 * from + static_cast<int>(i));
    net.gpus[from]->send(0, r, start + i * gap);
  }
}
void expect_sums(SmallNet& net) {
  for (std::uint32_t i = 0; i < kLines; ++i)
    for (unsigned e : {0U, 63U})
      ASSERT_EQ(net.gpus[0]->sums.element(i * kLineBytes + e * kElementBytes), 600 + 3 * static_cast<int>(i))
          << i;
  std::uint64_t updates = 0;
  for (const auto& a : net.gpus[0]->arrived) updates += a.updates;
  EXPECT_EQ(updates, 3U * kLines);
  EXPECT_EQ(net.sent_bytes(), net.received_bytes() + net.fabric->absorbed_bytes(0));
  for (const auto& gpu : net.gpus) EXPECT_EQ(gpu->live_payloads(), 0U);
  EXPECT_TRUE(net.fabric->idle());
}

TEST(SwitchReduction, SendsEachLineOnceAsTheSum) {
  SmallNet net(reducing(), kGpus, options());
  for (const std::uint16_t g : Gpus{1, 2, 3}) update_all(net, g);
  net.run();
  EXPECT_EQ(net.gpus[0]->arrived.size(), kLines);
  EXPECT_EQ(net.fabric->absorbed_bytes(0), 2U * kLines * 128);
  expect_sums(net);
}

// Three GPUs to one as fast as their own ports: without reduction it takes three times as long.
TEST(SwitchReduction, RelievesThePortOfTheReceiver) {
  SmallNet net(reducing(), kGpus, options());
  for (const std::uint16_t g : Gpus{1, 2, 3}) update_all(net, g);
  net.run();
  EXPECT_TRUE(close(net.last_arrival(0), 1 + line_ticks(kLines) + kLatency));
}

TEST(SwitchReduction, WaitsForTheSlowestSender) {
  SmallNet net(reducing(), kGpus, options());
  update_all(net, 1);
  update_all(net, 2, 1, 5);
  update_all(net, 3, 50'000, 20);
  net.run();
  EXPECT_EQ(net.gpus[0]->arrived.size(), kLines);
  EXPECT_EQ(net.last_arrival(0), 50'000 + 20 * (kLines - 1) + line_ticks(1) + kLatency);
  expect_sums(net);
}

TEST(SwitchReduction, LetsPacketsPassWhileItsTableIsFull) {
  SmallNet net(reducing(64), kGpus, options());
  update_all(net, 1);
  update_all(net, 2, 1, 5);
  update_all(net, 3, 30'000, 20);
  net.run();
  EXPECT_GT(net.gpus[0]->arrived.size(), kLines + kLines / 2);
  EXPECT_LT(net.gpus[0]->arrived.size(), 3 * kLines);
  expect_sums(net);
}

TEST(SwitchReduction, ReturnsTheCreditOfWhatItKeeps) {
  TopologyConfig config = reducing();
  config.link.buffer_bytes = 128;
  SmallNet net(config, kGpus, options());
  update_all(net, 1);
  net.run();  // GPU 1's buffer in the switch holds one packet: only as the table takes them can all be sent
  EXPECT_EQ(net.gpus[1]->out.bytes(), kLines * 128);
  EXPECT_FALSE(net.fabric->idle());
  EXPECT_EQ(net.fabric->describe_waiting(),
            "switch: 1000 lines in the reduction table wait for more updates\n");
}

TEST(SwitchReduction, LeavesWritesAlone) {
  SmallNet net(reducing(), kGpus, options());
  Request r = packet();
  r.op = Op::write;
  r.tracked = true;
  for (const std::uint16_t g : Gpus{1, 2, 3}) net.gpus[g]->send(0, r);
  net.run();
  EXPECT_EQ(net.gpus[0]->arrived.size(), 3U);
  EXPECT_EQ(net.fabric->absorbed_bytes(0), 0U);
}

TEST(SwitchReduction, NamesItsCounters) {
  struct Sink final : StatsSink {
    void add(const Counter& counter, CounterValue value) override {
      if (const auto* count = std::get_if<std::uint64_t>(&value))
        values[std::string(counter.component) + "." + std::string(counter.name)] = *count;
    }
    std::map<std::string, std::uint64_t> values;
  } sink;
  SmallNet net(reducing(), kGpus, options());
  for (const std::uint16_t g : Gpus{1, 2, 3}) update_all(net, g);
  net.run();
  net.fabric->visit(0, sink);
  EXPECT_EQ(sink.values.at("switch.out.bytes"), kLines * 128);
  EXPECT_EQ(sink.values.at("switch.out.received_bytes"), 3U * kLines * 128);
  EXPECT_EQ(sink.values.at("switch.table.absorbed_bytes"), 2U * kLines * 128);
  EXPECT_EQ(sink.values.at("switch.table.sums"), kLines);
  EXPECT_GE(sink.values.at("switch.table.peak_lines"), 1U);
}

}  // namespace
}  // namespace t3sim
