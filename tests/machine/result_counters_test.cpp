#include "machine/result_counters.h"

#include <gtest/gtest.h>

#include "tracker/tracker.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kHz[] = {1'000'000'000};
const TimeBase kTime(kHz);

TEST(ResultCounters, AreThoseThatAComponentListsInItsOrder) {
  static constexpr std::string_view kListed[] = {"second", "first"};
  ResultCounters collected;
  Counters out(collected, "part", kTime, kListed);
  out.count("first", 1, "");
  out.count("not listed", 2, "");
  out.bytes("second", 3, "");
  const CounterBlocks expected = {{"part", {{"second", std::uint64_t{3}}, {"first", std::uint64_t{1}}}}};
  EXPECT_EQ(collected.blocks(), expected);
}

TEST(ResultCounters, AddUpTheInstancesOfAComponentAndThePhases) {
  static constexpr std::string_view kListed[] = {"bytes", "wait"};
  CounterBlocks sum;
  for (int phase = 0; phase < 2; ++phase) {
    ResultCounters collected;
    for (const char* name : {"l2[0]", "l2[1]"}) {
      Counters out(collected, name, kTime, kListed);
      out.bytes("bytes", 32, "");
      out.add("wait", 0.5, "us", "");
    }
    add_counters(sum, collected.blocks());
  }
  const CounterBlocks expected = {{"l2", {{"bytes", std::uint64_t{128}}, {"wait", 2.0}}}};
  EXPECT_EQ(sum, expected);
}

// A name that is listed and never reported would be missing without a word.
TEST(ResultCounters, OfTheTrackerAreAllReported) {
  Tracker tracker(
      {0, 0, Clock(1)}, 1, 1, [](auto...) {}, [](Tick) {});
  ResultCounters collected;
  Counters out(collected, "tracker", kTime, Tracker::kInResults);
  tracker.report(out, {});
  ASSERT_EQ(collected.blocks().size(), 1U);
  std::vector<std::string> names;
  for (const auto& [name, value] : collected.blocks().front().second) names.push_back(name);
  EXPECT_EQ(names, std::vector<std::string>(std::begin(Tracker::kInResults), std::end(Tracker::kInResults)));
}

// Every counter says what it means: `t3sim stats --list` prints it.
TEST(Counters, OfTheTrackerSayWhatTheyMean) {
  struct Meanings final : StatsSink {
    void add(const Counter& counter, CounterValue) override {
      EXPECT_FALSE(counter.meaning.empty()) << counter.name;
      EXPECT_FALSE(counter.unit.empty()) << counter.name;
    }
  } sink;
  Tracker tracker(
      {0, 0, Clock(1)}, 1, 1, [](auto...) {}, [](Tick) {});
  Counters out(sink, "tracker", kTime, Tracker::kInResults);
  tracker.report(out, {});
}

}  // namespace
}  // namespace t3sim
