// A bounded queue's places: who gets one, and when.
#include "sim/credited_input.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace t3sim {
namespace {

class Waiter final : public Sender {
 public:
  Waiter(int number, std::vector<std::pair<int, Tick>>& grants) : number_(number), grants_(grants) {}
  void granted(Tick now) override { grants_.emplace_back(number_, now); }

 private:
  int number_;
  std::vector<std::pair<int, Tick>>& grants_;
};

TEST(CreditedInput, GivesAPlaceThatComesBackToTheLongestWaiterAtOnce) {
  std::vector<std::pair<int, Tick>> grants;
  Waiter a(1, grants), b(2, grants), c(3, grants);
  CreditedInput input(1);
  EXPECT_TRUE(input.take(a));
  EXPECT_FALSE(input.take(b));
  EXPECT_FALSE(input.take(c));
  EXPECT_EQ(input.waiting(), 2U);
  input.release(10);
  input.release(25);
  EXPECT_EQ(grants, (std::vector<std::pair<int, Tick>>{{2, 10}, {3, 25}}));
  EXPECT_EQ(input.used(), 1U);
}

TEST(CreditedInput, HasAFreePlaceAgainWhenNobodyWaits) {
  std::vector<std::pair<int, Tick>> grants;
  Waiter a(1, grants);
  CreditedInput input(2);
  EXPECT_TRUE(input.take(a));
  EXPECT_TRUE(input.take(a));
  EXPECT_FALSE(input.take(a));
  input.release(5);  // the waiter's
  input.release(6);
  EXPECT_EQ(input.used(), 1U);
  EXPECT_TRUE(input.take(a));
  EXPECT_EQ(grants.size(), 1U);
}

}  // namespace
}  // namespace t3sim
