// Ports and storage of the Tracker's table.
#include "tracker/table_size.h"

#include <gtest/gtest.h>

#include "tracker/lookup_ports.h"
#include "tracker/tracker.h"

namespace t3sim {
namespace {

TEST(LookupPorts, WithoutALimitLookAtOnce) {
  LookupPorts ports(0, Clock(5));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(ports.look_up(7), 7U);
}

TEST(LookupPorts, MakeSoManyLookupsACycleInOrder) {
  LookupPorts ports(2, Clock(5));
  EXPECT_EQ(ports.look_up(7), 10U);
  EXPECT_EQ(ports.look_up(7), 10U);
  EXPECT_EQ(ports.look_up(8), 15U);
  EXPECT_EQ(ports.look_up(10), 15U);
  EXPECT_EQ(ports.look_up(10), 20U);
  EXPECT_EQ(ports.look_up(31), 35U);  // they have caught up
}

TEST(LookupPorts, ServeTheFirstLookupAtTickZero) {
  LookupPorts ports(1, Clock(5));
  EXPECT_EQ(ports.look_up(0), 0U);
  EXPECT_EQ(ports.look_up(0), 5U);
}

// The paper's 19 KB are 2048 entries of 76 bits.
TEST(TrackerEntryBits, OfThePublishedSizeAre76) {
  TrackerEntryBits bits;
  bits.valid = 0;
  bits.tag = 2;
  bits.wavefront = 3;
  bits.address = 57;
  bits.counter = 14;
  EXPECT_EQ(bits.total(), 76U);
  EXPECT_EQ(bits.table_bytes(kPaperTrackerWays), kPaperTrackerBytes);
}

TEST(LiveTags, SpanTheWorkgroupsThatAreLiveInOneSet) {
  LiveTags tags(4096);
  EXPECT_EQ(tags.add(5), 1U);
  EXPECT_EQ(tags.add(6 + 1024), 1U);  // another set
  EXPECT_EQ(tags.add(5 + 768), 4U);
  EXPECT_EQ(tags.add(5), 4U);
  tags.remove(5);
  EXPECT_EQ(tags.add(5 + 512), 4U);  // workgroup 5 has another entry
  tags.remove(5);
  EXPECT_EQ(tags.add(5 + 512), 2U);
}

class PortedTracker : public testing::Test {
 protected:
  static Request update(std::uint32_t tile, std::uint8_t wavefront) {
    Request r;
    r.op = Op::update;
    r.tile = tile;
    r.wavefront = wavefront;
    r.tracked = true;
    return r;
  }
  Tracker make(std::uint32_t ways, std::uint32_t ports) {
    return Tracker(
        {ways, ports, Clock(5)}, 1024, 8,
        [this](std::uint32_t, std::uint32_t, Tick at) { completed.push_back(at); }, [](Tick) {});
  }
  std::vector<Tick> completed;
};

TEST_F(PortedTracker, TriggersAfterTheLookupThatCompletesATile) {
  Tracker tracker = make(0, 1);
  tracker.expect(1, 0, 4);
  tracker.expect(2, 0, 4);
  tracker.expect(3, 0, 4);
  for (std::uint32_t tile : {1U, 2U, 3U}) tracker.count(update(tile, 0), 10);
  EXPECT_EQ(completed, (std::vector<Tick>{10, 15, 20}));
  EXPECT_EQ(tracker.stats().lookup_wait, 15U);
  EXPECT_EQ(tracker.stats().longest_lookup_wait, 10U);
}

TEST_F(PortedTracker, KeepsAReservedEntryUntilItsAccessesAreCounted) {
  Tracker tracker = make(1, 0);
  tracker.expect(7, 0, 8);
  tracker.expect(7, 1, 4);
  tracker.reserve(update(7, 0), 10);
  EXPECT_EQ(tracker.live_entries(), 1U);
  EXPECT_FALSE(tracker.may_enqueue(update(7, 1)));
  tracker.reserve(update(7, 0), 11);
  tracker.count(update(7, 0), 20);
  EXPECT_TRUE(completed.empty());
  tracker.count(update(7, 0), 30);
  EXPECT_EQ(completed, std::vector<Tick>{30});
  EXPECT_EQ(tracker.stats().life, 20U);
  EXPECT_TRUE(tracker.may_enqueue(update(7, 1)));
}

TEST_F(PortedTracker, DerivesTheWidthsOfItsFieldsFromWhatTheRunNeeded) {
  Tracker tracker = make(0, 0);
  tracker.expect(7, 0, 256);
  tracker.expect(7 + 3 * 256, 0, 8);
  tracker.count(update(7, 0), 1);
  tracker.count(update(7 + 3 * 256, 0), 1);
  const TrackerEntryBits bits = tracker.entry_bits(1ULL << 30);
  EXPECT_EQ(bits.tag, 2U);
  EXPECT_EQ(bits.wavefront, 3U);
  EXPECT_EQ(bits.counter, 9U);  // 0 to 256
  EXPECT_EQ(bits.address, 30U);
  EXPECT_EQ(bits.total(), 45U);
}

}  // namespace
}  // namespace t3sim
