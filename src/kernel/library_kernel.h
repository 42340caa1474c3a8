// GEMM kernels of libraries by the names that a profiler gives them: what the name says of tile, cluster,
// order of the tiles and split-K, as a GemmSpec that the generator runs.
//
//   nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT   cuBLAS: tile 256x128, K steps of 64, four of them in
//   flight,
//                                                    clusters of one by two, order of the tiles (h or v),
//                                                    ..., layouts. _splitK_: as many workgroups a tile as
//                                                    fill the GPU. The library works on column-major
//                                                    matrices: the first length of its tiles and clusters
//                                                    runs along the n of a row-major C.
//   triton_128x256x64_s3_g8                          Triton: tile, K steps in flight, rows of tiles a group
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/gemm.h"

namespace t3sim {

enum class KernelLibrary : std::uint8_t { cublas, triton };

// What a name says; the shape is the caller's.
struct LibraryKernelName {
  KernelLibrary library = KernelLibrary::cublas;
  TileShape tile{128, 128, 64};  // of a row-major C
  std::uint32_t buffers = 4;
  std::uint32_t cluster = 1;
  bool cluster_along_n = false;
  bool persistent = false;
  bool split_k = false;
  bool bands_across_n = true;  // h; v: across m
  std::uint32_t group = 8;     // rows of tiles; Triton

  bool operator==(const LibraryKernelName&) const = default;
};

// Throws InputError that says what a name looks like.
LibraryKernelName library_kernel_name(std::string_view name);
std::string to_string(const LibraryKernelName& name);

// The kernel of that name for `shape` on a GPU of `cus` CUs, C row-major. Layouts are those of `spec`, which
// is changed in all that the name decides.
void apply(const LibraryKernelName& name, std::uint32_t cus, GemmSpec& spec);

// Where no name is known: of cuBLAS's large kernels for Hopper the one whose waves of tiles take the fewest K-loop cycles on
// `cus` CUs, and of those alike the one of the fewest tiles; a smaller one if its K loops are 8 % shorter. Where tiles of the
// large one are for half of the CUs at most, it is split along K, unless smaller tiles take less than that and the sum.
LibraryKernelName chosen_kernel(const GemmShape& shape, std::uint32_t cus);

}  // namespace t3sim
