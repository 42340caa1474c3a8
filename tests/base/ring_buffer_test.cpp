#include "base/ring_buffer.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "sim/credited_input.h"

namespace t3sim {
namespace {

TEST(RingBuffer, GivesValuesBackInTheOrderInWhichTheyCame) {
  RingBuffer<int> buffer(3);
  for (int i = 0; i < 10; ++i) {
    buffer.push(2 * i);
    buffer.push(2 * i + 1);
    EXPECT_EQ(buffer.pop(), 2 * i);
    EXPECT_EQ(buffer.pop(), 2 * i + 1);
  }
  EXPECT_TRUE(buffer.empty());
}

TEST(RingBuffer, IsFullAtItsCapacityEvenWhenThatIsNoPowerOfTwo) {
  RingBuffer<int> buffer(5);
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(buffer.full());
    buffer.push(i);
  }
  EXPECT_TRUE(buffer.full());
  buffer.pop();
  EXPECT_FALSE(buffer.full());
}

TEST(RingBuffer, HasNoRoomWhenItsCapacityIsNothing) {
  const RingBuffer<int> buffer;
  EXPECT_TRUE(buffer.full());
  EXPECT_TRUE(buffer.empty());
}

TEST(RingBuffer, KeepsTheOrderWhenItGrowsInTheMiddleOfALap) {
  RingBuffer<int> buffer(4);
  for (int i = 0; i < 3; ++i) buffer.push(i);
  buffer.pop();
  buffer.pop();  // the head is in the middle
  for (int i = 3; i < 20; ++i) buffer.push_growing(i);
  EXPECT_EQ(buffer.size(), 18U);
  EXPECT_EQ(buffer.front(), 2);
  EXPECT_EQ(buffer.back(), 19);
  EXPECT_EQ(buffer.at(5), 7);
  for (int i = 2; i < 20; ++i) EXPECT_EQ(buffer.pop(), i);
}

TEST(RingBuffer, BehavesLikeADequeInARandomRun) {
  std::mt19937 random(3);
  RingBuffer<unsigned> buffer(2);
  std::deque<unsigned> reference;
  for (unsigned i = 0; i < 20'000; ++i) {
    if (random() % 5 < 3 || reference.empty()) {
      buffer.push_growing(i);
      reference.push_back(i);
    } else {
      ASSERT_EQ(buffer.pop(), reference.front());
      reference.pop_front();
    }
    ASSERT_EQ(buffer.size(), reference.size());
  }
}

// Remembers when it was granted a place.
class Waiting final : public Sender {
 public:
  void granted(Tick now) override { at.push_back(now); }
  std::vector<Tick> at;
};

TEST(CreditedInput, GivesPlacesBackToWhoeverHasWaitedLongest) {
  CreditedInput input(1);
  Waiting first, second, third;
  EXPECT_TRUE(input.take(first));
  EXPECT_FALSE(input.take(second));
  EXPECT_FALSE(input.take(third));
  input.release(5);
  input.release(9);
  EXPECT_EQ(second.at, std::vector<Tick>{5});
  EXPECT_EQ(third.at, std::vector<Tick>{9});
  EXPECT_TRUE(first.at.empty());
}

TEST(CreditedInput, LetsNobodyPassThoseWhoWait) {
  CreditedInput input(1);
  Waiting first, second, third;
  input.take(first);
  input.take(second);
  input.release(5);  // second has the place now
  EXPECT_FALSE(input.take(third));
  EXPECT_EQ(input.used(), 1U);
  EXPECT_EQ(input.waiting(), 1U);
}

TEST(CreditedInput, CountsThePlacesInUse) {
  CreditedInput input(3);
  Waiting sender;
  input.take(sender);
  input.take(sender);
  EXPECT_EQ(input.used(), 2U);
  input.release(1);
  EXPECT_EQ(input.used(), 1U);
}

}  // namespace
}  // namespace t3sim
