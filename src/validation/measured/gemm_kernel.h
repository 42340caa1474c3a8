// A GEMM kernel of a library as it runs on the GPU: its tiles, their order, how many run at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/library_kernel.h"
#include "validation/measured/rows.h"

namespace t3sim {

// C (m x n, row-major, FP16) = A B, tile by tile.
struct LibraryGemm {
  GemmShape shape;
  std::uint32_t tile_m = 128, tile_n = 128, tile_k = 64;
  std::uint32_t split_k = 1;     // workgroups that share a tile's K
  std::uint32_t workgroups = 0;  // that are launched; they go on to the next tile if persistent
  bool persistent = false;       // and loads for its next tile while it stores one; else a workgroup a tile
  bool pairs = false;            // two neighbours load the larger panel they share together (multicast)
  std::optional<bool> bands_across_n;  // in which tiles are ordered; not known: across the shorter side
  bool compiled = false;               // by Triton, not from the vendor's library
  LibraryKernelName name;              // the kernel that the machine runs
  GemmLayout layout = GemmLayout::tt;  // of A and B, column-major BLAS terms

  std::uint32_t tiles_m() const { return (shape.m + tile_m - 1) / tile_m; }
  std::uint32_t tiles_n() const { return (shape.n + tile_n - 1) / tile_n; }
  std::uint64_t tiles() const { return std::uint64_t{tiles_m()} * tiles_n() * split_k; }
  std::uint32_t k_steps() const { return ((shape.k + tile_k - 1) / tile_k + split_k - 1) / split_k; }
  double tile_bytes() const { return 2.0 * tile_m * tile_n; }
};

// What a table of row-major GEMMs calls a layout, in the terms of the simulated ones.
GemmLayout column_major(std::string_view layout);

// Rows of A, B and C begin on multiples of 16 bytes: those that do not need other kernels, which are left
// out.
bool aligned(const GemmShape& shape, const std::string& layout);
// The same of Triton's kernels (neither operand transposed). Its compiler takes a row for aligned only where
// its length in elements is a multiple of 16; elsewhere it loads element by element.
bool aligned_for_triton(const GemmShape& shape);

// A kernel of cuBLAS as the profiler names it; none for those that only sum what split-K left.
std::optional<LibraryGemm> kernel_of(const GemmTrafficRow& row);
LibraryGemm kernel_of(const TimelineCaseRow& row);
LibraryGemm kernel_of(const FusedRow& row);

// The kernels that the profiler has named, by shape.
class KernelNames {
 public:
  void add(const GemmTrafficRow& row);
  // Behind those that are there, which go first.
  void add(const KernelNames& others);
  // That the profiler names, or else that a rule chooses (chosen_kernel); none where cuBLAS takes kernels of
  // another kind.
  std::optional<LibraryGemm> find(const GemmShape& shape) const;

 private:
  std::vector<LibraryGemm> kernels_;
};

}  // namespace t3sim
