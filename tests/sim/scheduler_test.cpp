#include "sim/scheduler.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <set>
#include <utility>

namespace t3sim {
namespace {

struct Log {
  std::vector<std::pair<Tick, std::uint32_t>> events;  // tick, rank
};

class Recorder final : public Component {
 public:
  explicit Recorder(Log& log) : log_(log) {}
  void wake(Tick now) override {
    log_.events.emplace_back(now, rank());
    if (then) then(now);
  }
  std::function<void(Tick)> then;

 private:
  Log& log_;
};

class SchedulerTest : public testing::Test {
 protected:
  void add(std::size_t components, Tick near_ticks = 64) {
    scheduler = std::make_unique<Scheduler>(near_ticks);
    for (std::size_t i = 0; i < components; ++i) {
      recorders.push_back(std::make_unique<Recorder>(log));
      scheduler->add(*recorders.back());
    }
  }
  void wake(std::size_t component, Tick at) { scheduler->wake(*recorders[component], at); }
  using Events = std::vector<std::pair<Tick, std::uint32_t>>;

  Log log;
  std::unique_ptr<Scheduler> scheduler;
  std::vector<std::unique_ptr<Recorder>> recorders;
};

TEST_F(SchedulerTest, RunsComponentsOfOneTickInTheOrderOfTheirRank) {
  add(200);  // more than one word of bits
  for (std::size_t component : {130U, 3U, 199U, 64U, 0U, 63U}) wake(component, 7);
  scheduler->run();
  EXPECT_EQ(log.events, (Events{{7, 0}, {7, 3}, {7, 63}, {7, 64}, {7, 130}, {7, 199}}));
}

TEST_F(SchedulerTest, RunsEventsOfALaterTickLaterWhateverTheRank) {
  add(2);
  wake(0, 9);
  wake(1, 8);
  scheduler->run();
  EXPECT_EQ(log.events, (Events{{8, 1}, {9, 0}}));
}

TEST_F(SchedulerTest, WakesOnceForSeveralWakeUpsAtOneTick) {
  add(1);
  wake(0, 5);
  wake(0, 5);
  wake(0, 5000);
  wake(0, 5000);  // in the heap, twice
  scheduler->run();
  EXPECT_EQ(log.events, (Events{{5, 0}, {5000, 0}}));
  EXPECT_EQ(scheduler->events(), 2U);
}

TEST_F(SchedulerTest, KeepsSeveralPendingWakeUpsOfOneComponent) {
  add(1);
  for (Tick at : {30U, 10U, 20U}) wake(0, at);
  scheduler->run();
  EXPECT_EQ(log.events, (Events{{10, 0}, {20, 0}, {30, 0}}));
}

TEST_F(SchedulerTest, RunsFarEventsInOrderAmongNearOnes) {
  add(2);
  wake(0, 1'000'000);
  wake(1, 63);
  wake(1, 64);  // one wheel ahead: the slot of tick 0
  wake(0, 64);
  wake(1, 999'999);
  scheduler->run();
  EXPECT_EQ(log.events, (Events{{63, 1}, {64, 0}, {64, 1}, {999'999, 1}, {1'000'000, 0}}));
}

// When component 1 wakes itself at 100, component 0 is 50 ticks ahead and was far before.
TEST_F(SchedulerTest, RunsAnEventThatWasFarBeforeOneThatIsNearAndLater) {
  add(2);
  wake(0, 90);
  wake(1, 40);
  recorders[1]->then = [&](Tick now) {
    if (now == 40) wake(1, 100);
  };
  scheduler->run();
  EXPECT_EQ(log.events, (Events{{40, 1}, {90, 0}, {100, 1}}));
}

TEST_F(SchedulerTest, RunsAnEventOneWheelAheadOfTheTickThatIsBeingRun) {
  add(1);
  int left = 5;
  recorders[0]->then = [&](Tick now) {
    if (left-- > 0) wake(0, now + 64);
  };
  wake(0, 1);
  scheduler->run();
  EXPECT_EQ(log.events, (Events{{1, 0}, {65, 0}, {129, 0}, {193, 0}, {257, 0}, {321, 0}}));
}

TEST_F(SchedulerTest, AcceptsAWakeUpAtTickZeroBeforeTheFirstRun) {
  add(1);
  wake(0, 0);
  scheduler->run();
  EXPECT_EQ(log.events, (Events{{0, 0}}));
}

TEST_F(SchedulerTest, StopsBeforeTheLimitAndGoesOnFromThere) {
  add(1);
  for (Tick at : {10U, 19U, 20U, 21U}) wake(0, at);
  scheduler->run_until(20);
  EXPECT_EQ(log.events, (Events{{10, 0}, {19, 0}}));
  EXPECT_EQ(scheduler->now(), 19U);
  EXPECT_EQ(scheduler->next_event(), 20U);
  wake(0, 20);  // from outside, between windows
  scheduler->run_until(kNever);
  EXPECT_EQ(log.events, (Events{{10, 0}, {19, 0}, {20, 0}, {21, 0}}));
}

TEST_F(SchedulerTest, AcceptsWakeUpsFromOutsideFarBehindAnEmptyWindow) {
  add(1);
  wake(0, 10);
  scheduler->run_until(100'000);
  EXPECT_EQ(scheduler->next_event(), kNever);
  wake(0, 100'001);  // a packet from another GPU
  wake(0, 70);       // later than now(), though before the last limit
  scheduler->run_until(200'000);
  EXPECT_EQ(log.events, (Events{{10, 0}, {70, 0}, {100'001, 0}}));
}

TEST_F(SchedulerTest, HasNoNextEventWhenNothingIsPending) {
  add(3);
  EXPECT_EQ(scheduler->next_event(), kNever);
  wake(1, 4);
  EXPECT_EQ(scheduler->next_event(), 4U);
  scheduler->run();
  EXPECT_EQ(scheduler->next_event(), kNever);
}

// Against the obvious implementation: an ordered set of (tick, rank).
TEST_F(SchedulerTest, LosesAndInventsNothingInARandomRun) {
  constexpr std::size_t kComponents = 150;
  add(kComponents, 256);
  std::mt19937 random(7);
  std::set<std::pair<Tick, std::uint32_t>> expected, all;
  const auto plan = [&](Tick at, std::uint32_t component) {
    wake(component, at);
    expected.emplace(at, component);
    all.emplace(at, component);
  };
  const auto distance = [&]() -> Tick {
    switch (random() % 4) {
      case 0:
        return 1;
      case 1:
        return 1 + random() % 32;
      case 2:
        return 250 + random() % 12;  // around the wheel's reach
      default:
        return 1 + random() % 5000;
    }
  };
  int left = 20'000;
  for (auto& recorder : recorders)
    recorder->then = [&, self = recorder.get()](Tick now) {
      ASSERT_FALSE(expected.empty());
      ASSERT_EQ(*expected.begin(), std::pair(now, self->rank()));
      expected.erase(expected.begin());
      for (unsigned i = 0; i < 2 && left > 0; ++i, --left)
        plan(now + distance(), static_cast<std::uint32_t>(random() % kComponents));
    };
  for (std::uint32_t i = 0; i < 10; ++i) plan(distance(), i);
  for (Tick limit = 1000; scheduler->next_event() != kNever; limit += 1000) scheduler->run_until(limit);
  EXPECT_TRUE(expected.empty());
  EXPECT_EQ(scheduler->events(), all.size());
}

}  // namespace
}  // namespace t3sim
