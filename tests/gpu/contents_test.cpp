// What caches hold, told by what is read from memory afterwards, not by counters.
#include <gtest/gtest.h>

#include "gpu/cu_fixture.h"
#include "gpu/l2_fixture.h"

namespace t3sim::test {
namespace {

// Lines of set 0 of a slice of 64 lines in 4 ways: the set is a XOR of groups of four bits of the line number.
constexpr std::uint32_t in_set_0(std::uint32_t i) { return i | i << 4; }

std::size_t fetches(OneSlice& slice, std::uint32_t line) {
  const std::size_t before = slice.entered_dram(Op::read).size();
  slice.run({OneSlice::read(line)});
  return slice.entered_dram(Op::read).size() - before;
}

void expect_a_hit_makes_a_line_young(const L2Config& l2) {
  for (const bool by_store : {false, true}) {
    OneSlice slice(l2);
    for (std::uint32_t i = 0; i < 4; ++i) slice.run({OneSlice::read(in_set_0(i))});
    slice.run({by_store ? OneSlice::store(in_set_0(0)) : OneSlice::read(in_set_0(0))});  // hits
    EXPECT_EQ(fetches(slice, in_set_0(4)), 1U);  // replaces line 1, not 0
    EXPECT_EQ(fetches(slice, in_set_0(0)), 0U) << by_store;
    EXPECT_EQ(fetches(slice, in_set_0(1)), 1U) << by_store;
  }
}

TEST(L2Contents, AHitMakesALineTheYoungestOfItsSet) { expect_a_hit_makes_a_line_young(OneSlice::small_l2()); }

TEST(L2Contents, AHitBehindCoalescersMakesALineTheYoungestToo) {
  L2Config l2 = OneSlice::small_l2();
  l2.coalescers = 2;
  expect_a_hit_makes_a_line_young(l2);
}

TEST(L2Contents, CoalescersAskOnceForWhatComesFromMemoryAndTwiceForWhatTheL2Has) {
  L2Config l2 = OneSlice::small_l2();
  l2.coalescers = 1;
  OneSlice slice(l2);
  const auto asked_for = [&] {
    const std::uint64_t before = slice.slice.stats().read_sectors;
    slice.run({OneSlice::read(7), OneSlice::read(7)}, slice.scheduler.now() + 1000);
    return slice.slice.stats().read_sectors - before;
  };
  EXPECT_EQ(asked_for(), 4U);
  EXPECT_EQ(asked_for(), 8U);
}

TEST(L2Contents, WithoutHitsTheOldestLineGoes) {
  OneSlice slice;
  for (std::uint32_t i = 0; i < 5; ++i) slice.run({OneSlice::read(in_set_0(i))});
  EXPECT_EQ(fetches(slice, in_set_0(1)), 0U);
  EXPECT_EQ(fetches(slice, in_set_0(0)), 1U);
}

// A write from a link has gone to memory: what the slice holds is old.
TEST(L2Contents, AReadAfterAWriteFromALinkGoesToMemory) {
  OneSlice slice;
  slice.run({OneSlice::read(7)});
  EXPECT_EQ(fetches(slice, 7), 0U);
  slice.slice.drop(OneSlice::store(7));
  EXPECT_EQ(fetches(slice, 7), 1U);
}

TEST(L2Contents, OnlyTheSectorsThatWereWrittenAreReadAgain) {
  OneSlice slice;
  slice.run({OneSlice::read(7)});
  slice.slice.drop(OneSlice::store(7, 0b0010));
  slice.run({OneSlice::read(7)});
  EXPECT_EQ(slice.entered_dram(Op::read).back().request.sectors, 0b0010);
}

TEST(L2Contents, DirtySectorsThatALinkHasOverwrittenAreNotWrittenBack) {
  OneSlice slice;
  slice.run({OneSlice::store(7)});
  slice.slice.drop(OneSlice::store(7, 0b0011));
  slice.slice.flush(slice.scheduler.now() + 1);
  slice.scheduler.run();
  ASSERT_EQ(slice.entered_dram(Op::write).size(), 1U);
  EXPECT_EQ(slice.entered_dram(Op::write)[0].request.sectors, 0b1100);
}

TEST(L2Contents, AFlushedSliceHoldsNothing) {
  OneSlice slice;
  slice.run({OneSlice::read(3), OneSlice::store(4)});
  slice.slice.flush(slice.scheduler.now() + 1);
  slice.scheduler.run();
  EXPECT_EQ(fetches(slice, 3), 1U);
  EXPECT_EQ(fetches(slice, 4), 1U);
}

TEST(L2Contents, GoToTheNextKernelWhereTheyAreKept) {
  OneSlice first, next;
  first.run({OneSlice::read(3)});
  next.slice.set_contents(first.slice.take_contents());
  EXPECT_EQ(fetches(next, 3), 0U);
}

TEST(L2Contents, AreWrittenBackByTheNextKernelUnderTheNameOfWhoeverWroteThem) {
  OneSlice first, next;
  Request store = OneSlice::store(3);
  store.traffic = Traffic::gemm;
  first.run({store});
  next.slice.set_contents(first.slice.take_contents());
  next.slice.flush(0);
  next.scheduler.run();
  EXPECT_EQ(next.channel.bytes(Traffic::gemm, Op::write), kLineBytes);
}

// 16 KiB in 4 ways: 32 sets; i and i << 5 cancel out.
Run l1_set_0(std::uint32_t i) { return run_of(std::uint64_t{i | i << 5} * kLineBytes, 128); }

std::uint64_t l1_hits(OneCu& cu) { return cu.cu->stats().l1_hit_sectors / 4; }

TEST(L1Contents, AHitMakesALineTheYoungestOfItsSet) {
  OneCu cu;
  std::vector<Group> groups;
  for (std::uint32_t i : {0U, 1U, 2U, 3U}) groups.push_back(loads({l1_set_0(i)}));
  groups.push_back(loads({l1_set_0(0)}));  // hits
  groups.push_back(loads({l1_set_0(4)}));  // replaces 1
  groups.push_back(loads({l1_set_0(0)}));  // hits
  groups.push_back(loads({l1_set_0(1)}));  // does not
  ListedKernel kernel(cu.scheduler, {groups});
  cu.run(kernel, 1, true);
  EXPECT_EQ(l1_hits(cu), 2U);
  EXPECT_EQ(cu.slices[0]->stats().read_requests + cu.slices[1]->stats().read_requests, 6U);
}

TEST(L1Contents, WithoutHitsTheOldestLineGoes) {
  OneCu cu;
  std::vector<Group> groups;
  for (std::uint32_t i : {0U, 1U, 2U, 3U, 4U, 1U, 0U}) groups.push_back(loads({l1_set_0(i)}));
  ListedKernel kernel(cu.scheduler, {groups});
  cu.run(kernel, 1, true);
  EXPECT_EQ(l1_hits(cu), 1U);  // line 1; line 0 was replaced by line 4
}

// Section 2.1: no write-allocate. What a CU stores it does not find in its L1.
TEST(L1Contents, AStoreBringsNoLineIn) {
  OneCu cu;
  ListedKernel kernel(cu.scheduler, {{stores({run_of(0, 128)}), loads({run_of(0, 128)})}});
  cu.run(kernel, 1, true);
  EXPECT_EQ(l1_hits(cu), 0U);
}

}  // namespace
}  // namespace t3sim::test
