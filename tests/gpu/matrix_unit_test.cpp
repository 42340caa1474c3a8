#include "gpu/matrix_unit.h"

#include <gtest/gtest.h>

namespace t3sim {
namespace {

Tick idle(const MatrixUnit& unit, IdleCause cause) {
  return unit.time().idle[static_cast<std::size_t>(cause)];
}

TEST(MatrixUnit, TakesFlopsOverRateAtFullEfficiency) {
  MatrixUnit unit(Clock(5), 1024, 1.0);
  EXPECT_EQ(unit.start(0, 1024 * 100, 1024 * 100, 0), 500U);
  EXPECT_EQ(unit.start(600, 1, 1, 0), 605U);  // a cycle at least
}

TEST(MatrixUnit, TakesLongerAtItsIssueEfficiency) {
  MatrixUnit unit(Clock(1), 1000, 0.5);
  EXPECT_EQ(unit.start(0, 100'000, 100'000, 0), 200U);
  EXPECT_EQ(unit.time().useful, 100U);
  EXPECT_EQ(unit.time().issue, 100U);
}

TEST(MatrixUnit, ServesFirstComeFirstServed) {
  MatrixUnit unit(Clock(1), 1000, 1.0);
  EXPECT_EQ(unit.start(10, 50'000, 50'000, 0), 60U);
  EXPECT_EQ(unit.start(20, 30'000, 30'000, 0), 90U);
  EXPECT_TRUE(unit.busy(89));
  EXPECT_FALSE(unit.busy(90));
}

TEST(MatrixUnit, BooksPaddingApartFromUsefulWork) {
  MatrixUnit unit(Clock(1), 1000, 1.0);
  unit.start(0, 100'000, 25'000, 0);
  EXPECT_EQ(unit.time().useful, 25U);
  EXPECT_EQ(unit.time().padding, 75U);
}

TEST(MatrixUnit, BooksIdleTimeUnderTheCauseThatHeldAtThatTime) {
  MatrixUnit unit(Clock(1), 1000, 1.0);
  unit.set_cause(IdleCause::prologue);
  unit.start(100, 50'000, 50'000, 0);  // busy until 150
  unit.account(120);
  unit.set_cause(IdleCause::waiting_loads);
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
  Tick now = 0, end = 0;
  for (std::uint64_t i = 1; i <= 500; ++i) {
    now += 7 * (i * 37 % 50);
    unit.account(now);
    unit.set_cause(static_cast<IdleCause>(i % kIdleCauses));
    end = unit.start(now, 1000 * i, 900 * i, i % 3) + 1000;
  }
  unit.account(end);
  EXPECT_EQ(unit.time().total(), end);
}

}  // namespace
}  // namespace t3sim
