#include "kernel/gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>
#include <utility>

#include "base/error.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kPageBytes = 2 * 1024 * 1024;

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

template <HasNames E>
E value_of(std::string_view what, std::string_view name) {
  std::string allowed;
  for (const auto& [candidate, value] : names_of(E{})) {
    if (equal_ignoring_case(candidate, name)) return value;
    allowed += allowed.empty() ? "" : ", ";
    allowed += candidate;
  }
  throw InputError(fmt::format("{} '{}' is unknown: allowed are {}", what, name, allowed));
}

}  // namespace

TileShape tile_shape_from(std::string_view text) {
  std::array<std::uint32_t, 3> extents{};
  const char* at = text.data();
  const char* end = at + text.size();
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto [stop, error] = std::from_chars(at, end, extents[i]);
    const bool separated = i + 1 == extents.size() ? stop == end : stop != end && *stop == 'x';
    if (error != std::errc() || !separated)
      throw InputError(fmt::format("tile '{}' is not written MxNxK, like 128x128x32", text));
    at = stop + 1;
  }
  return {extents[0], extents[1], extents[2]};
}

std::uint32_t element_bytes(DataType type) {
  switch (type) {
    case DataType::fp8:
      return 1;
    case DataType::fp16:
    case DataType::bf16:
      return 2;
    case DataType::fp32:
      return 4;
  }
  return 0;
}

DataType data_type_from(std::string_view name) { return value_of<DataType>("data type", name); }
GemmLayout gemm_layout_from(std::string_view name) { return value_of<GemmLayout>("layout", name); }
OrderKind order_kind_from(std::string_view name) { return value_of<OrderKind>("workgroup order", name); }

std::uint32_t WorkgroupOrder::tile(const TileGrid& grid, std::uint32_t position) const {
  std::uint32_t canonical = position;
  if (kind == OrderKind::column_major) {
    canonical = grid.index(position % grid.tile_rows(), position / grid.tile_rows());
  } else if (kind == OrderKind::grouped) {
    const std::uint32_t group_rows = std::min(group, grid.tile_rows());
    const std::uint32_t in_group = position % (group_rows * grid.tile_cols());
    const std::uint32_t first_row = position / (group_rows * grid.tile_cols()) * group_rows;
    const std::uint32_t rows = std::min(group_rows, grid.tile_rows() - first_row);
    canonical = grid.index(first_row + in_group % rows, in_group / rows);
  } else if (kind == OrderKind::grouped_columns) {
    const std::uint32_t group_columns = std::min(group, grid.tile_cols());
    const std::uint32_t in_group = position % (group_columns * grid.tile_rows());
    const std::uint32_t first_column = position / (group_columns * grid.tile_rows()) * group_columns;
    const std::uint32_t columns = std::min(group_columns, grid.tile_cols() - first_column);
    canonical = grid.index(in_group / columns, first_column + in_group % columns);
  }
  return (canonical + start_tile % grid.tiles()) % grid.tiles();
}

MatrixLayout GemmSpec::a() const {
  const bool m_contiguous = layout == GemmLayout::nn || layout == GemmLayout::nt;
  return m_contiguous ? MatrixLayout(a_address, shape.m, shape.k, element_bytes(), a_pitch)
                      : MatrixLayout(a_address, shape.k, shape.m, element_bytes(), a_pitch);
}

MatrixLayout GemmSpec::b() const {
  const bool k_contiguous = layout == GemmLayout::nn || layout == GemmLayout::tn;
  return k_contiguous ? MatrixLayout(b_address, shape.k, shape.n, element_bytes(), b_pitch)
                      : MatrixLayout(b_address, shape.n, shape.k, element_bytes(), b_pitch);
}

TiledMatrix GemmSpec::c() const {
  const MatrixLayout memory = row_major_output
                                  ? MatrixLayout(c_address, shape.n, shape.m, element_bytes(), c_pitch)
                                  : MatrixLayout(c_address, shape.m, shape.n, element_bytes(), c_pitch);
  return {memory, TileGrid(shape.m, shape.n, {tile.m, tile.n, wavefronts, element_bytes(), row_major_output}),
          row_major_output};
}

std::uint64_t GemmSpec::place(std::uint64_t address) {
  a_address = align_up(address, kPageBytes);
  b_address = align_up(a_address + a().footprint_bytes(), kPageBytes);
  c_address = align_up(b_address + b().footprint_bytes(), kPageBytes);
  return c_address + c().layout.footprint_bytes();
}

std::uint64_t GemmSpec::workspace_bytes() const {
  if (!split_workspace || split_k < 2) return 0;
  constexpr std::uint64_t kPartBytes = 4;  // of an element: FP32
  return align_up(c().layout.footprint_bytes(), kLineBytes) * split_k * kPartBytes / element_bytes();
}

void GemmSpec::check() const {
  const auto require = [](bool holds, auto&&... message) {
    if (!holds) throw InputError(fmt::format("GEMM: {}", fmt::format(message...)));
  };
  constexpr std::uint32_t kMaxExtent = 1U << 24;
  for (const auto& [name, value] : {std::pair{"m", shape.m}, {"n", shape.n}, {"k", shape.k}})
    require(value >= 1 && value <= kMaxExtent, fmt::runtime("{} is {}: it must be 1 to {}"), name, value,
            kMaxExtent);
  constexpr std::uint32_t kMaxTile = 4096;
  for (const auto& [name, value] : {std::pair{"m", tile.m}, {"n", tile.n}, {"k", tile.k}})
    require(value >= 1 && value <= kMaxTile, fmt::runtime("tile {} is {}: it must be 1 to {}"), name, value,
            kMaxTile);
  const std::uint32_t contiguous = row_major_output ? tile.n : tile.m;
  require(contiguous * element_bytes() % kSectorBytes == 0,
          fmt::runtime("tile {} {} is {} bytes of {}: it must be a multiple of a {} B sector"),
          row_major_output ? "n" : "m", contiguous, contiguous * element_bytes(), to_string(type),
          kSectorBytes);
  require(wavefronts >= 1 && wavefronts <= 64,
          fmt::runtime("{} wavefronts a workgroup: they must be 1 to 64"), wavefronts);
  require(buffers >= 1 && buffers <= 64, fmt::runtime("{} buffers: they must be 1 to 64"), buffers);
  require(order.group >= 1, fmt::runtime("groups of 0 tile rows: at least 1"));
  require(cluster >= 1 && cluster <= 16, fmt::runtime("clusters of {} workgroups: they must be 1 to 16"),
          cluster);
  require(split_k >= 1 && split_k <= k_steps(),
          fmt::runtime("split-K by {}: it must be 1 to {}, the K steps"), split_k, k_steps());
  const std::uint64_t tiles = std::uint64_t{ceil_div(shape.m, tile.m)} * ceil_div(shape.n, tile.n);
  require(tiles * split_k <= 1U << 30, fmt::runtime("{} workgroups: they must be at most 2^30"),
          tiles * split_k);
  for (const auto& [name, address] : {std::pair{"A", a_address}, {"B", b_address}, {"C", c_address}})
    require(address % kLineBytes == 0, fmt::runtime("{} is at {:#x}: it must be on a {} B line"), name,
            address, kLineBytes);
  const auto dense = [](const MatrixLayout& matrix) {
    return align_up(std::uint64_t{matrix.rows()} * matrix.element_bytes(), kLineBytes);
  };
  for (const auto& [name, matrix] : {std::pair{"A", a()}, {"B", b()}, {"C", c().layout}})
    require(matrix.pitch_bytes() >= dense(matrix) && matrix.pitch_bytes() % kLineBytes == 0,
            fmt::runtime("the pitch of {} is {} B: it must be a multiple of {} B, and at least {}"), name,
            matrix.pitch_bytes(), kLineBytes, dense(matrix));
}

std::uint64_t lds_bytes(const GemmSpec& spec) {
  return std::uint64_t{spec.tile.m + spec.tile.n} * spec.tile.k * spec.element_bytes() * spec.buffers;
}

std::uint64_t register_bytes(const GemmSpec& spec) {
  constexpr std::uint64_t kRegisterBytes = 4, kWavefrontThreads = 32, kMostOperands = 64;
  const std::uint64_t accumulators = kRegisterBytes * spec.tile.m * spec.tile.n;
  const std::uint64_t threads = std::uint64_t{spec.wavefronts} * kWavefrontThreads;
  return accumulators + std::min(accumulators, threads * kMostOperands * kRegisterBytes);
}

}  // namespace t3sim
