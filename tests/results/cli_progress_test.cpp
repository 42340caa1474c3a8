#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <thread>

#include "results/progress.h"

namespace t3sim {
namespace {

// What `action` makes a Progress of that mode write.
template <class Action>
std::string written(Progress::Mode mode, Action action) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* file = ::open_memstream(&text, &size);
  {
    Progress progress(mode, file);
    action(progress);
  }
  std::fclose(file);
  std::string result(text, size);
  std::free(text);
  return result;
}

TEST(Progress, is_silent_when_asked_to) {
  EXPECT_EQ(written(Progress::Mode::silent,
                    [](Progress& p) {
                      p.begin("t3", 1, 2);
                      p.update(1, 0.5);
                      p.end(1);
                    }),
            "");
}

TEST(Progress, rewrites_one_line_on_a_terminal_and_wipes_it_at_the_end) {
  EXPECT_EQ(written(Progress::Mode::rewrite,
                    [](Progress& p) {
                      p.begin("t3", 1, 2);
                      p.update(1, 0.5);
                      p.end(1);
                    }),
            "\r\033[K[1/2] t3: 0 %\r\033[K");
}

TEST(Progress, writes_at_most_five_times_a_second) {
  const std::string text = written(Progress::Mode::rewrite, [](Progress& p) {
    p.begin("t3", 1, 1);
    for (int i = 0; i < 1'000'000; ++i) p.update(1, i / 1e6);
  });
  EXPECT_LT(text.size(), 1000u);
}

TEST(Progress, tells_a_time_left_once_there_is_ground_for_one) {
  const std::string text = written(Progress::Mode::rewrite, [](Progress& p) {
    p.begin("t3", 1, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    p.update(1, 0.5);
  });
  EXPECT_NE(text.find("[1/1] t3: 50 %, about 1 s left in this step"), std::string::npos) << text;
}

TEST(Progress, writes_a_line_a_phase_to_a_log) {
  EXPECT_EQ(written(Progress::Mode::lines,
                    [](Progress& p) {
                      p.begin("t3", 1, 2);
                      p.update(1, 0.5);
                      p.end(1);
                    }),
            "[1/2] t3: done in 0 s\n");
}

TEST(Progress, shows_phases_that_run_side_by_side) {
  const std::string text = written(Progress::Mode::rewrite, [](Progress& p) {
    p.begin("gemm", 1, 3);
    p.begin("t3", 3, 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    p.update(3, 0.5);
    p.end(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    p.update(3, 0.6);
  });
  EXPECT_EQ(
      text,
      "\r\033[K[1/3] gemm: 0 %\r\033[K[1/3] gemm: 0 %; [3/3] t3: 50 %\r\033[K\r\033[K[3/3] t3: 60 %\r\033[K");
}

TEST(Progress, says_seconds_as_people_do) {
  EXPECT_EQ(spoken_seconds(40), "40 s");
  EXPECT_EQ(spoken_seconds(180), "3 min");
  EXPECT_EQ(spoken_seconds(9000), "2.5 h");
}

}  // namespace
}  // namespace t3sim
