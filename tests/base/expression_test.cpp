#include "base/expression.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace t3sim {
namespace {

const Vocabulary kNames{{"n", "r", "count"}, {{"node_size", "node_size is not given"}}};

// n = 4, r = 1, count = 10
std::int64_t value(const std::string& text) {
  return Expression(text, kNames).evaluate(std::vector<std::int64_t>{4, 1, 10});
}
// "offset: message"
std::string error(const std::string& text) {
  try {
    value(text);
  } catch (const ExpressionError& e) {
    return std::to_string(e.offset) + ": " + e.what();
  }
  return "(accepted)";
}

TEST(Expression, CountsAndMultipliesBeforeItAdds) {
  EXPECT_EQ(value("2 + 3 * 4 - 1"), 13);
  EXPECT_EQ(value("(2 + 3) * 4"), 20);
  EXPECT_EQ(value("10 - 3 - 2"), 5);
  EXPECT_EQ(value("100 / 5 / 2"), 10);
  EXPECT_EQ(value("-2 * -n"), 8);
  EXPECT_EQ(value("n*count+r"), 41);
}

TEST(Expression, TakesRemaindersThatAreNeverNegative) {
  for (std::int64_t a = -9; a <= 9; ++a)
    for (std::int64_t b : {-4, -1, 1, 3, 4}) {
      const std::string pair = "(" + std::to_string(a) + ") X (" + std::to_string(b) + ")";
      const auto with = [&](char op) {
        std::string text = pair;
        text[text.find('X')] = op;
        return value(text);
      };
      EXPECT_GE(with('%'), 0) << pair;
      EXPECT_LT(with('%'), std::abs(b)) << pair;
      EXPECT_EQ(with('/') * b + with('%'), a) << pair;
    }
  EXPECT_EQ(value("(r - 2) % n"), 3);
}

TEST(Expression, ComparesAndJoinsTruths) {
  EXPECT_EQ(value("r == 1 and n != 4"), 0);
  EXPECT_EQ(value("r == 2 or n >= 4 and r <= 1"), 1);
  EXPECT_EQ(value("not r > 1"), 1);
  EXPECT_EQ(value("not not (r < 1)"), 0);
  EXPECT_EQ(value("not r == 1 or r == 1"), 1);
  EXPECT_EQ(value("1 + (r < n) * 2"), 3);
}

TEST(Expression, LooksAtTheRightSideOnlyWhenNeeded) {
  EXPECT_EQ(value("r == 0 and n / 0 == 1"), 0);
  EXPECT_EQ(value("r == 1 or n / 0 == 1"), 1);
}

TEST(Expression, KnowsMinAndMax) { EXPECT_EQ(value("min(n, r + 1) + max(count, min(3, 2))"), 12); }

TEST(Expression, ChoosesBetweenTwoSidesAndLooksAtOneOnly) {
  EXPECT_EQ(value("r == 1 ? 7 : n / 0"), 7);
  EXPECT_EQ(value("r == 0 ? n / 0 : 8"), 8);
  EXPECT_EQ(value("r == 0 ? 1 : r == 1 ? 2 : 3"), 2);
  EXPECT_EQ(value("r == 1 ? r == 2 ? 4 : 5 : 6"), 5);
  EXPECT_EQ(value("2 * (r < n ? n : r) + min(r == 1 ? 3 : 9, 4)"), 11);
  EXPECT_EQ(error("r ? 1"), "5: expected :, found the end");
  EXPECT_EQ(error("r ? : 1"), "4: expected a number, a name, -, not, min, max or (, found \":\"");
  std::string nested = "1";
  for (int i = 0; i < 101; ++i) nested = "1?" + nested + ":1";
  EXPECT_EQ(error(nested), "201: nested too deeply");
}

TEST(Expression, SaysWhereAndWhatItDoesNotUnderstand) {
  EXPECT_EQ(error(""), "0: expected a number, a name, -, not, min, max or (, found the end");
  EXPECT_EQ(error("r +"), "3: expected a number, a name, -, not, min, max or (, found the end");
  EXPECT_EQ(error("(r + 1"), "6: expected ), found the end");
  EXPECT_EQ(error("r + 1)"), "5: expected an operator or the end, found \")\"");
  EXPECT_EQ(error("r = 1"), "2: expected an operator or the end, found \"=\"; did you mean ==?");
  EXPECT_EQ(error("r == 1 & n"), "7: expected an operator or the end, found \"&\"; did you mean and?");
  EXPECT_EQ(error("!r"),
            "0: expected a number, a name, -, not, min, max or (, found \"!\"; did you mean not?");
  EXPECT_EQ(error("0 < r < n"), "6: comparisons do not chain; join them with and");
  EXPECT_EQ(error("min(1)"), "5: expected ,, found \")\"");
  EXPECT_EQ(error("2n"), "0: \"2n\" is neither a number nor a name");
  EXPECT_EQ(error("1 + \xC3\xA4"), "4: expected a number, a name, -, not, min, max or (, found \"\xC3\"");
}

TEST(Expression, NamesWhatMayBeUsed) {
  EXPECT_EQ(error("r + q"), "4: unknown name \"q\"; allowed here: n, r, count");
  EXPECT_EQ(error("conut % 2"), "0: unknown name \"conut\"; allowed here: n, r, count; did you mean count?");
  EXPECT_EQ(error("node_size > 1"), "0: node_size is not given");
}

TEST(Expression, RefusesWhatHasNoValue) {
  EXPECT_EQ(error("n / (r - 1)"), "2: division by zero");
  EXPECT_EQ(error("n % 0"), "2: division by zero");
  EXPECT_EQ(error("9223372036854775807 + r"), "20: the result is beyond 64 bits");
  EXPECT_EQ(error("9223372036854775808"), "0: \"9223372036854775808\" is too large");
  EXPECT_EQ(error("(-9223372036854775807 - 1) / -1"), "27: the result is beyond 64 bits");
  EXPECT_EQ(error("-(-9223372036854775807 - 1)"), "0: the result is beyond 64 bits");
  EXPECT_EQ(value("(-9223372036854775807 - 1) % -1"), 0);
}

TEST(Expression, RefusesWhatIsTooLongOrNestedTooDeeply) {
  EXPECT_EQ(error(std::string(150, '(') + "1" + std::string(150, ')')), "100: nested too deeply");
  EXPECT_EQ(error(std::string(150, '-') + "1"), "100: nested too deeply");
  EXPECT_EQ(error(std::string(1001, '1')), "0: longer than 1000 characters");
}

TEST(Expression, KnowsItsOwnWordsFromNames) {
  EXPECT_TRUE(is_expression_name("node_size"));
  EXPECT_TRUE(is_expression_name("x2"));
  for (const char* word : {"", "2x", "a-b", "and", "not", "min", "a b"})
    EXPECT_FALSE(is_expression_name(word));
}

}  // namespace
}  // namespace t3sim
