// Counters by name: their list, and how rows of alike parts become one value.
#include "results/counter_list.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace t3sim {
namespace {

const CounterInfo& counter(const std::string& name) { return counter_named("test", name); }

StatRow row(const std::string& component, const std::string& name, double value,
            const std::string& phase = "fused", std::uint64_t gpu = 0) {
  return {"t3", phase, gpu, component, name, value, ""};
}

TEST(CounterList, HasUnitAndMeaningOfEach) {
  EXPECT_GT(counter_list().size(), 150u);
  for (const CounterInfo& c : counter_list()) {
    EXPECT_FALSE(c.component.empty() || c.name.empty() || c.unit.empty() || c.meaning.empty()) << c.spoken();
    EXPECT_EQ(c.unit.find_first_of("|` "), std::string::npos) << c.spoken() << ": " << c.unit;
  }
}

TEST(CounterList, NamesAreWhatPeopleWrite) {
  EXPECT_EQ(counter("link.out.busy").unit, "us");
  EXPECT_EQ(counter("cu.load_bytes").component, "cu[...]");
}

TEST(CounterList, KindsLeaveOutWhichOneOfManyItIs) {
  EXPECT_EQ(kind_of("cu[12]"), "cu[...]");
  EXPECT_EQ(kind_of("link.out"), "link.out");
  EXPECT_EQ(kind_of("link.out3"), "link.out[...]");
}

TEST(FoldedStats, AmountsAddUpTimesAreAveragedPeaksAreTheLargest) {
  EXPECT_EQ(fold_of_parts(counter("link.out.bytes")), Fold::sum);
  EXPECT_EQ(fold_of_parts(counter("link.out.busy")), Fold::mean);
  EXPECT_EQ(fold_of_parts(counter("tracker.peak_entries")), Fold::most);
  EXPECT_EQ(fold_of_parts(counter("channel.compute_read_latency_p99")), Fold::mean);
}

TEST(FoldedStats, PutAlikePartsTogether) {
  const std::vector<StatRow> rows{row("link.out", "busy", 10), row("link.out", "busy", 30, "fused", 1),
                                  row("link.out", "bytes", 5), row("link.out", "bytes", 6, "fused", 1),
                                  row("link.out", "busy", 8, "all-gather")};
  const std::vector<FoldedStat> stats = fold(rows);
  ASSERT_EQ(stats.size(), 3u);
  EXPECT_EQ(stats[0].value(), 20);
  EXPECT_EQ(stats[0].rows, 2u);
  EXPECT_EQ(stats[0].least, 10);
  EXPECT_EQ(stats[0].most, 30);
  EXPECT_EQ(stats[1].value(), 11);
  EXPECT_EQ(value_of(stats, counter("link.out.busy"), "t3", ""), 28) << "phases follow each other";
  EXPECT_EQ(value_of(stats, counter("link.out.busy"), "t3", "fused"), 20);
  EXPECT_EQ(value_of(fold(std::vector{row("link.out", "busy", 7, "fused (mca)")}), counter("link.out.busy"),
                     "t3", "fused"),
            7);
  EXPECT_EQ(value_of(stats, counter("link.out.busy"), "sequential", ""), std::nullopt);
}

TEST(FoldedStats, UnknownNamesAreCorrected) {
  try {
    counter("link.out.bussy");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "test: unknown counter \"link.out.bussy\"; did you mean link.out.busy?");
  }
}

}  // namespace
}  // namespace t3sim
