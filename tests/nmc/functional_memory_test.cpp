#include "nmc/functional_memory.h"

#include <gtest/gtest.h>

namespace t3sim {
namespace {

LineValues filled(std::int32_t value) {
  LineValues line;
  line.fill(value);
  return line;
}

TEST(FunctionalMemory, IsZeroWhereNothingWasWritten) {
  FunctionalMemory memory;
  LineValues line = filled(7);
  memory.read(1 << 20, 0b1111, line);
  EXPECT_EQ(line, filled(0));
}

TEST(FunctionalMemory, WritesAndReadsOnlyTheSelectedSectors) {
  FunctionalMemory memory;
  memory.write(256, 0b0110, filled(5));
  LineValues line = filled(-1);
  memory.read(256, 0b0011, line);
  EXPECT_EQ(line[0], 0);
  EXPECT_EQ(line[16], 5);
  EXPECT_EQ(line[32], -1) << "not asked for";
  EXPECT_EQ(memory.element(256 + 32), 5);
  EXPECT_EQ(memory.element(256 + 96), 0);
}

TEST(FunctionalMemory, AddsOnAnUpdate) {
  FunctionalMemory memory;
  memory.write(0, 0b1111, filled(10));
  memory.update(0, 0b0001, filled(3));
  memory.update(0, 0b0001, filled(-1));
  EXPECT_EQ(memory.element(0), 12);
  EXPECT_EQ(memory.element(32), 10);
}

TEST(FunctionalMemory, KeepsElementsOfNeighbouringPagesApart) {
  FunctionalMemory memory;
  for (std::uint64_t a = 0; a < 100'000; a += 2) memory.set_element(a, static_cast<std::int32_t>(a));
  for (std::uint64_t a = 0; a < 100'000; a += 2) EXPECT_EQ(memory.element(a), static_cast<std::int32_t>(a));
}

TEST(PayloadPool, GivesZeroedHandlesOtherThanNone) {
  PayloadPool pool;
  const std::uint32_t a = pool.allocate();
  EXPECT_NE(a, 0U);
  pool[a].fill(9);
  pool.release(a);
  const std::uint32_t b = pool.allocate();
  EXPECT_EQ(pool[b], filled(0));
  EXPECT_EQ(pool.live(), 1U);
}

TEST(PayloadPool, CopiesOnlyTheSelectedSectors) {
  PayloadPool pool;
  const std::uint32_t to = pool.allocate(), from = pool.allocate();
  pool[to] = filled(1);
  pool[from] = filled(2);
  pool.copy_sectors(to, from, 0b0101);
  for (const auto& [element, value] :
       {std::pair{0U, 2}, {15U, 2}, {16U, 1}, {31U, 1}, {32U, 2}, {47U, 2}, {48U, 1}, {63U, 1}})
    EXPECT_EQ(pool[to][element], value) << element;
}

TEST(PayloadPool, CountsWhatIsNotReleased) {
  PayloadPool pool;
  const std::uint32_t a = pool.allocate(), b = pool.allocate();
  EXPECT_EQ(pool.live(), 2U);
  pool.release(a);
  pool.release(0);
  EXPECT_EQ(pool.live(), 1U);
  pool.release(b);
  EXPECT_EQ(pool.live(), 0U);
}

}  // namespace
}  // namespace t3sim
