#include "interconnect/link_account.h"

#include <gtest/gtest.h>

namespace t3sim {
namespace {

TEST(LinkAccount, TellsWhyAPortIsIdleBetweenPackets) {
  LinkAccount account;
  account.send(100, 110);
  account.set_feed(LinkIdle::dma, 130);  // busy to 110, then nothing from the kernel
  account.starve(150);
  account.send(155, 165);
  const LinkTime time = account.time(200);
  EXPECT_EQ(LinkTime::sum(time.first), 100U);
  EXPECT_EQ(time.busy, 20U);
  EXPECT_EQ(time.between(LinkIdle::producer), 20U);
  EXPECT_EQ(time.between(LinkIdle::dma), 20U);
  EXPECT_EQ(time.between(LinkIdle::credit), 5U);
  EXPECT_EQ(LinkTime::sum(time.after_last), 35U);
  EXPECT_EQ(time.total(), 200U);
}

TEST(LinkAccount, WaitsForCreditsOnlyUntilThePacketLeaves) {
  LinkAccount account;
  account.send(0, 10);
  account.starve(10);
  account.send(15, 25);
  account.set_feed(LinkIdle::dma, 25);
  account.send(100, 110);
  EXPECT_EQ(account.time(110).between(LinkIdle::credit), 5U);
  EXPECT_EQ(account.time(110).between(LinkIdle::dma), 75U);
}

TEST(LinkAccount, CountsAPacketThatIsUnderWayAsFarAsItHasCome) {
  LinkAccount account;
  account.send(10, 50);
  EXPECT_EQ(account.time(30).busy, 20U);
  EXPECT_EQ(account.time(60).busy, 40U);
  EXPECT_EQ(account.time(60).total(), 60U);
}

}  // namespace
}  // namespace t3sim
