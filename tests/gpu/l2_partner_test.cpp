// Two slices, the home of a line and the one that stands in for it in the other partition.
#include <gtest/gtest.h>

#include <memory>

#include "gpu/l2_fixture.h"

namespace t3sim::test {
namespace {

constexpr Tick kWay = 85;

// Slice 0 is the home of all lines here; CUs of the other partition reach slice 1.
class TwoPartitions : public ChannelClient, private StoreListener, private ReplySink {
 public:
  static L2Config config_of(std::uint64_t mshrs) {
    L2Config config = OneSlice::small_l2();
    config.slices = 2;
    config.size_bytes *= 2;
    config.partitions = 2;
    config.partition_latency_cycles = kWay;
    config.mshrs = mshrs;
    return config;
  }

  static MemoryConfig one_channel() {
    MemoryConfig config;
    config.channels = 1;
    return config;
  }
  explicit TwoPartitions(std::uint64_t mshrs = 8) : config(config_of(mshrs)), map(memory, 2) {
    for (std::uint16_t s = 0; s < 2; ++s)
      slices.push_back(std::make_unique<L2Slice>(
          config, s, 0, SliceWiring{Clock(1), scheduler, channel, s, sinks, *this, nullptr}));
    sinks = {this, slices[0].get(), slices[1].get()};
    for (std::uint16_t s = 0; s < 2; ++s)
      slices[s]->stand_in_for(*slices[1 - s], static_cast<std::uint16_t>(1 + s));
    scheduler.add(channel);
    for (auto& slice : slices) scheduler.add(*slice);
  }

  static Request far(Request request) {
    request.far = true;
    return request;
  }
  // When the last reply leaves, or the last store is accepted, after the requests have come to the slice.
  Tick run(unsigned slice, const std::vector<Request>& requests) {
    const Tick start = scheduler.now() + 100;
    last = start;
    Feeder feeder(*slices[slice], requests);
    feeder.start(start);
    scheduler.run();
    return last - start;
  }
  std::uint64_t missed(unsigned slice) const { return slices[slice]->stats().miss_sectors; }

  bool may_enqueue(const Request&) override { return true; }
  void enqueued(const Request& r, Tick) override { entered.push_back(r); }
  void performed(Request&, Tick) override {}
  void read_done(const Request& r, Tick at) override { slices[r.source]->read_done(r, at); }
  void port_free(unsigned, unsigned port, Tick now) override { slices[port]->channel_free(now); }

  L2Config config;
  MemoryConfig memory = one_channel();
  Scheduler scheduler;
  AddressMap map;
  Channel channel{memory, 0, ChannelWiring{Clock(1), scheduler, *this, map, 2}};
  std::vector<std::unique_ptr<L2Slice>> slices;
  std::vector<ReplySink*> sinks;
  std::vector<Request> entered;  // the memory
  std::uint32_t replies = 0;
  Tick last = 0;

 private:
  void reply(const Request&, Tick out) override {
    ++replies;
    last = std::max(last, out);
  }
  void store_accepted(const Request&, Tick now) override { last = std::max(last, now); }
};

TEST(APartner, answers_a_miss_two_ways_later_than_the_home) {
  TwoPartitions l2;
  const Tick near = l2.run(0, {OneSlice::read(3)});
  TwoPartitions other;
  const Tick over_there = other.run(1, {TwoPartitions::far(OneSlice::read(3))});
  EXPECT_EQ(over_there, near + 2 * kWay + 4);  // and through another data port: 128 B at 32 B a cycle
  EXPECT_EQ(other.entered.size(), 1U);
}

TEST(APartner, answers_what_it_keeps_as_fast_as_the_home) {
  TwoPartitions l2;
  l2.run(1, {TwoPartitions::far(OneSlice::read(3))});
  EXPECT_EQ(l2.run(1, {TwoPartitions::far(OneSlice::read(3))}), 4 + 120U);
  EXPECT_EQ(l2.run(0, {OneSlice::read(3)}), 4 + 120U);  // the home has it, too
  EXPECT_EQ(l2.entered.size(), 1U);
}

// A way there and back, and the ports of both.
TEST(APartner, fetches_from_the_home_what_the_home_has) {
  TwoPartitions l2;
  l2.run(0, {OneSlice::read(3)});
  EXPECT_EQ(l2.run(1, {TwoPartitions::far(OneSlice::read(3))}), 4 + 2 * kWay + 4 + 120);
  EXPECT_EQ(l2.entered.size(), 1U);
}

TEST(APartner, passes_stores_on_and_keeps_them) {
  TwoPartitions l2;
  EXPECT_EQ(l2.run(1, {TwoPartitions::far(OneSlice::store(3))}), kWay);  // accepted when the home has it
  EXPECT_EQ(l2.slices[0]->dirty_lines().size(), 1U);
  EXPECT_EQ(l2.slices[1]->dirty_lines().size(), 0U);
  EXPECT_EQ(l2.run(1, {TwoPartitions::far(OneSlice::read(3))}), 4 + 120U);
  EXPECT_EQ(l2.run(0, {OneSlice::read(3)}), 4 + 120U);
  EXPECT_TRUE(l2.entered.empty());
}

TEST(APartner, asks_again_for_what_has_been_stored_at_the_home) {
  TwoPartitions l2;
  l2.run(1, {TwoPartitions::far(OneSlice::read(3))});
  l2.run(0, {OneSlice::store(3, 0b0010)});
  l2.run(1, {TwoPartitions::far(OneSlice::read(3, 0b0001))});  // of the copy, the rest is good
  EXPECT_EQ(l2.missed(1), 4U);
  l2.run(1, {TwoPartitions::far(OneSlice::read(3, 0b0010))});
  EXPECT_EQ(l2.missed(1), 5U);
  EXPECT_EQ(l2.entered.size(), 1U);
}

TEST(APartner, passes_uncached_stores_by_both_slices) {
  TwoPartitions l2;
  l2.run(1, {TwoPartitions::far(OneSlice::read(3))});
  Request store = TwoPartitions::far(OneSlice::store(3));
  store.uncached = true;
  l2.run(1, {store});
  ASSERT_EQ(l2.entered.size(), 2U);
  EXPECT_EQ(l2.entered[1].op, Op::write);
  l2.run(1, {TwoPartitions::far(OneSlice::read(3))});
  EXPECT_EQ(l2.missed(1), 8U);
}

TEST(APartner, passes_additions_on_and_keeps_nothing_of_them) {
  TwoPartitions l2;
  l2.config.waiting_add_sectors = 1;
  l2.run(1, {TwoPartitions::far(OneSlice::read(3))});
  Request store = TwoPartitions::far(OneSlice::store(3, 0b0010));
  store.adds = true;
  l2.run(1, {store});
  EXPECT_EQ(l2.entered.size(), 1U);  // the home has the line
  EXPECT_EQ(l2.slices[0]->dirty_lines().size(), 1U);
  l2.run(1, {TwoPartitions::far(OneSlice::read(3))});
  EXPECT_EQ(l2.missed(1), 5U);
}

// Each of them asks the other for more lines than both have MSHRs.
TEST(TwoPartners, that_ask_each_other_at_once_both_get_on) {
  TwoPartitions l2(4);
  std::vector<Request> of_one, of_other;
  for (std::uint32_t i = 0; i < 200; ++i) {
    of_one.push_back(TwoPartitions::far(OneSlice::read(i)));
    of_other.push_back(TwoPartitions::far(OneSlice::read(1000 + i)));
    of_one.push_back(OneSlice::read(1000 + i * 3 % 200));
  }
  Feeder one(*l2.slices[1], of_one), other(*l2.slices[0], of_other);
  one.start(100);
  other.start(100);
  l2.scheduler.run();
  EXPECT_EQ(l2.replies, of_one.size() + of_other.size());
  EXPECT_TRUE(l2.slices[0]->idle() && l2.slices[1]->idle());
}

}  // namespace
}  // namespace t3sim::test
