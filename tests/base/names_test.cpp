#include "base/names.h"

#include <gtest/gtest.h>

namespace t3sim {
namespace {

enum class Colour { red, green, nameless };
constexpr auto names_of(Colour) {
  return std::array{Named{"red", Colour::red}, Named{"green", Colour::green}};
}
enum class Plain { one };

TEST(Names, AreFoundByTheTypeOfTheEnum) {
  EXPECT_EQ(to_string(Colour::green), "green");
  static_assert(HasNames<Colour> && !HasNames<Plain>);
}

TEST(Names, AreEmptyForWhatTheTableDoesNotHave) { EXPECT_EQ(to_string(Colour::nameless), ""); }

}  // namespace
}  // namespace t3sim
