#include "tracker/tracker.h"

#include <gtest/gtest.h>

#include <memory>
#include <tuple>

namespace t3sim {
namespace {

class TrackerTest : public testing::Test {
 protected:
  void build(std::uint32_t ways, std::uint32_t tiles = 1024) {
    TrackerConfig config;
    config.ways = ways;
    tracker = std::make_unique<Tracker>(
        config, tiles, 8,
        [this](std::uint32_t tile, std::uint32_t wavefront, Tick now) {
          completed.emplace_back(tile, wavefront, now);
        },
        [this](Tick now) { freed.push_back(now); });
  }
  static Request update(std::uint32_t tile, std::uint8_t wavefront, bool remote,
                        std::uint8_t sectors = kFullLine) {
    Request r;
    r.op = Op::update;
    r.tile = tile;
    r.wavefront = wavefront;
    r.tracked = true;
    r.remote = remote;
    r.sectors = sectors;
    return r;
  }
  void local(std::uint32_t tile, std::uint8_t wavefront, Tick now = 1, std::uint8_t sectors = kFullLine) {
    tracker->count(update(tile, wavefront, false, sectors), now);
  }
  void remote(std::uint32_t tile, std::uint8_t wavefront, Tick now = 1, std::uint8_t sectors = kFullLine) {
    tracker->count(update(tile, wavefront, true, sectors), now);
  }
  bool may(std::uint32_t tile, std::uint8_t wavefront) {
    return tracker->may_enqueue(update(tile, wavefront, false));
  }

  std::unique_ptr<Tracker> tracker;
  std::vector<std::tuple<std::uint32_t, std::uint32_t, Tick>> completed;
  std::vector<Tick> freed;
};

TEST_F(TrackerTest, CompletesAWavefrontTileExactlyAtItsThreshold) {
  build(0);
  tracker->expect(5, 3, 10);
  local(5, 3, 10);
  remote(5, 3, 20);
  EXPECT_TRUE(completed.empty());
  local(5, 3, 30, 0b0001);
  EXPECT_TRUE(completed.empty());
  EXPECT_EQ(tracker->incomplete(), 1U);
  remote(5, 3, 40, 0b1000);
  ASSERT_EQ(completed.size(), 1U);
  EXPECT_EQ(completed[0], std::make_tuple(5U, 3U, Tick{40}));
  EXPECT_EQ(tracker->incomplete(), 0U);
  EXPECT_EQ(tracker->live_entries(), 0U);
}

TEST_F(TrackerTest, CountsAllUpdatesOfASumThatASwitchHasMade) {
  build(0);
  tracker->expect(5, 3, 4 * 4);
  Request sum = update(5, 3, true);
  sum.updates = 3;
  tracker->count(sum, 10);
  EXPECT_TRUE(completed.empty());
  local(5, 3, 20);
  EXPECT_EQ(completed.size(), 1U);
}

TEST_F(TrackerTest, KeepsWavefrontsOfATileApart) {
  build(0);
  tracker->expect(5, 0, 8);
  tracker->expect(5, 1, 4);
  local(5, 0);
  local(5, 1);
  ASSERT_EQ(completed.size(), 1U);
  EXPECT_EQ(std::get<1>(completed[0]), 1U);
}

// Tiles 7 and 263 share a set; the published tag could not tell stages apart.
TEST_F(TrackerTest, KeepsTilesOfOneSetApart) {
  build(0);
  tracker->expect(7, 0, 8);
  tracker->expect(7 + 256, 0, 8);
  local(7, 0);
  local(7 + 256, 0);
  EXPECT_TRUE(completed.empty());
  EXPECT_EQ(tracker->stats().peak_set_entries, 2U);
  local(7 + 256, 0);
  ASSERT_EQ(completed.size(), 1U);
  EXPECT_EQ(std::get<0>(completed[0]), 263U);
}

TEST_F(TrackerTest, ExpectsNothingOfEmptyWavefrontTiles) {
  build(0);
  tracker->expect(5, 3, 0);
  EXPECT_EQ(tracker->incomplete(), 0U);
}

TEST_F(TrackerTest, RemembersItsPeakOfLiveEntries) {
  build(0);
  for (std::uint32_t tile = 0; tile < 10; ++tile) tracker->expect(tile, 0, 8);
  for (std::uint32_t tile = 0; tile < 6; ++tile) local(tile, 0);
  for (std::uint32_t tile = 0; tile < 6; ++tile) remote(tile, 0);
  for (std::uint32_t tile = 6; tile < 10; ++tile) local(tile, 0);
  EXPECT_EQ(tracker->stats().peak_entries, 6U);
  EXPECT_EQ(tracker->live_entries(), 4U);
  EXPECT_EQ(tracker->stats().lookups, 16U);
  EXPECT_EQ(tracker->stats().completed_entries, 6U);
}

TEST_F(TrackerTest, TurnsALocalStoreAwayThatNeedsAnEntryInAFullSet) {
  build(8);
  for (std::uint32_t w = 0; w < 8; ++w) {
    tracker->expect(5, w, 8);
    tracker->expect(5 + 256, w, 8);
    tracker->expect(6, w, 8);
  }
  for (std::uint8_t w = 0; w < 8; ++w) {
    EXPECT_TRUE(may(5, w));
    local(5, w);
  }
  EXPECT_FALSE(may(5 + 256, 0));
  EXPECT_TRUE(may(5, 7));  // its entry is there
  EXPECT_TRUE(may(6, 0));  // another set
  EXPECT_EQ(tracker->stats().refusals, 1U);
}

TEST_F(TrackerTest, TellsTheControllersOnceWhenAnEntryOfAFullSetIsFree) {
  build(8);
  for (std::uint32_t w = 0; w < 8; ++w) {
    tracker->expect(5, w, 8);
    tracker->expect(5 + 256, w, 8);
    local(5, static_cast<std::uint8_t>(w));
  }
  remote(5, 0, 10);
  EXPECT_TRUE(freed.empty());  // nobody had asked
  local(5 + 256, 0);
  EXPECT_FALSE(may(5 + 256, 1));
  remote(5, 1, 20);
  EXPECT_EQ(freed, std::vector<Tick>{20});
  EXPECT_TRUE(may(5 + 256, 1));
  remote(5, 2, 30);
  EXPECT_EQ(freed.size(), 1U);
}

TEST_F(TrackerTest, NeverMakesUpdatesFromALinkCountAgainstLocalStores) {
  build(8);
  for (std::uint32_t tile = 0; tile < 1024; tile += 256)
    for (std::uint32_t w = 0; w < 8; ++w) tracker->expect(tile, w, 8);
  for (std::uint32_t tile = 256; tile < 1024; tile += 256)
    for (std::uint8_t w = 0; w < 8; ++w) remote(tile, w);  // neighbours are ahead: 24 entries
  EXPECT_EQ(tracker->stats().spilled_entries, 24U - 8);
  for (std::uint8_t w = 0; w < 8; ++w) {
    EXPECT_TRUE(may(0, w));
    local(0, w);
  }
  EXPECT_TRUE(may(256, 3));  // opened by the link: no new entry
  EXPECT_EQ(tracker->stats().peak_set_entries, 32U);
  EXPECT_EQ(tracker->stats().spilled_entries, 32U - 8);
}

TEST_F(TrackerTest, GivesNoWayToLocalStoresWhenAnEntryThatALinkHasOpenedEnds) {
  build(2);
  for (std::uint32_t tile : {0U, 256U, 512U, 768U}) tracker->expect(tile, 0, 8);  // all of set 0
  local(0, 0);
  local(256, 0);
  remote(512, 0);
  EXPECT_FALSE(may(768, 0));
  remote(512, 0);  // complete
  EXPECT_FALSE(may(768, 0));
  EXPECT_TRUE(freed.empty());
  remote(0, 0);  // one of the two that took a way
  EXPECT_TRUE(may(768, 0));
  EXPECT_EQ(freed.size(), 1U);
}

TEST_F(TrackerTest, TellsThatAWayIsFreeHoweverManyEntriesLinksHaveOpened) {
  build(2, 2048);
  for (std::uint32_t tile : {0U, 256U, 512U, 768U, 1024U}) tracker->expect(tile, 0, 8);  // all of set 0
  local(0, 0);
  local(256, 0);
  remote(512, 0);
  remote(768, 0);
  EXPECT_FALSE(may(1024, 0));
  remote(0, 0, 20);
  EXPECT_EQ(freed, std::vector<Tick>{20});
  EXPECT_TRUE(may(1024, 0));
}

TEST_F(TrackerTest, CountsAWayForTheLocalStoreThatOpenedAnEntryWhoeverEndsIt) {
  build(1);
  for (std::uint32_t tile : {0U, 256U, 512U}) tracker->expect(tile, 0, 8);
  remote(0, 0);
  local(0, 0);  // ends what the link has opened: no way was taken, none is free
  local(256, 0);
  EXPECT_FALSE(may(512, 0));
  remote(256, 0);
  EXPECT_TRUE(may(512, 0));
}

TEST_F(TrackerTest, KeepsSetsApart) {
  build(1);
  for (std::uint32_t tile : {0U, 256U, 1U}) tracker->expect(tile, 0, 8);
  local(0, 0);
  EXPECT_FALSE(may(256, 0));
  EXPECT_TRUE(may(1, 0));
}

TEST_F(TrackerTest, NeverTurnsAnythingAwayWhenUnbounded) {
  build(0);
  for (std::uint32_t tile = 0; tile < 1024; ++tile) {
    tracker->expect(tile, 0, 8);
    EXPECT_TRUE(may(tile, 0));
    local(tile, 0);
  }
  EXPECT_EQ(tracker->stats().spilled_entries, 0U);
  EXPECT_EQ(tracker->stats().peak_set_entries, 4U);
  EXPECT_EQ(tracker->stats().peak_entries, 1024U);
}

TEST_F(TrackerTest, NamesTheWavefrontTilesThatAreNotComplete) {
  build(0);
  for (std::uint32_t tile = 0; tile < 6; ++tile) tracker->expect(tile, 2, 8);
  local(0, 2);
  const std::string text = tracker->describe_waiting();
  EXPECT_NE(text.find("tile 0 wavefront 2 waits for 4 more sector updates"), std::string::npos) << text;
  EXPECT_NE(text.find("6 wavefront tiles incomplete in all"), std::string::npos) << text;
}

}  // namespace
}  // namespace t3sim
