// The byte table of the design: what every GPU must move, independent of timing. Cluster::run checks it in every
// run against expected_bytes(); here expected_bytes() is checked against the table, and runs against both.
#include <gtest/gtest.h>

#include "draws.h"
#include "machine/small_cluster.h"

namespace t3sim {
namespace {

struct Shape {
  std::uint32_t gpus, m, n;
};

class ByteTable : public testing::TestWithParam<Shape> {};

TEST_P(ByteTable, IsTheClosedFormWhenChunksAreEqual) {
  const auto [gpus, m, n] = GetParam();
  const Config config = small_config(gpus, m, n, 32, GpuModel::explicit_);
  const std::uint64_t s = std::uint64_t{m} * n * 2;
  if (m % (128 * gpus) != 0) return;  // the next test has the others
  for (std::uint32_t rank : {0U, gpus - 1}) {
    const DramBytes gemm = expected_bytes(config, gemm_phase(), rank);
    const DramBytes rs = expected_bytes(config, scatter_phase(), rank);
    const DramBytes ag = expected_bytes(config, gather_phase(), rank);
    const DramBytes fused = expected_bytes(config, fused_phase(), rank);
    EXPECT_EQ(gemm.written(Traffic::gemm), s);
    EXPECT_EQ(rs.read(Traffic::rs), s * (2 * gpus - 1) / gpus);
    EXPECT_EQ(rs.written(Traffic::rs), s);
    EXPECT_EQ(ag.read(Traffic::ag), s * (gpus - 1) / gpus);
    EXPECT_EQ(ag.written(Traffic::ag), s * (gpus - 1) / gpus);
    EXPECT_EQ(fused.written(Traffic::gemm), s * (gpus - 1) / gpus);
    EXPECT_EQ(fused.read(Traffic::rs), s * (gpus - 2) / gpus);
    EXPECT_EQ(fused.written(Traffic::rs), s * (gpus - 1) / gpus);
  }
}

// Rows of C a chunk has, from the rule "whole rows of tiles, as equal as possible", written out again here.
std::uint64_t chunk_bytes(const Shape& shape, std::uint32_t chunk) {
  const std::uint32_t tile_rows = (shape.m + 127) / 128;
  const std::uint32_t from = chunk * tile_rows / shape.gpus * 128;
  const std::uint32_t to = std::min((chunk + 1) * tile_rows / shape.gpus * 128, shape.m);
  return std::uint64_t{(to - from + 15) / 16} * 32 * shape.n;
}

TEST_P(ByteTable, HoldsInARunForEveryGpuToTheSector) {
  if (GetParam().gpus > 8) T3_SKIP_IF_SANITIZED();
  const Shape shape = GetParam();
  const Config config = small_config(shape.gpus, shape.m, shape.n, 32, GpuModel::explicit_);
  const PhaseResult gemm = run_phase(config, gemm_phase());
  const PhaseResult rs = run_phase(config, scatter_phase());
  const PhaseResult ag = run_phase(config, gather_phase());
  const PhaseResult fused = run_phase(config, fused_phase());
  for (std::uint32_t rank = 0; rank < shape.gpus; ++rank) {
    std::uint64_t all = 0;
    const auto at = [&](std::uint32_t position) {
      return chunk_bytes(shape, (rank + position) % shape.gpus);
    };
    for (std::uint32_t p = 0; p < shape.gpus; ++p) all += at(p);
    const std::uint32_t last = shape.gpus - 1;
    EXPECT_EQ(gemm.gpus[rank]->dram_bytes().written(Traffic::gemm), all);
    EXPECT_EQ(rs.gpus[rank]->dram_bytes().read(Traffic::rs), 2 * all - at(0));
    EXPECT_EQ(rs.gpus[rank]->dram_bytes().written(Traffic::rs), all - at(0) + at(last));
    EXPECT_EQ(ag.gpus[rank]->dram_bytes().read(Traffic::ag), all - at(last - 1));
    EXPECT_EQ(ag.gpus[rank]->dram_bytes().written(Traffic::ag), all - at(last));
    EXPECT_EQ(fused.gpus[rank]->dram_bytes().written(Traffic::gemm), all - at(0));
    EXPECT_EQ(fused.gpus[rank]->dram_bytes().read(Traffic::rs), all - at(0) - at(last));
    EXPECT_EQ(fused.gpus[rank]->dram_bytes().written(Traffic::rs), all - at(0));
    EXPECT_EQ(fused.gpus[rank]->link_bytes(), all - at(last));
  }
}

std::string name_of(const testing::TestParamInfo<Shape>& parameter) {
  const auto& c = parameter.param;
  return "Gpus" + std::to_string(c.gpus) + "M" + std::to_string(c.m) + "N" + std::to_string(c.n);
}

INSTANTIATE_TEST_SUITE_P(Shapes, ByteTable,
                         testing::Values(Shape{4, 1024, 256}, Shape{5, 1280, 128}, Shape{8, 1024, 160},
                                         Shape{16, 2048, 128}, Shape{4, 1000, 200}, Shape{5, 1096, 136},
                                         Shape{8, 1100, 96}, Shape{3, 777, 301}),
                         name_of);

}  // namespace
}  // namespace t3sim
