#include "gpu/matrix_unit.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace t3sim {
namespace {

Tick idle(const MatrixUnit& unit, IdleCause cause) {
  return unit.time().idle[static_cast<std::size_t>(cause)];
}

// When whose work ends, if nothing else is added.
std::map<unsigned, Tick> run_out(MatrixUnit& unit, Tick now) {
  std::map<unsigned, Tick> ended;
  while (unit.busy()) {
    now = unit.next_end(now);
    unit.finish(now, [&](unsigned owner) { ended[owner] = now; });
  }
  return ended;
}

TEST(MatrixUnit, TakesFlopsOverRateAtFullEfficiency) {
  MatrixUnit unit(Clock(5), 1024, 1.0);
  EXPECT_TRUE(unit.start(0, 0, 1024 * 100, 1024 * 100, 0));
  EXPECT_EQ(run_out(unit, 0)[0], 500U);
  unit.start(600, 0, 1, 1, 0);
  EXPECT_EQ(run_out(unit, 600)[0], 605U);  // a cycle at least
}

TEST(MatrixUnit, TakesLongerAtItsIssueEfficiency) {
  MatrixUnit unit(Clock(1), 1000, 0.5);
  unit.start(0, 0, 100'000, 100'000, 0);
  EXPECT_EQ(run_out(unit, 0)[0], 200U);
  EXPECT_EQ(unit.time().useful, 100U);
  EXPECT_EQ(unit.time().issue, 100U);
}

TEST(MatrixUnit, TakesLongerWhereTheClockFallsWithItsWorkAndNoLongerForTheRest) {
  MatrixUnit unit(Clock(1), 1000, 1.0, 0.8);
  unit.start(0, 0, 100'000, 100'000, 0);
  EXPECT_EQ(run_out(unit, 0)[0], 125U);
  unit.start(200, 0, 0, 0, 100);
  EXPECT_EQ(run_out(unit, 200)[0], 300U);
}

TEST(MatrixUnit, TakesLongerBesideLinksThatCarryData) {
  MatrixUnit unit(Clock(1), 1000, 0.5, 0.8);
  unit.start(0, 0, 100'000, 100'000, 0, 1.0, 0.5);
  EXPECT_EQ(run_out(unit, 0)[0], 250U) << "0.8 x 0.5 of the clock, and the kernel's efficiency of 1";
}

TEST(MatrixUnit, HasNothingToDoForAGroupWithoutWork) {
  MatrixUnit unit(Clock(1), 1000, 1.0);
  EXPECT_FALSE(unit.start(0, 0, 0, 0, 0));
  EXPECT_FALSE(unit.busy());
}

TEST(MatrixUnit, EndsEqualWorkThatStartsTogetherTogether) {
  MatrixUnit unit(Clock(1), 1000, 1.0);
  unit.start(10, 0, 50'000, 50'000, 0);
  unit.start(10, 1, 50'000, 50'000, 0);
  const auto ended = run_out(unit, 10);
  EXPECT_EQ(ended.at(0), 110U);
  EXPECT_EQ(ended.at(1), 110U);
}

// Eleven do not divide the shares of a tick: nothing may be lost when somebody looks in between.
TEST(MatrixUnit, EndsWhenItSaidHoweverOftenItIsLookedAt) {
  MatrixUnit unit(Clock(1), 1000, 1.0);
  for (unsigned owner = 0; owner < 11; ++owner) unit.start(0, owner, 7'000, 7'000, 0);
  const Tick end = unit.next_end(0);
  EXPECT_EQ(end, 77U);
  for (Tick now = 1; now < end; now += 3) unit.account(now);
  unsigned ended = 0;
  unit.finish(end, [&](unsigned) { ++ended; });
  EXPECT_EQ(ended, 11U);
}

TEST(MatrixUnit, GivesEachWorkgroupAShareWhileOthersHaveWork) {
  MatrixUnit unit(Clock(1), 1000, 1.0);
  unit.start(10, 0, 50'000, 50'000, 0);
  unit.start(20, 1, 30'000, 30'000, 0);  // the first has 40 left
  const auto ended = run_out(unit, 20);
  EXPECT_EQ(ended.at(1), 80U);  // 30 at half the rate
  EXPECT_EQ(ended.at(0), 90U);  // all work together, without a gap
}

TEST(MatrixUnit, BooksPaddingApartFromUsefulWork) {
  MatrixUnit unit(Clock(1), 1000, 1.0);
  unit.start(0, 0, 100'000, 25'000, 0);
  run_out(unit, 0);
  EXPECT_EQ(unit.time().useful, 25U);
  EXPECT_EQ(unit.time().padding, 75U);
}

TEST(MatrixUnit, BooksIdleTimeUnderTheCauseThatHeldAtThatTime) {
  MatrixUnit unit(Clock(1), 1000, 1.0);
  unit.set_cause(IdleCause::prologue);
  unit.start(100, 0, 50'000, 50'000, 0);
  unit.account(120);
  unit.set_cause(IdleCause::waiting_loads);
  EXPECT_EQ(run_out(unit, 120)[0], 150U);
  unit.account(180);
  unit.set_cause(IdleCause::output_write);
  unit.account(200);
  EXPECT_EQ(idle(unit, IdleCause::prologue), 100U);
  EXPECT_EQ(idle(unit, IdleCause::waiting_loads), 30U);
  EXPECT_EQ(idle(unit, IdleCause::output_write), 20U);
  EXPECT_EQ(idle(unit, IdleCause::no_workgroup), 0U);
}

TEST(MatrixUnit, HasPartsThatAddUpToTheWholeTime) {
  MatrixUnit unit(Clock(7), 1024, 0.77);
  bool has_work[3] = {};
  Tick now = 0;
  for (std::uint64_t i = 1; i <= 500; ++i) {
    now += 7 * (i * 37 % 50);
    unit.finish(now, [&](unsigned owner) { has_work[owner] = false; });
    unit.set_cause(static_cast<IdleCause>(i % kIdleCauses));
    const auto owner = static_cast<unsigned>(i % 3);
    if (!has_work[owner]) has_work[owner] = unit.start(now, owner, 1000 * i, 900 * i, i % 3);
  }
  Tick end = now;
  for (const auto& [who, at] : run_out(unit, now)) end = std::max(end, at);
  unit.account(end + 1000);
  EXPECT_EQ(unit.time().total(), end + 1000);
}

MatrixUnit greedy_unit() { return {Clock(1), 1000, 1.0, 1, WavefrontScheduler::greedy}; }

TEST(AGreedyMatrixUnit, DoesAllOfOneWorkgroupsWorkBeforeTheNext) {
  MatrixUnit unit = greedy_unit();
  unit.start(10, 0, 50'000, 50'000, 0);
  unit.start(10, 1, 50'000, 50'000, 0);
  const auto ended = run_out(unit, 10);
  EXPECT_EQ(ended.at(0), 60U);
  EXPECT_EQ(ended.at(1), 110U);
}

TEST(AGreedyMatrixUnit, StaysWithAWorkgroupThatHasMoreAtOnceAndElseTakesTheOneThatWaitedLongest) {
  MatrixUnit unit = greedy_unit();
  for (const unsigned owner : {0U, 1U, 2U}) unit.start(0, owner, 10'000, 10'000, 0);
  Tick now = 0;
  std::vector<unsigned> order;
  const auto next = [&](bool more) {
    now = unit.next_end(now);
    unsigned done = 0;
    unit.finish(now, [&](unsigned owner) { order.push_back(done = owner); });
    if (more) unit.start(now, done, 10'000, 10'000, 0);
  };
  for (const bool more : {true, true, false, false}) next(more);  // 0 three times, then 1
  unit.start(now, 0, 10'000, 10'000, 0);                          // behind 2, which has waited longer
  next(false);
  next(false);
  EXPECT_EQ(order, (std::vector<unsigned>{0, 0, 0, 1, 2, 0}));
  EXPECT_EQ(now, 60U);
  EXPECT_FALSE(unit.busy());
  EXPECT_EQ(unit.time().working(), 60U);
}

}  // namespace
}  // namespace t3sim
