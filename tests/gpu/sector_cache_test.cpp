#include "gpu/sector_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>
#include <set>

#include "base/error.h"

namespace t3sim {
namespace {

std::uint32_t insert(SectorCache& cache, std::uint32_t line, std::uint8_t sectors = kFullLine) {
  const std::uint32_t entry = cache.victim(line);
  cache.replace(entry, line);
  cache.add_valid(entry, sectors);
  return entry;
}

TEST(SectorCache, FindsALineWhereItWasPutAndNoOther) {
  SectorCache cache(1, 4, 0);
  const std::uint32_t entry = insert(cache, 7);
  EXPECT_EQ(cache.find(7), entry);
  EXPECT_EQ(cache.find(8), SectorCache::kNone);
  EXPECT_EQ(cache.address_of(entry), 7U * kLineBytes);
}

TEST(SectorCache, ReplacesTheLeastRecentlyUsedLine) {
  SectorCache cache(1, 4, 0);
  for (std::uint32_t line = 0; line < 4; ++line) insert(cache, line);
  cache.touch(cache.find(0));
  EXPECT_EQ(cache.address_of(cache.victim(9)), 1U * kLineBytes);
  cache.touch(cache.find(1));
  EXPECT_EQ(cache.address_of(cache.victim(9)), 2U * kLineBytes);
}

TEST(SectorCache, FillsEmptyEntriesBeforeItReplacesAnything) {
  SectorCache cache(1, 8, 0);
  std::set<std::uint32_t> entries;
  for (std::uint32_t line = 0; line < 8; ++line) entries.insert(insert(cache, line));
  EXPECT_EQ(entries.size(), 8U);
}

TEST(SectorCache, FindingALineDoesNotMakeItYounger) {
  SectorCache cache(1, 2, 0);
  insert(cache, 1);
  insert(cache, 2);
  EXPECT_NE(cache.find(1), SectorCache::kNone);
  EXPECT_EQ(cache.victim(3), cache.find(1));
}

TEST(SectorCache, KeepsValidAndDirtySectorsApart) {
  SectorCache cache(1, 1, 0);
  const std::uint32_t entry = insert(cache, 5, 0b0001);
  cache.add_dirty(entry, 0b0110);
  EXPECT_EQ(cache.valid(entry), 0b0111);
  EXPECT_EQ(cache.dirty(entry), 0b0110);
  cache.clean(entry);
  EXPECT_EQ(cache.valid(entry), 0b0111);
  EXPECT_EQ(cache.dirty(entry), 0);
}

TEST(SectorCache, StartsAReplacedEntryWithoutSectors) {
  SectorCache cache(1, 1, 0);
  cache.add_dirty(insert(cache, 5), 0b1111);
  const std::uint32_t entry = cache.victim(6);
  cache.replace(entry, 6);
  EXPECT_EQ(cache.valid(entry), 0);
  EXPECT_EQ(cache.dirty(entry), 0);
}

TEST(SectorCache, DoesNotReplaceALockedLineHoweverOldItIs) {
  SectorCache cache(1, 2, 0);
  const std::uint32_t locked = insert(cache, 1);
  const std::uint32_t other = insert(cache, 2);
  cache.lock(locked);
  cache.touch(locked);
  EXPECT_EQ(cache.victim(3), other);
  cache.lock(other);
  EXPECT_EQ(cache.victim(3), SectorCache::kNone);
}

TEST(SectorCache, CountsUnlockingAsAUse) {
  SectorCache cache(1, 2, 0);
  const std::uint32_t first = insert(cache, 1);
  cache.lock(first);
  const std::uint32_t second = insert(cache, 2);
  cache.unlock(first);
  EXPECT_EQ(cache.victim(3), second);
}

TEST(SectorCache, ForgetsEverythingWhenInvalidated) {
  for (std::uint32_t ways : {4U, 8U}) {
    SectorCache cache(2, ways, 0);
    for (std::uint32_t line = 0; line < 8; ++line) cache.add_dirty(insert(cache, line), 0b1111);
    cache.invalidate_all();
    for (std::uint32_t line = 0; line < 8; ++line) EXPECT_EQ(cache.find(line), SectorCache::kNone);
    for (std::uint32_t entry = 0; entry < cache.entries(); ++entry) {
      EXPECT_EQ(cache.valid(entry), 0);
      EXPECT_EQ(cache.dirty(entry), 0);
    }
  }
}

// The low bits of a slice's lines are all the same: without skipping them most sets would stay empty.
TEST(SectorCache, UsesAllSetsForTheLinesOfOneSlice) {
  SectorCache cache(16, 2, 6);
  for (std::uint32_t i = 0; i < 32; ++i) insert(cache, i << 6 | 37);
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_NE(cache.find(i << 6 | 37), SectorCache::kNone) << i;
}

TEST(SectorCache, RefusesSetsThatAreNoPowerOfTwo) {
  EXPECT_THROW(SectorCache(3, 4, 0), InputError);
  EXPECT_THROW(SectorCache(4, 0, 0), InputError);
}

// Against lists in order of use, for associativities with and without the marks that find() compares.
class RandomUse : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomUse, HitsAndReplacesAsTrueLruDoes) {
  const std::uint32_t ways = GetParam();
  SectorCache cache(1, ways, 0);
  std::list<std::uint32_t> order;  // most recently used first
  std::mt19937 random(ways);
  for (int i = 0; i < 30'000; ++i) {
    const auto line = static_cast<std::uint32_t>(random() % (2 * ways + 1) * 0x10001U);
    const auto known = std::find(order.begin(), order.end(), line);
    const std::uint32_t entry = cache.find(line);
    ASSERT_EQ(entry != SectorCache::kNone, known != order.end());
    if (known != order.end()) {
      cache.touch(entry);
      order.erase(known);
    } else {
      const std::uint32_t victim = cache.victim(line);
      if (order.size() == ways) {
        ASSERT_EQ(cache.address_of(victim), std::uint64_t{order.back()} * kLineBytes);
        order.pop_back();
      }
      cache.replace(victim, line);
    }
    order.push_front(line);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, RandomUse, testing::Values(1, 2, 4, 7, 8, 16, 20, 32, 64));

}  // namespace
}  // namespace t3sim
