// The search for the fastest program, on answers that are made up.
#include "tune/program_search.h"

#include <gtest/gtest.h>

namespace t3sim::tune {
namespace {

const std::vector<TunedProgram> kPullOrPush{{"pull", {{"rows", {512, 256, 128}}, {"shift", {1, 0}}}},
                                            {"push", {{"rows", {512, 256, 128}}, {"shift", {1, 0}}}}};

// Push is 10 us faster, tiles of 256 rows are best, and without shift it is slower.
double us_of(const Candidate& c) {
  const std::int64_t rows = c.values.at("rows");
  const double program = c.program == 1 ? 90 : 100;
  return program + (rows == 256 ? 0 : 5) + (c.values.at("shift") == 1 ? 0 : 7);
}

Search searched(std::size_t budget, std::int64_t refused_rows = 0) {
  return search(kPullOrPush, budget, [&](const std::vector<Candidate>& candidates) {
    std::vector<Outcome> outcomes;
    for (const Candidate& c : candidates) {
      const bool refused = c.values.at("rows") == refused_rows;
      outcomes.push_back({us_of(c), 0, refused ? "splits a tile" : ""});
    }
    return outcomes;
  });
}

TEST(SearchOfPrograms, FindsTheBestOfEachKnobWithOthersAtTheirBest) {
  const Search found = searched(100);
  EXPECT_TRUE(found.ended);
  EXPECT_EQ(found.tried[found.best].candidate, (Candidate{1, {{"rows", 256}, {"shift", 1}}}));
  EXPECT_LT(found.tried.size(), 12U) << "not every combination";
}

TEST(SearchOfPrograms, StopsAtItsBudgetAndSaysSo) {
  const Search found = searched(3);
  EXPECT_EQ(found.tried.size(), 3U);
  EXPECT_FALSE(found.ended);
  EXPECT_EQ(found.tried[found.best].candidate.program, 1U);
}

TEST(SearchOfPrograms, GoesOnWhereACandidateIsRefused) {
  const Search without_best = searched(100, 256), without_first = searched(100, 512);
  EXPECT_EQ(without_best.tried[without_best.best].candidate.values.at("rows"), 512);
  EXPECT_EQ(without_first.tried[without_first.best].candidate, (Candidate{1, {{"rows", 256}, {"shift", 1}}}));
}

TEST(SearchOfPrograms, HasNoBestWhereNoneCanRun) {
  const Search none = search({{"one", {}}}, 5, [](const std::vector<Candidate>& candidates) {
    return std::vector<Outcome>(candidates.size(), {0, 0, "no"});
  });
  EXPECT_EQ(none.best, none.tried.size());
}

}  // namespace
}  // namespace t3sim::tune
