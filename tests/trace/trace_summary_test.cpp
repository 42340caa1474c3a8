#include "trace/trace_summary.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "kernel/gemm_kernel.h"
#include "kernel/reordered_kernel.h"
#include "trace/import/timeline/timeline_kernel.h"
#include "trace/trace_picture.h"

namespace t3sim {
namespace {

GemmSpec spec_of(GemmShape shape) {
  GemmSpec spec;
  spec.shape = shape;
  spec.place(0);
  return spec;
}

TraceSummary summary_of(const GemmSpec& spec, const IdealMachine& machine = {}) {
  GemmKernel kernel(spec);
  return summarize(kernel, spec, machine);
}

std::vector<std::uint32_t> tiles_of(const KernelSource& kernel) {
  std::vector<std::uint32_t> tiles;
  for (std::uint32_t i = 0; i < kernel.workgroups(); ++i) tiles.push_back(kernel.tile(i));
  return tiles;
}

TEST(TraceSummary, CountsBytesByMatrix) {
  const TraceSummary s = summary_of(spec_of({256, 384, 128}));
  EXPECT_EQ(s.load_bytes[static_cast<std::size_t>(Operand::a)], 3U * 256 * 128 * 2);
  EXPECT_EQ(s.load_bytes[static_cast<std::size_t>(Operand::b)], 2U * 384 * 128 * 2);
  EXPECT_EQ(s.load_bytes[static_cast<std::size_t>(Operand::other)], 0U);
  EXPECT_EQ(s.store_bytes, 256U * 384 * 2);
}

TEST(TraceSummary, CountsEachByteOnceAsTouched) {
  const TraceSummary s = summary_of(spec_of({256, 384, 128}));
  EXPECT_EQ(s.touched_load_bytes, (256U + 384U) * 128 * 2);
  EXPECT_EQ(s.touched_store_bytes, 256U * 384 * 2);
}

TEST(TraceSummary, PartsOfASplitKAreUpdates) {
  GemmSpec spec = spec_of({256, 384, 128});
  spec.split_k = 2;
  const TraceSummary s = summary_of(spec);
  EXPECT_EQ(s.store_bytes, 0U);
  EXPECT_EQ(s.update_bytes, 2U * 256 * 384 * 2);
  EXPECT_EQ(s.useful_flops, 2ULL * 256 * 384 * 128);
}

TEST(TraceSummary, AStageIsWhatTheMachineRunsAtATime) {
  const TraceSummary s = summary_of(spec_of({8192, 4256, 64}));
  EXPECT_EQ(s.workgroups_per_stage, 160U);
  ASSERT_EQ(s.stages.size(), 14U);  // section 2.5: 2176 workgroups in stages of 160
  EXPECT_EQ(s.stages.front().tiles, 160U);
  EXPECT_EQ(s.stages.back().tiles, 96U);
}

TEST(TraceSummary, StagesOfAPersistentKernelAreItsRoundsOfTiles) {
  GemmSpec spec = spec_of({1024, 1024, 64});
  spec.persistent = 24;
  const TraceSummary s = summary_of(spec);
  ASSERT_EQ(s.stages.size(), 3U);
  EXPECT_EQ(s.stages[0].tiles, 24U);
  EXPECT_EQ(s.stages[2].tiles, 16U);
  EXPECT_EQ(s.stage_of_tile[30], 1U);
}

TEST(TraceSummary, WithoutWaitingAStageTakesItsMatrixWorkAndItsStores) {
  // One workgroup a CU: 128 x 128 x 320 at 1024 FLOP a cycle are 10240 cycles, 32 KiB at 320 B a cycle 102.4.
  const IdealMachine machine{
      .cus = 2, .workgroups_per_cu = 1, .store_bytes_per_cycle = 640, .clock_mhz = 1000};
  const TraceSummary s = summary_of(spec_of({128, 256, 320}), machine);
  EXPECT_NEAR(s.stages.at(0).first_store_ns, 10240, 1e-6);
  EXPECT_NEAR(s.end_ns(), 10240 + 102.4, 1e-6);
}

TEST(TraceSummary, ATimelineKeepsItsTimes) {
  const GemmSpec spec = spec_of({128, 256, 64});
  TimelineKernel kernel(spec, {"two", {{0, 0, 0, 0, 1000, 1400}, {0, 1, 1, 200, 1300, 1700}}},
                        TimelineUse::stores);
  const TraceSummary s = summarize(kernel, spec, {});
  EXPECT_DOUBLE_EQ(s.stages.at(0).begin_ns, 0);
  EXPECT_DOUBLE_EQ(s.end_ns(), 1700);
}

TEST(TracePicture, ShowsARowForEachStage) {
  const IdealMachine machine{.cus = 2, .workgroups_per_cu = 1};
  const std::string text = picture_of_stages(summary_of(spec_of({256, 384, 64}), machine));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 3);
  EXPECT_NE(text.find("|###"), std::string::npos);
}

TEST(TracePicture, ManyStagesShareRows) {
  const IdealMachine machine{.cus = 1, .workgroups_per_cu = 1};
  const std::string text = picture_of_stages(summary_of(spec_of({2048, 2048, 32}), machine));
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 1 + 32);
  EXPECT_NE(text.find("0-7"), std::string::npos);
}

TEST(TracePicture, ShowsWhichStageMakesATile) {
  const IdealMachine machine{.cus = 3, .workgroups_per_cu = 1};
  GemmSpec spec = spec_of({256, 384, 64});
  EXPECT_NE(picture_of_tiles(summary_of(spec, machine), spec.c().grid).find("  000\n  111\n"),
            std::string::npos);
  spec.order.kind = OrderKind::column_major;
  EXPECT_NE(picture_of_tiles(summary_of(spec, machine), spec.c().grid).find("  001\n  011\n"),
            std::string::npos);
}

TEST(RotatedOrder, HasTheOrderOfARecipeWithThatStart) {
  for (const OrderKind kind : {OrderKind::row_major, OrderKind::column_major, OrderKind::grouped}) {
    GemmSpec spec = spec_of({1000, 700, 64});
    spec.order = {.kind = kind, .group = 3};
    spec.split_k = 2;
    GemmKernel plain(spec);
    ReorderedKernel rotated(plain, rotated_order(plain, spec.c().grid.tiles(), 13));
    spec.order.start_tile = 13;
    EXPECT_EQ(tiles_of(rotated), tiles_of(GemmKernel(spec))) << to_string(kind);
  }
}

TEST(RotatedOrder, RunsTheProgramsOfTheTilesItNames) {
  const GemmSpec spec = spec_of({1000, 700, 64});
  GemmKernel plain(spec);
  ReorderedKernel rotated(plain, rotated_order(plain, spec.c().grid.tiles(), 13));
  Group group;
  ASSERT_TRUE(rotated.program(4, nullptr)->next(group));
  EXPECT_EQ(group.tile, rotated.tile(4));
}

TEST(RotatedOrder, RefusesPersistentKernels) {
  GemmSpec spec = spec_of({1000, 700, 64});
  spec.persistent = 5;
  GemmKernel kernel(spec);
  EXPECT_THROW(rotated_order(kernel, spec.c().grid.tiles(), 13), InputError);
}

}  // namespace
}  // namespace t3sim
