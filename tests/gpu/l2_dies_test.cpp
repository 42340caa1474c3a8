// Slices of dies, each with an L2 of its own, in front of a slice of the memory-side cache.
#include <gtest/gtest.h>

#include <memory>

#include "gpu/l2_fixture.h"

namespace t3sim::test {
namespace {

constexpr Tick kToSide = 60, kSideLatency = 90;
constexpr std::uint16_t kDies = 3;

class Dies : public ChannelClient, private StoreListener, private ReplySink {
 public:
  static L2Config config_of() {
    L2Config config = OneSlice::small_l2();
    config.dies = kDies;
    config.size_bytes *= kDies;
    config.partition_latency_cycles = kToSide;
    config.memory_side.size_bytes = 1024 * kLineBytes;
    config.memory_side.latency_cycles = kSideLatency;
    return config;
  }
  Dies() {
    sinks.push_back(this);
    for (std::uint16_t d = 0; d < kDies; ++d) {
      dies.push_back(std::make_unique<L2Slice>(
          die_config, d, 0, SliceWiring{Clock(1), scheduler, channel, 0, sinks, *this, nullptr}));
      dies[d]->stand_in_for(home, static_cast<std::uint16_t>(sinks.size()));
      sinks.push_back(dies[d].get());
    }
    scheduler.add(channel);
    scheduler.add(home);
    for (auto& die : dies) scheduler.add(*die);
  }
  static Request far(Request request) {
    request.far = true;
    return request;
  }
  static Request read(std::uint32_t line) { return far(OneSlice::read(line)); }
  static Request store(std::uint32_t line) { return far(OneSlice::store(line)); }
  // When the last reply leaves, or the last store is accepted, after the requests have come to the slice.
  Tick run(L2Slice& slice, const std::vector<Request>& requests) {
    const Tick start = scheduler.now() + 100;
    last = start;
    Feeder feeder(slice, requests);
    feeder.start(start);
    scheduler.run();
    return last - start;
  }
  std::uint64_t missed(unsigned die) const { return dies[die]->stats().miss_sectors; }

  bool may_enqueue(const Request&) override { return true; }
  void enqueued(const Request& r, Tick) override { entered.push_back(r); }
  void performed(Request&, Tick) override {}
  void read_done(const Request& r, Tick at) override { home.read_done(r, at); }
  void port_free(unsigned, unsigned, Tick now) override { home.channel_free(now); }

  L2Config config = config_of();
  L2Config die_config = die_slices(config), side_config = memory_side_slices(config);
  MemoryConfig memory = OneSlice::one_channel();
  Scheduler scheduler;
  AddressMap map{memory, 1};
  Channel channel{memory, 0, ChannelWiring{Clock(1), scheduler, *this, map, 1}};
  std::vector<ReplySink*> sinks;
  L2Slice home{side_config, 0, 0,
               SliceWiring{Clock(1), scheduler, channel, 0, sinks, *this, nullptr, 0xFFFF, true}};
  std::vector<std::unique_ptr<L2Slice>> dies;
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

TEST(ADie, finds_in_the_memory_side_cache_what_another_die_has_read) {
  Dies gpu;
  gpu.run(*gpu.dies[0], {Dies::read(3)});
  ASSERT_EQ(gpu.entered.size(), 1U);
  // There, the cache's hit of 64 B a cycle, back, and the die's own hit of 32 B a cycle.
  EXPECT_EQ(gpu.run(*gpu.dies[1], {Dies::read(3)}), kToSide + 2 + kSideLatency + kToSide + 4 + 120);
  EXPECT_EQ(gpu.entered.size(), 1U);
}

TEST(ADie, keeps_what_it_has_read) {
  Dies gpu;
  gpu.run(*gpu.dies[0], {Dies::read(3)});
  EXPECT_EQ(gpu.run(*gpu.dies[0], {Dies::read(3)}), 4 + 120U);
  EXPECT_EQ(gpu.missed(1), 0U);
}

TEST(ADie, asks_again_for_what_another_die_has_stored_and_keeps_what_it_stores_itself) {
  Dies gpu;
  for (unsigned d = 0; d < kDies; ++d) gpu.run(*gpu.dies[d], {Dies::read(3)});
  gpu.run(*gpu.dies[1], {Dies::store(3)});
  for (unsigned d = 0; d < kDies; ++d) gpu.run(*gpu.dies[d], {Dies::read(3)});
  EXPECT_EQ(gpu.missed(0), 8U);
  EXPECT_EQ(gpu.missed(1), 4U);
  EXPECT_EQ(gpu.missed(2), 8U);
  EXPECT_EQ(gpu.entered.size(), 1U) << "the memory-side cache has the store";
}

TEST(ADie, asks_again_for_what_a_link_has_brought) {
  Dies gpu;
  gpu.run(*gpu.dies[2], {Dies::read(3)});
  gpu.run(gpu.home, {OneSlice::store(3)});
  gpu.run(*gpu.dies[2], {Dies::read(3)});
  EXPECT_EQ(gpu.missed(2), 8U);
}

TEST(ACopyEngine, reads_the_memory_side_cache_without_a_die) {
  Dies gpu;
  gpu.run(*gpu.dies[0], {Dies::read(3)});
  EXPECT_EQ(gpu.run(gpu.home, {OneSlice::read(3)}), 2 + kSideLatency);
}

// More requests than the home's queue has places for.
TEST(AllDies, that_ask_at_once_all_get_on) {
  Dies gpu;
  std::vector<std::unique_ptr<Feeder>> feeders;
  for (unsigned d = 0; d < kDies; ++d) {
    std::vector<Request> requests;
    for (std::uint32_t i = 0; i < 400; ++i)
      requests.push_back(i % 5 == 0 ? Dies::store(i * 7 % 300) : Dies::read(i + 100 * d));
    feeders.push_back(std::make_unique<Feeder>(*gpu.dies[d], requests));
  }
  for (auto& feeder : feeders) feeder->start(100);
  gpu.scheduler.run();
  EXPECT_EQ(gpu.replies, kDies * 320U);
  EXPECT_TRUE(gpu.home.idle());
  for (auto& die : gpu.dies) EXPECT_TRUE(die->idle()) << die->describe_waiting();
}

}  // namespace
}  // namespace t3sim::test
