// The clock that power allows.
#include <gtest/gtest.h>

#include <cmath>

#include "machine/power.h"

namespace t3sim {
namespace {

TEST(TheClockUnderPower, falls_with_the_root_of_the_matrix_units_work) {
  const PowerConfig power{.idle_share = 0.3, .matrix_share = 1.4, .transfer_share = 0.1};
  EXPECT_DOUBLE_EQ(clock_share(power, {0.5, 0}), 1);  // 0.7 of 0.7
  EXPECT_DOUBLE_EQ(clock_share(power, {1, 0}), std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(clock_share(power, {1, 1}), std::sqrt(0.6 / 1.4));  // busy links take their part
  EXPECT_DOUBLE_EQ(clock_share({.idle_share = 0.3, .matrix_share = 2.8, .zeros_share = 0.5}, {1, 0, true}),
                   std::sqrt(0.5));
}

TEST(TheClockUnderPower, moves_in_steps_of_20_MHz) {
  EXPECT_EQ(stepped_clock(1'980'000'000, 1), 1'980'000'000U);
  EXPECT_EQ(stepped_clock(1'980'000'000, 0.9), 1'780'000'000U);
}

TEST(UseOfAGpu, is_a_share_of_its_peak) {
  GpuConfig gpu;
  gpu.cus = 132;
  gpu.matrix_flops_per_cycle = 4096;
  EXPECT_DOUBLE_EQ(matrix_use(gpu, 1'000'000'000, 132.0 * 4096 * 1e9, 2), 0.5);
  LinkConfig link;
  link.bandwidth_Bps = 450'000'000'000;
  link.header_bytes = 32;
  EXPECT_DOUBLE_EQ(link_use(link, 360e9, 1), 1);
}

}  // namespace
}  // namespace t3sim
