#include <gtest/gtest.h>

#include "base/error.h"
#include "sweep/point_list.h"
#include "sweep/store.h"
#include "sweep/sweep_fixture.h"
#include "sweep/sweep_progress.h"
#include "sweep/tables.h"

namespace t3sim::sweep {
namespace {

TEST(PointResults, only_a_whole_result_of_the_right_point_is_one) {
  PointResult result;
  result.rows = {{{"scheme", "t3"}, {"time_us", 1.5}}};
  result.events = 7;
  const std::string text = result_text("abc", result);
  const std::optional<PointResult> read = parse_result(text, "abc");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rows, result.rows);
  EXPECT_EQ(read->events, 7u);
  EXPECT_FALSE(parse_result(text, "abd"));
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(parse_result(text.substr(0, length), "abc")) << length;
  std::string flipped = text;
  flipped[text.size() - 5] ^= 1;
  EXPECT_FALSE(parse_result(flipped, "abc"));
}

TEST(PointLists, are_ranges) {
  using Points = std::vector<std::size_t>;
  EXPECT_EQ(parse_point_list("3-5,9", 10), (Points{3, 4, 5, 9}));
  EXPECT_EQ(format_point_list({3, 4, 5, 9}), "3-5,9");
  EXPECT_EQ(parse_point_list("2,1,1-2", 10), (Points{1, 2}));
  for (const char* wrong : {"", "10", "5-3", "a", "1-", "1,,2"})
    EXPECT_THROW(parse_point_list(wrong, 10), InputError) << wrong;
}

TEST(SweepProgressLines, time_left_follows_the_work_that_was_seen_done) {
  SweepState state;
  state.points = 300;
  state.running = 2;
  EXPECT_EQ(progress_line(state), "[0/300] 2 running, 0 failed");
  state.done = 37;
  state.failed = 1;
  state.seconds = 60;
  state.events = 192e6;
  state.work_done = 10;
  state.work_left = 40;
  EXPECT_EQ(progress_line(state), "[37/300] 2 running, 1 failed, 3.2 M events/s, about 4 min left");
}

class Stores : public Sweeps {};

TEST_F(Stores, a_claim_keeps_others_out_until_it_ends) {
  const Store store = Store::make("out");
  Point point;
  point.key = "key";
  EXPECT_FALSE(store.claimed(point));
  {
    const std::optional<FileLock> mine = store.claim(point);
    EXPECT_TRUE(mine);
    EXPECT_FALSE(store.claim(point));
    EXPECT_TRUE(store.claimed(point));
  }
  EXPECT_FALSE(store.claimed(point));
  EXPECT_TRUE(store.claim(point));
}

TEST_F(Stores, tables_have_one_row_a_point_and_scheme_in_the_order_of_the_plan) {
  const Plan plan = plan_of("base: small.yaml\naxes: {workload.k: [64, 32]}\n");
  const Store store = Store::make("out");
  PointResult first, second;
  first.rows = {{{"scheme", "sequential"}, {"time_us", 3.0}, {"rs_us", 1.0}}};
  second.rows = {{{"scheme", "sequential"}, {"time_us", 2.0}, {"fused_us", 0.5}}};
  store.write_result(plan.points[1], second);
  store.write_result(plan.points[0], first);
  Results results(store, plan);
  results.refresh();
  EXPECT_EQ(csv_text(results.table()),
            "point,workload_k,scheme,time_us,rs_us,fused_us\n"
            "0,64,sequential,3,1,\n"
            "1,32,sequential,2,,0.5\n");
}

}  // namespace
}  // namespace t3sim::sweep
