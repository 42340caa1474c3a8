// What a GEMM kernel is made of: shape, layouts, tiling and the order of its workgroups. From it the
// generator (gemm_kernel.h) produces every load, matrix operation and store.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/names.h"
#include "kernel/matrix.h"

namespace t3sim {

struct GemmShape {
  std::uint32_t m = 0, n = 0, k = 0;
  bool operator==(const GemmShape&) const = default;
};

struct TileShape {
  std::uint32_t m = 128, n = 128, k = 32;
  bool operator==(const TileShape&) const = default;
};

TileShape tile_shape_from(std::string_view text);  // "128x128x32"; throws InputError

enum class DataType : std::uint8_t { fp8, fp16, bf16, fp32 };
std::uint32_t element_bytes(DataType type);
constexpr auto names_of(DataType) {
  return std::array{Named{"FP8", DataType::fp8}, Named{"FP16", DataType::fp16}, Named{"BF16", DataType::bf16},
                    Named{"FP32", DataType::fp32}};
}
DataType data_type_from(std::string_view name);  // throws InputError

// In BLAS column-major terms, C = op(A) op(B): A is M x K, 'N' has M contiguous, 'T' has K contiguous; B is K
// x N, 'N' has K contiguous, 'T' has N contiguous. C is always column-major (M contiguous).
enum class GemmLayout : std::uint8_t { nn, nt, tn, tt };
constexpr auto names_of(GemmLayout) {
  return std::array{Named{"NN", GemmLayout::nn}, Named{"NT", GemmLayout::nt}, Named{"TN", GemmLayout::tn},
                    Named{"TT", GemmLayout::tt}};
}
GemmLayout gemm_layout_from(std::string_view name);  // "NN", "nt", ...; throws InputError

// Order in which tiles are dispatched. row_major: along N inside a row of tiles, then the next row, so that a
// chunk of whole tile rows is a consecutive range. grouped: `group` rows of tiles at a time, along M inside
// them. grouped_columns: `group` columns at a time, along N inside them. Serpentine: every other group from
// its far end back, so that it begins with what the one before has just used.
enum class OrderKind : std::uint8_t { row_major, column_major, grouped, grouped_columns };
struct WorkgroupOrder {
  OrderKind kind = OrderKind::row_major;
  std::uint32_t group = 8;  // rows (columns) of tiles a group
  std::uint32_t start_tile =
      0;  // rotation by rank: added to every canonical index, modulo the number of tiles
  bool serpentine = false;

  // Canonical index of the tile dispatched at `position`.
  std::uint32_t tile(const TileGrid& grid, std::uint32_t position) const;
  bool operator==(const WorkgroupOrder&) const = default;

 private:
  std::uint32_t along(std::uint32_t step, std::uint32_t length, std::uint32_t group_number) const;
};
constexpr auto names_of(OrderKind) {
  return std::array{Named{"row-major", OrderKind::row_major}, Named{"column-major", OrderKind::column_major},
                    Named{"grouped", OrderKind::grouped},
                    Named{"grouped-columns", OrderKind::grouped_columns}};
}
OrderKind order_kind_from(std::string_view name);  // throws InputError

struct GemmSpec {
  GemmShape shape;
  DataType type = DataType::fp16;
  GemmLayout layout = GemmLayout::nn;
  TileShape tile;
  std::uint32_t wavefronts = 8;  // a workgroup
  std::uint32_t buffers = 2;     // K steps in LDS: 1 single, 2 double buffering, more: multi-stage
  WorkgroupOrder order;
  std::uint32_t split_k =
      1;  // workgroups that share a tile, each with its part of K; they add into C (section 7.7)
  std::uint32_t persistent =
      0;  // workgroups that walk the tiles, position by position; 0: one workgroup a tile
  // Persistent workgroups take what comes next in the order and nobody has taken, so that one that starts late, as another
  // kernel holds its CU, leaves its share to the others. Else each has every so many positions of its own, as in trace files.
  bool takes_next = false;
  bool row_major_output = false;  // C with N contiguous; trace files know column-major ones only
  // Workgroups, neighbours along M (N), that load the panel of B (A) they share together: each a part of it,
  // which the network delivers to all of them (thread block clusters with multicast).
  std::uint32_t cluster = 1;
  bool cluster_along_n = false;
  // Only so many clusters of tiles, the first in the order: a sample of the kernel. 0: all.
  std::uint32_t first_clusters = 0;
  std::uint32_t prologue_cycles = 0;  // of a workgroup before its first tile: barriers, descriptors, pipeline
  // At which a finished tile leaves the registers; a persistent workgroup loads for its next tile meanwhile.
  // 0: at once, as fast as the network takes it.
  double store_bytes_per_cycle = 0;
  double issue_efficiency = 0;  // KernelTraits::issue_efficiency
  bool bypass_l1 = false;       // loads go straight to LDS
  bool accumulate = false;      // C is loaded and added to
  // Instead, where the L2 does that: stores that it adds to C (L2Config::waiting_add_sectors).
  bool l2_adds = false;
  // Split-K workgroups leave FP32 parts behind C, for another kernel to add up; false: they add into C.
  bool split_workspace = false;
  // All tiles of the first part of K come before those of the second; false: the parts of a tile follow one another.
  bool parts_last = false;
  std::uint64_t a_address = 0;
  std::uint64_t b_address = 0;
  std::uint64_t c_address = 0;
  // From a column in memory (of a row-major matrix: a row) to the next, where the operand is a part of a larger
  // matrix: a multiple of a 128 B line. 0: dense. Trace files know dense ones only.
  std::uint64_t a_pitch = 0;
  std::uint64_t b_pitch = 0;
  std::uint64_t c_pitch = 0;
  std::uint64_t workspace_address = 0;  // of the parts that split-K leaves; 0: behind C

  std::uint32_t element_bytes() const { return t3sim::element_bytes(type); }
  MatrixLayout a() const;
  MatrixLayout b() const;
  TiledMatrix c() const;
  std::uint32_t k_steps() const { return ceil_div(shape.k, tile.k); }

  // Puts A, B and C one after the other from `address` on, each on a 2 MiB page. Returns the end of C.
  std::uint64_t place(std::uint64_t address);
  // Bytes of the parts that split-K leaves, each as long as C is in memory; 0: it leaves none.
  std::uint64_t workspace_bytes() const;
  // Throws InputError when the kernel cannot be.
  void check() const;
  bool operator==(const GemmSpec&) const = default;
};

// LDS that a workgroup of this kernel needs: its slices of A and B, once for each buffer.
std::uint64_t lds_bytes(const GemmSpec& spec);
// Registers that it needs: FP32 accumulators, and for operands and addresses as much again, but no more than
// 64 a thread of 32-thread wavefronts: kernels with large tiles take their operands from LDS.
std::uint64_t register_bytes(const GemmSpec& spec);

}  // namespace t3sim
