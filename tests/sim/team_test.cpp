#include "sim/team.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace t3sim {
namespace {

std::string failure_of(Team& team, std::size_t parts, const Team::Part& part) {
  try {
    team.run(parts, part);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "none";
}

TEST(Team, DoesEveryPartOnceOnAnyNumberOfThreads) {
  for (unsigned threads : {1U, 2U, 3U, 8U}) {
    Team team(threads);
    std::vector<int> done(5);
    for (int step = 0; step < 200; ++step) team.run(done.size(), [&](std::size_t i) { ++done[i]; });
    EXPECT_EQ(done, std::vector<int>(5, 200)) << threads << " threads";
  }
}

TEST(Team, ThrowsWhatTheFirstPartHasThrownAndGoesOnAfterwards) {
  Team team(3);
  const Team::Part from_two_on = [](std::size_t i) {
    if (i >= 2) throw std::runtime_error(std::to_string(i));
  };
  for (int step = 0; step < 50; ++step) EXPECT_EQ(failure_of(team, 6, from_two_on), "2");
  EXPECT_EQ(failure_of(team, 2, from_two_on), "none");
}

TEST(Team, CountsTheCpuTimeOfItsThreads) {
  Team alone(1), two(2);
  EXPECT_EQ(alone.helpers_cpu_seconds(), 0);
  two.run(2, [](std::size_t) {
    const double start = thread_cpu_seconds();
    while (thread_cpu_seconds() < start + 0.02) {
    }
  });
  EXPECT_GT(two.helpers_cpu_seconds(), 0);
}

}  // namespace
}  // namespace t3sim
