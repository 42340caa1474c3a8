#include "sim/tasks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

namespace t3sim {
namespace {

TEST(Tasks, RunAfterWhatTheyNeedOnAnyNumberOfThreads) {
  for (unsigned threads : {1U, 2U, 8U}) {
    std::vector<int> value(40, 0);
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const bool needs = i >= 4;
      tasks.push_back({[&value, i, needs] { value[i] = needs ? value[i - 4] + 1 : 1; },
                       needs ? std::optional(i - 4) : std::nullopt});
    }
    run_tasks(tasks, threads);
    EXPECT_EQ(value[39], 10) << threads << " threads";
    EXPECT_EQ(value[36], 10) << threads << " threads";
  }
}

TEST(Tasks, ThrowWhatTheFirstInTheListHasThrown) {
  for (unsigned threads : {1U, 2U, 8U})
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::atomic<int> ran = 0;
      std::vector<Task> tasks(12, Task{[&] { ++ran; }, std::nullopt});
      for (std::size_t i : {3U, 5U, 9U}) tasks[i].run = [i] { throw std::runtime_error(std::to_string(i)); };
      tasks[4].after = 3;
      tasks[9].cost = 2, tasks[5].cost = 1;  // they fail before the first
      try {
        run_tasks(tasks, threads);
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "3") << threads << " threads";
      }
      EXPECT_GE(ran, 3);
      EXPECT_LE(ran, 8);  // neither those that fail, nor the one that needs such a one
    }
}

TEST(Tasks, BeginWithWhatMostCostHangsOn) {
  std::string order;
  const auto task = [&](char name, std::optional<std::size_t> after, double cost) {
    return Task{[&order, name] { order += name; }, after, cost};
  };
  // On c hang 4 and the 3 of g, so 7; on a its own 1 and that of c, not that of d as well.
  run_tasks({task('a', std::nullopt, 1), task('b', std::nullopt, 10), task('c', 0, 4), task('d', 0, 5.5),
             task('e', std::nullopt, 7), task('f', std::nullopt, 7), task('g', 2, 3)},
            1);
  EXPECT_EQ(order, "bacefdg");
}

TEST(Tasks, OfAnEmptyListAreDoneAtOnce) { run_tasks({}, 4); }

}  // namespace
}  // namespace t3sim
