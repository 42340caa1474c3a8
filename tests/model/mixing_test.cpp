// Calls of several backends by several ranks: naive mixes that deadlock, and MCR-DL's rules, under which none does.
#include "model/mixing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/error.h"
#include "in_folder.h"

namespace t3sim::model {
namespace {

using message::Progress;

Statement call(const std::string& backend, const std::string& array) {
  return {Statement::What::call, backend, array, {}};
}
Statement wait(const std::string& array) { return {Statement::What::wait, {}, array, {}}; }
Statement add(const std::string& a, const std::string& b) { return {Statement::What::add, {}, a, b}; }

using Ranks = std::vector<std::vector<Statement>>;
Mix mix(Ranks ranks) {
  return {"",
          {{"n", Progress::stream}, {"s", Progress::stream}, {"m", Progress::host}, {"o", Progress::host}},
          std::move(ranks)};
}

std::string deadlock(const Mix& m) {
  try {
    run_mix(m, Rules::naive);
  } catch (const NoProgressError& e) {
    return e.what();
  }
  return "";
}

// Each mix in which ranks come to two backends in another order, without a wait between.
std::vector<Mix> planted() {
  const Statement n = call("n", "x"), s = call("s", "y"), m = call("m", "y"), o = call("o", "x"),
                  third = call("m", "z");
  return {mix({{n, m}, {m, n}}),
          mix({{m, n}, {n, m}}),
          mix({{n, s}, {s, n}}),
          mix({{m, o}, {o, m}}),
          mix({{n, m}, {n, m}, {m, n}}),
          mix({{n, s, third}, {s, n, third}}),
          mix({{n, s, third}, {s, third, n}, {third, n, s}}),
          mix({{n, m, wait("x"), wait("y"), add("x", "y")}, {m, n, wait("x"), wait("y"), add("x", "y")}}),
          mix({{add("x", "y"), o, s}, {add("x", "y"), s, o}}),
          mix({{n, s}, {n, s}, {n, s}, {s, n}})};
}

TEST(NaiveMixes, ThatDeadlockAreFoundWithTheRingOfThoseWhoWait) {
  ASSERT_EQ(planted().size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    const std::string message = deadlock(planted()[i]);
    SCOPED_TRACE(i);
    EXPECT_NE(message.find("ring"), std::string::npos) << message;
    EXPECT_NE(message.find("of rank"), message.rfind("of rank")) << message;
  }
}

TEST(NaiveMixes, GoWellInOneOrder) {
  const std::vector<Statement> both{call("n", "x"), call("m", "y"), wait("x"), add("x", "y")};
  const Mix m = mix({both, both, both});
  EXPECT_EQ(run_mix(m, Rules::naive), expected_values(m));
}

TEST(MixesUnderMcrDlsRules, EndWhereNaiveOnesDoNot) {
  for (const Mix& m : planted()) EXPECT_EQ(run_mix(m, Rules::mcr_dl), expected_values(m));
}

// Phases: calls on arrays of their own, in each rank's own order but for those of a backend; then waits and sums.
Mix drawn(std::mt19937& random) {
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const std::vector<std::string> backends{"n", "s", "m", "o"}, arrays{"a", "b", "c", "d", "e"};
  Mix m = mix(Ranks(2 + below(4)));
  for (std::size_t phase = 1 + below(4); phase-- > 0;) {
    std::vector<std::string> free = arrays;
    std::ranges::shuffle(free, random);
    const std::size_t calls = 1 + below(arrays.size());
    std::vector<std::string> of(calls);
    for (std::string& backend : of) backend = backends[below(backends.size())];
    for (auto& statements : m.ranks) {
      std::vector<std::string> order = of;  // which backend is next
      std::ranges::shuffle(order, random);
      std::map<std::string, std::size_t> next;
      for (const std::string& backend : order) {
        std::size_t& i = next[backend];
        while (of[i] != backend) ++i;
        statements.push_back(call(backend, free[i++]));
      }
    }
    const std::size_t a = below(arrays.size()), b = below(arrays.size());
    for (auto& statements : m.ranks) {
      for (std::size_t i = 0; i < calls; ++i) statements.push_back(wait(free[i]));
      statements.push_back(add(arrays[a], arrays[b]));
    }
  }
  return m;
}

TEST(MixesUnderMcrDlsRules, FinishWithTheRightValues) {
  std::mt19937 random(27);
  int naive_deadlocks = 0;
  for (int i = 0; i < 1000; ++i) {
    const Mix m = drawn(random);
    SCOPED_TRACE(i);
    ASSERT_EQ(run_mix(m, Rules::mcr_dl), expected_values(m));
    naive_deadlocks += !deadlock(m).empty();
  }
  EXPECT_GT(naive_deadlocks, 500);  // they are not ones that always go well
}

TEST(MixesUnderMcrDlsRules, NeedAWaitBeforeAUse) {
  const std::vector<Statement> both{call("n", "x"), add("x", "y")};
  EXPECT_THROW(run_mix(mix({both, both}), Rules::mcr_dl), InputError);
}

// Which of the two would come first, nothing says.
TEST(MixesUnderMcrDlsRules, NeedAWaitBeforeAnotherCallOnTheSameArray) {
  const Mix crossing =
      mix({{call("n", "x"), call("s", "x"), wait("x")}, {call("s", "x"), call("n", "x"), wait("x")}});
  EXPECT_THROW(run_mix(crossing, Rules::mcr_dl), InputError);
  EXPECT_THROW(expected_values(crossing), InputError);
  EXPECT_FALSE(deadlock(crossing).empty());
  const std::vector<Statement> both{call("n", "x"), wait("x"), call("s", "x"), wait("x")};
  EXPECT_EQ(run_mix(mix({both, both}), Rules::mcr_dl), expected_values(mix({both, both})));
}

TEST(Mixes, WhoseCallsDoNotMatchAreRefused) {
  EXPECT_THROW(run_mix(mix({{call("n", "x")}, {}}), Rules::mcr_dl), InputError);
}

}  // namespace
}  // namespace t3sim::model
