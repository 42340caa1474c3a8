#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "kernel/small_gemm.h"

namespace t3sim {
namespace {

std::vector<std::uint32_t> dispatch_order(const GemmSpec& spec) {
  const GemmKernel kernel(spec);
  std::vector<std::uint32_t> tiles;
  for (std::uint32_t i = 0; i < kernel.workgroups(); ++i) tiles.push_back(kernel.tile(i));
  return tiles;
}

TEST(Gemm, AWorkgroupHasOneGroupForEachStepAlongK) {
  GemmKernel kernel(small_gemm());
  EXPECT_EQ(kernel.workgroups(), 6U);
  EXPECT_EQ(groups_of(kernel, 0).size(), 4U);
}

TEST(Gemm, EveryElementOfAAndBIsLoadedOnceForEachTileThatNeedsIt) {
  for (const GemmLayout layout : {GemmLayout::nn, GemmLayout::nt, GemmLayout::tn, GemmLayout::tt}) {
    GemmSpec spec = small_gemm({256, 384, 128});
    spec.layout = layout;
    spec.place(0);
    GemmKernel kernel(spec);
    std::map<std::uint64_t, std::uint32_t> count;
    for (const Group& group : all_groups(kernel)) count_sectors(group.loads, count);
    EXPECT_EQ(count.size() * kSectorBytes, (256U + 384U) * 128 * 2) << to_string(layout);
    for (const auto& [sector, times] : count)
      EXPECT_EQ(times, sector < spec.b_address ? 3U : 2U) << to_string(layout);
  }
}

TEST(Gemm, LoadsNothingBeyondAAndBWhereTheLastStepIsShorter) {
  for (const GemmLayout layout : {GemmLayout::nn, GemmLayout::nt, GemmLayout::tn, GemmLayout::tt}) {
    GemmSpec spec = small_gemm({256, 384, 100});
    spec.layout = layout;
    spec.place(0);
    GemmKernel kernel(spec);
    const std::uint64_t a_end = spec.a_address + spec.a().footprint_bytes();
    const std::uint64_t b_end = spec.b_address + spec.b().footprint_bytes();
    for (const Group& group : all_groups(kernel))
      for (const auto& run : group.loads) {
        const std::uint64_t end = run.address + run.bytes;
        EXPECT_TRUE(end <= a_end || (run.address >= spec.b_address && end <= b_end)) << to_string(layout);
      }
  }
}

TEST(Gemm, MatricesLieBehindOneAnother) {
  for (const GemmShape shape : {GemmShape{128, 8192, 512}, {8192, 128, 512}, {2048, 2048, 64}}) {
    const GemmSpec spec = small_gemm(shape);
    EXPECT_GE(spec.b_address, spec.a_address + 2ULL * shape.m * shape.k);
    EXPECT_GE(spec.c_address, spec.b_address + 2ULL * shape.n * shape.k);
  }
}

TEST(Gemm, StoresCoverTheOutputExactlyOnce) {
  const GemmSpec spec = small_gemm();
  GemmKernel kernel(spec);
  std::map<std::uint64_t, std::uint32_t> count;
  for (const Group& group : all_groups(kernel)) count_sectors(group.stores, count);
  EXPECT_EQ(count.size() * kSectorBytes, spec.c().layout.sector_bytes());
  EXPECT_TRUE(std::all_of(count.begin(), count.end(), [](const auto& entry) { return entry.second == 1; }));
}

TEST(Gemm, StoresComeInTheLastGroupOnlyWavefrontByWavefront) {
  GemmKernel kernel(small_gemm());
  const std::vector<Group> groups = groups_of(kernel, 0);
  for (std::size_t i = 0; i + 1 < groups.size(); ++i) EXPECT_TRUE(groups[i].stores.empty());
  const auto& stores = groups.back().stores;
  EXPECT_EQ(stores.size(), 8U * 32);
  EXPECT_TRUE(std::is_sorted(stores.begin(), stores.end(),
                             [](const auto& a, const auto& b) { return a.wavefront < b.wavefront; }));
}

TEST(Gemm, UsefulFlopsAddUpToTheProblem) {
  GemmKernel kernel(small_gemm({300, 200, 100}));
  std::uint64_t useful = 0;
  for (const Group& group : all_groups(kernel)) useful += group.useful_flops;
  EXPECT_EQ(useful, 2ULL * 300 * 200 * 100);
}

TEST(Gemm, EdgeTilesCostWholeTilesAndTheLastStepIsPaddedToTheMatrixInstruction) {
  GemmKernel kernel(small_gemm({300, 200, 100}));  // last K step: 4 elements, padded to 16
  const std::vector<Group> groups = groups_of(kernel, 5);
  EXPECT_EQ(groups.front().matrix_flops, 2ULL * 128 * 128 * 32);
  EXPECT_EQ(groups.back().matrix_flops, 2ULL * 128 * 128 * 16);
  EXPECT_EQ(groups.back().useful_flops, 2ULL * 44 * 72 * 4);
}

TEST(Gemm, RowMajorOrderFollowsTheCanonicalIndex) {
  EXPECT_EQ(dispatch_order(small_gemm()), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Gemm, ColumnMajorOrderGoesAlongMFirst) {
  GemmSpec spec = small_gemm();
  spec.order.kind = OrderKind::column_major;
  EXPECT_EQ(dispatch_order(spec), (std::vector<std::uint32_t>{0, 2, 4, 1, 3, 5}));
}

TEST(Gemm, GroupedOrderTakesRowsOfTilesTogetherAndTheLastGroupMayBeSmaller) {
  GemmSpec spec = small_gemm();
  spec.order = {.kind = OrderKind::grouped, .group = 2};
  EXPECT_EQ(dispatch_order(spec), (std::vector<std::uint32_t>{0, 2, 1, 3, 4, 5}));
}

TEST(Gemm, AGroupLargerThanTheOutputIsColumnMajorOrder) {
  GemmSpec spec = small_gemm();
  spec.order = {.kind = OrderKind::grouped, .group = 1U << 31};
  EXPECT_EQ(dispatch_order(spec), (std::vector<std::uint32_t>{0, 2, 4, 1, 3, 5}));
}

TEST(Gemm, RotationStartsElsewhereAndWrapsAround) {
  GemmSpec spec = small_gemm();
  spec.order.start_tile = 4;
  EXPECT_EQ(dispatch_order(spec), (std::vector<std::uint32_t>{4, 5, 0, 1, 2, 3}));
}

TEST(Gemm, EveryOrderVisitsEveryTileOnce) {
  for (const OrderKind kind : {OrderKind::row_major, OrderKind::column_major, OrderKind::grouped}) {
    GemmSpec spec = small_gemm({1000, 900, 64});
    spec.order = {.kind = kind, .group = 3, .start_tile = 13};
    const std::vector<std::uint32_t> tiles = dispatch_order(spec);
    EXPECT_EQ(std::set<std::uint32_t>(tiles.begin(), tiles.end()).size(), 64U) << to_string(kind);
  }
}

TEST(Gemm, PersistentWorkgroupsWalkTheTilesInTheSameOrder) {
  GemmSpec spec = small_gemm();
  spec.persistent = 4;
  GemmKernel kernel(spec);
  ASSERT_EQ(kernel.workgroups(), 4U);
  std::vector<std::uint32_t> tiles;
  for (const Group& group : groups_of(kernel, 1))
    if (!group.stores.empty()) tiles.push_back(group.tile);
  EXPECT_EQ(tiles, (std::vector<std::uint32_t>{1, 5}));
}

TEST(Gemm, APersistentKernelDoesTheSameWorkAsOneWorkgroupATile) {
  GemmSpec spec = small_gemm();
  GemmKernel plain(spec);
  spec.persistent = 4;
  GemmKernel persistent(spec);
  const auto key = [](const Group& g) {
    return std::tuple(g.tile, g.loads.front().address, g.stores.size());
  };
  const auto less = [&](const Group& a, const Group& b) { return key(a) < key(b); };
  std::vector<Group> a = all_groups(plain), b = all_groups(persistent);
  std::sort(a.begin(), a.end(), less);
  std::sort(b.begin(), b.end(), less);
  EXPECT_TRUE(a == b);
}

// Workgroups 0 and 1 are a cluster, so are 2 and 3; those get no place until the others have done all there is to do.
TEST(Gemm, WorkgroupsThatTakeWhatComesNextLeaveOnlyItsFirstTileToALateOne) {
  GemmSpec spec = small_gemm({512, 384, 128});
  spec.persistent = 4;
  spec.cluster = 2;
  spec.takes_next = true;
  GemmKernel kernel(spec);
  std::map<std::uint32_t, std::vector<std::uint32_t>> tiles;
  for (const std::uint32_t workgroup : {0U, 1U, 2U, 3U})
    for (const Group& group : groups_of(kernel, workgroup))
      if (!group.stores.empty()) tiles[workgroup].push_back(group.tile);
  EXPECT_EQ(tiles[0].size(), tiles[1].size());
  EXPECT_GT(tiles[0].size(), 1U);
  EXPECT_EQ(tiles[2].size(), 1U);
  EXPECT_EQ(tiles[3].size(), 1U);
  std::set<std::uint32_t> all;
  for (const auto& [workgroup, its] : tiles) all.insert(its.begin(), its.end());
  EXPECT_EQ(all.size(), 12U);
}

// Three rows of tiles, clusters of two: of the last one, a member has nothing to do, and takes its time for that.
TEST(Gemm, AMemberBeyondTheEdgeKeepsStepWithItsCluster) {
  GemmSpec spec = small_gemm({384, 384, 128});
  spec.persistent = 2;
  spec.cluster = 2;
  spec.takes_next = true;
  GemmKernel kernel(spec);
  const auto flops = [&](std::uint32_t workgroup) {
    std::uint64_t sum = 0, useful = 0;
    for (const Group& group : groups_of(kernel, workgroup))
      sum += group.matrix_flops, useful += group.useful_flops;
    return std::pair(sum, useful);
  };
  const auto first = flops(0), second = flops(1);
  EXPECT_EQ(first.first, second.first);
  EXPECT_EQ(first.second, 2 * second.second);
}

TEST(Gemm, DataTypesSetTheBytesThatAreLoaded) {
  std::map<DataType, std::uint64_t> bytes;
  for (const DataType type : {DataType::fp8, DataType::fp16, DataType::bf16, DataType::fp32}) {
    GemmSpec spec = small_gemm({128, 128, 128});
    spec.type = type;
    spec.place(0);
    GemmKernel kernel(spec);
    for (const Group& group : all_groups(kernel))
      for (const auto& run : group.loads) bytes[type] += run.bytes;
  }
  EXPECT_EQ(bytes[DataType::fp8], 2U * 128 * 128);
  EXPECT_EQ(bytes[DataType::fp16], 2U * 128 * 128 * 2);
  EXPECT_EQ(bytes[DataType::bf16], 2U * 128 * 128 * 2);
  EXPECT_EQ(bytes[DataType::fp32], 2U * 128 * 128 * 4);
}

TEST(Gemm, AGenerationShapeWithOneTokenLoadsTheWeightsOnceAndStoresOneSectorAColumn) {
  GemmSpec spec = small_gemm({1, 4096, 1024});
  spec.tile = {16, 128, 64};
  spec.layout = GemmLayout::tn;
  spec.place(0);
  GemmKernel kernel(spec);
  std::uint64_t weights = 0, stores = 0;
  for (const Group& group : all_groups(kernel)) {
    for (const auto& run : group.loads) weights += run.address >= spec.b_address ? run.bytes : 0;
    for (const auto& run : group.stores) stores += run.bytes;
  }
  EXPECT_EQ(weights, 4096ULL * 1024 * 2);
  EXPECT_EQ(stores, 4096ULL * 32);
}

// A GEMM on parts of matrices that are twice as long in memory.
GemmSpec strided_gemm(GemmLayout layout, bool row_major) {
  GemmSpec spec = small_gemm({256, 384, 128});
  spec.layout = layout;
  spec.row_major_output = row_major;
  spec.a_pitch = 2 * spec.a().pitch_bytes();
  spec.b_pitch = 2 * spec.b().pitch_bytes();
  spec.c_pitch = 2 * spec.c().layout.pitch_bytes();
  spec.place(0);
  return spec;
}

TEST(Gemm, StridedOperandsAreLoadedAndStoredAtTheirPitch) {
  for (const GemmLayout layout : {GemmLayout::nn, GemmLayout::nt, GemmLayout::tn, GemmLayout::tt})
    for (const bool row_major : {false, true}) {
      const GemmSpec spec = strided_gemm(layout, row_major);
      GemmKernel kernel(spec);
      std::map<std::uint64_t, std::uint32_t> loads, stores;
      for (const Group& group : all_groups(kernel)) {
        count_sectors(group.loads, loads);
        count_sectors(group.stores, stores);
      }
      for (const MatrixLayout& matrix : {spec.a(), spec.b()})
        matrix.for_each_run({0, 0, matrix.rows(), matrix.columns()},
                            [&](std::uint64_t address, std::uint32_t bytes) {
                              EXPECT_EQ(loads.count(address), 1U);
                              EXPECT_EQ(loads.count(address + bytes - kSectorBytes), 1U);
                              EXPECT_EQ(loads.count(address + bytes), 0U) << "between two columns";
                            });
      EXPECT_EQ(stores.size(),
                spec.c().layout.sectors({0, 0, spec.c().layout.rows(), spec.c().layout.columns()}));
      EXPECT_EQ(stores.rbegin()->first,
                spec.c_address + spec.c_pitch * spec.c().layout.columns() - spec.c_pitch / 2 - kSectorBytes);
    }
}

TEST(Gemm, APitchOfADenseMatrixChangesNothing) {
  GemmSpec spec = small_gemm();
  GemmKernel dense(spec);
  spec.a_pitch = spec.a().pitch_bytes();
  spec.b_pitch = spec.b().pitch_bytes();
  spec.c_pitch = spec.c().layout.pitch_bytes();
  GemmKernel said(spec);
  EXPECT_EQ(all_groups(dense), all_groups(said));
}

TEST(Gemm, AProgramCanBeRecycled) {
  GemmKernel kernel(small_gemm());
  auto program = kernel.program(0, nullptr);
  const WorkgroupProgram* first = program.get();
  Group group;
  while (program->next(group)) {
  }
  program = kernel.program(3, std::move(program));
  EXPECT_EQ(program.get(), first);
  ASSERT_TRUE(program->next(group));
  EXPECT_EQ(group.tile, 3U);
}

// Slices of A and B for each buffer, in LDS.
TEST(Gemm, NeedsRoomForAllItsBuffers) {
  GemmSpec spec = small_gemm();
  for (const std::uint32_t buffers : {1U, 2U, 4U}) {
    spec.buffers = buffers;
    EXPECT_EQ(lds_bytes(spec), (128U + 128U) * 32 * 2 * buffers);
  }
}

// 4 bytes a sum, and operands: 64 registers of each of 8 x 32 threads, but no more than there are sums.
TEST(Gemm, NeedsRegistersForSumsAndOperands) {
  GemmSpec spec = small_gemm();
  for (const auto& [m, n, operands] :
       {std::tuple{128U, 128U, 65536U}, {256U, 128U, 65536U}, {64U, 64U, 16384U}}) {
    spec.tile = {m, n, 32};
    EXPECT_EQ(register_bytes(spec), 4 * m * n + operands);
  }
}

void expect_rejected(GemmSpec spec, const std::string& part) {
  try {
    GemmKernel kernel(spec);
    FAIL() << "accepted: " << part;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Gemm, WhatCannotBeIsRejectedWithAReason) {
  GemmSpec spec = small_gemm();
  spec.shape.k = 0;
  expect_rejected(spec, "k is 0");
  spec = small_gemm();
  spec.tile.m = 8;
  expect_rejected(spec, "multiple of a 32 B sector");
  spec = small_gemm();
  spec.split_k = 5;
  expect_rejected(spec, "split-K by 5: it must be 1 to 4");
  spec = small_gemm();
  spec.wavefronts = 0;
  expect_rejected(spec, "0 wavefronts");
  spec = small_gemm();
  spec.b_address = 8;
  expect_rejected(spec, "B is at 0x8");
  spec = small_gemm();
  spec.a_pitch = 512;
  expect_rejected(spec, "the pitch of A is 512 B: it must be a multiple of 128 B, and at least 640");
  spec.a_pitch = 700;
  expect_rejected(spec, "the pitch of A is 700 B");
}

TEST(Gemm, NamesAreReadInAnyCaseAndUnknownOnesNameWhatIsAllowed) {
  EXPECT_EQ(gemm_layout_from("tn"), GemmLayout::tn);
  EXPECT_EQ(data_type_from("Bf16"), DataType::bf16);
  EXPECT_EQ(order_kind_from("grouped"), OrderKind::grouped);
  try {
    gemm_layout_from("NX");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "layout 'NX' is unknown: allowed are NN, NT, TN, TT");
  }
}

}  // namespace
}  // namespace t3sim
