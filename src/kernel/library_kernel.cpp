#include "kernel/library_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/number.h"

namespace t3sim {
namespace {

std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    words.push_back(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return words;
}

// "256x128" or "128x256x64"; empty if the word is no such thing.
std::vector<std::uint32_t> lengths(std::string_view word) {
  std::vector<std::uint32_t> found;
  while (true) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || value == 0 || value > 4096) return {};
    found.push_back(value);
    word.remove_prefix(static_cast<std::size_t>(end - word.data()));
    if (word.empty()) return found;
    if (word.front() != 'x') return {};
    word.remove_prefix(1);
  }
}

[[noreturn]] void refuse(std::string_view name) {
  throw InputError(
      fmt::format("'{}' is no kernel name that is known: names are like "
                  "nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT or triton_128x256x64_s3_g8",
                  name));
}

LibraryKernelName cublas(std::string_view name) {
  LibraryKernelName k;
  k.persistent = true;
  std::vector<std::vector<std::uint32_t>> pairs;
  for (const std::string_view word : words_of(name)) {
    if (const auto found = lengths(word); found.size() == 2) pairs.push_back(found);
    if (word == "v") k.bands_across_n = false;
    if (word == "splitK") k.split_k = true;
  }
  if (pairs.size() != 3 || pairs[1][0] > 1024 || pairs[1][1] > 16) refuse(name);
  k.tile = {pairs[0][1], pairs[0][0], pairs[1][0]};
  k.buffers = pairs[1][1];
  k.cluster = pairs[2][0] * pairs[2][1];
  k.cluster_along_n = pairs[2][0] > 1;
  if (k.cluster > 16 || (pairs[2][0] > 1 && pairs[2][1] > 1)) refuse(name);
  return k;
}

LibraryKernelName triton(std::string_view name) {
  LibraryKernelName k;
  k.library = KernelLibrary::triton;
  bool tile = false;
  for (const std::string_view word : words_of(name)) {
    const auto found = lengths(word.substr(std::min<std::size_t>(1, word.size())));
    if (const auto all = lengths(word); all.size() == 3) {
      k.tile = {all[0], all[1], all[2]};
      tile = true;
    } else if (found.size() == 1 && word.front() == 's') {
      k.buffers = std::min(found[0], 8U);
    } else if (found.size() == 1 && word.front() == 'g') {
      k.group = found[0];
    }
  }
  if (!tile) refuse(name);
  return k;
}

// Tiles of cuBLAS's kernels for Hopper, as profiles of four GPUs name them, and by how many per cent their K loops would have to be
// shorter for cuBLAS to take them: the more the less they compute with what they load. (Names that cuBLAS took on an H200 and an H100
// say so, from K = 512 up: validation/measured/probes/chosen.csv and chosen_long.csv.)
struct LargeKernel {
  std::string_view name;
  std::uint32_t handicap_percent;
};
constexpr std::array<LargeKernel, 5> kHopperKernels{{{"nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT", 3},
                                                     {"nvjet_sm90_hsh_192x192_64x3_2x1_v_bz_coopB_NNN", 0},
                                                     {"nvjet_sm90_hsh_192x192_64x3_1x2_h_bz_coopB_NNN", 0},
                                                     {"nvjet_sm90_hsh_320x128_64x3_1x2_h_bz_coopB_NNT", 1},
                                                     {"nvjet_sm90_hsh_160x256_64x3_2x1_v_bz_coopA_NNN", 1}}};
constexpr std::uint32_t kHandicapFromK = 512;

// And smaller ones (validation/measured/probes/chosen.csv).
constexpr std::array<std::string_view, 8> kSmallKernels{
    "nvjet_sm90_hsh_192x128_64x5_1x2_h_bz_coopB_NNT", "nvjet_sm90_hsh_128x160_64x5_2x1_v_bz_NNT",
    "nvjet_sm90_hsh_128x128_64x6_2x1_v_bz_NNT",       "nvjet_sm90_hsh_96x128_64x6_2x1_v_bz_NNN",
    "nvjet_sm90_hsh_128x80_64x8_2x1_v_bz_NNT",        "nvjet_sm90_hsh_128x64_64x8_2x1_v_bz_NNT",
    "nvjet_sm90_hsh_96x64_64x8_1x2_h_bz_NNN",         "nvjet_sm90_hsh_64x64_64x13_2x1_v_bz_NNT"};

// Of a Hopper CU, a cycle; and what adding up the parts of split-K takes, a launch of 5 us.
constexpr std::uint64_t kMatrixWork = 2048, kBytesIn = 64;
constexpr double kSumOfParts = 10'000;

std::uint32_t tiles_of(const GemmShape& shape, const TileShape& tile) {
  return ceil_div(shape.m, tile.m) * ceil_div(shape.n, tile.n);
}

// With those that fill up clusters at the edge of C: they compute nothing and hold a CU all the same.
std::uint32_t tiles_in_clusters(const GemmShape& shape, const LibraryKernelName& name) {
  const std::uint32_t along_m = name.cluster_along_n ? 1 : name.cluster;
  const std::uint32_t along_n = name.cluster_along_n ? name.cluster : 1;
  return ceil_div(shape.m, name.tile.m * along_m) * along_m * ceil_div(shape.n, name.tile.n * along_n) *
         along_n;
}

// As many workgroups a tile as there are CUs for, a power of two.
std::uint32_t parts(const GemmShape& shape, const LibraryKernelName& name, std::uint32_t cus) {
  const std::uint32_t fit = cus / std::max(1U, tiles_of(shape, name.tile));
  const std::uint32_t steps = ceil_div(shape.k, name.tile.k);
  return std::bit_floor(std::clamp(fit, 1U, steps));
}

// Clusters across a band of cuBLAS's tiles. So it is with all five kernels of H200 whose order has been seen,
// by copies of C taken while they ran: 11 of 256x128_1x2_h, 13 of 320x128_1x2_h, 10 of 160x256_2x1_v, 8 of
// 192x192_1x2_h and of 192x192_2x1_v.
std::uint32_t band_of(const LibraryKernelName& name, std::uint32_t cus) {
  const double n = name.tile.n * (name.cluster_along_n ? name.cluster : 1);
  const double m = name.tile.m * (name.cluster_along_n ? 1 : name.cluster);
  const double shape = name.bands_across_n ? n / m : m / n;
  return static_cast<std::uint32_t>(std::max(1.0, std::round(std::sqrt(cus * shape))));
}

// Elements of output that a CU computes one after the other, in hundredths and with the kernel's handicap, and tiles.
std::pair<std::uint64_t, std::uint32_t> cost(const GemmShape& shape, const LibraryKernelName& name,
                                             std::uint32_t handicap_percent, std::uint32_t cus) {
  const std::uint64_t waves = ceil_div(tiles_in_clusters(shape, name), cus);
  const std::uint32_t weight = 100 + (shape.k < kHandicapFromK ? 0 : handicap_percent);
  return {waves * name.tile.m * name.tile.n * weight, tiles_of(shape, name.tile)};
}

// The large kernel that costs least, of those alike the first.
LibraryKernelName large_kernel(const GemmShape& shape, std::uint32_t cus) {
  LibraryKernelName best;
  std::optional<std::pair<std::uint64_t, std::uint32_t>> least;
  for (const LargeKernel& large : kHopperKernels) {
    const LibraryKernelName name = library_kernel_name(large.name);
    const auto its = cost(shape, name, large.handicap_percent, cus);
    if (least && its >= *least) continue;
    least = its;
    best = name;
  }
  return best;
}

// Cycles of a kernel's K loops, one after the other on a CU, `parts` workgroups a tile.
std::uint64_t k_loop_cycles(const GemmShape& shape, const LibraryKernelName& name, std::uint32_t cus,
                            std::uint32_t parts) {
  const TileShape& t = name.tile;
  const std::uint64_t step =
      std::max(std::uint64_t{t.m} * t.n * t.k / kMatrixWork, std::uint64_t{2} * (t.m + t.n) * t.k / kBytesIn);
  const std::uint64_t waves = ceil_div(tiles_in_clusters(shape, name) * parts, cus);
  return waves * ceil_div(ceil_div(shape.k, t.k), parts) * step;
}

// What a tile computes with an element that it loads.
double reuse(const TileShape& tile) { return real(tile.m) * tile.n / (tile.m + tile.n); }

// The smaller kernel whose K loops are shortest, and of those alike the one that loads least.
LibraryKernelName smaller_kernel(const GemmShape& shape, std::uint32_t cus) {
  const auto rank = [&](const LibraryKernelName& name) {
    return std::pair{k_loop_cycles(shape, name, cus, 1), -reuse(name.tile)};
  };
  LibraryKernelName best = library_kernel_name(kSmallKernels.front());
  for (const std::string_view text : kSmallKernels)
    if (const LibraryKernelName name = library_kernel_name(text); rank(name) < rank(best)) best = name;
  return best;
}

}  // namespace

LibraryKernelName library_kernel_name(std::string_view name) {
  if (name.starts_with("nvjet_")) return cublas(name);
  if (name.starts_with("triton_")) return triton(name);
  refuse(name);
}

std::string to_string(const LibraryKernelName& k) {
  if (k.library == KernelLibrary::triton)
    return fmt::format("triton_{}x{}x{}_s{}_g{}", k.tile.m, k.tile.n, k.tile.k, k.buffers, k.group);
  return fmt::format("nvjet_{}x{}_{}x{}_{}x{}_{}{}", k.tile.n, k.tile.m, k.tile.k, k.buffers,
                     k.cluster_along_n ? k.cluster : 1, k.cluster_along_n ? 1 : k.cluster,
                     k.bands_across_n ? "h" : "v", k.split_k ? "_splitK" : "");
}

void apply(const LibraryKernelName& name, std::uint32_t cus, GemmSpec& spec) {
  spec.tile = name.tile;
  spec.buffers = name.buffers;
  spec.cluster = name.cluster;
  spec.row_major_output = true;
  if (name.library == KernelLibrary::triton) {
    spec.order = {OrderKind::grouped, name.group, spec.order.start_tile};
    return;
  }
  spec.cluster_along_n = name.cluster_along_n;
  spec.order.kind = name.bands_across_n ? OrderKind::grouped_columns : OrderKind::grouped;
  spec.order.group = band_of(name, cus);
  spec.order.serpentine = true;
  spec.persistent = name.persistent ? cus / name.cluster * name.cluster : 0;
  spec.takes_next = name.persistent;
  if (!name.split_k) return;
  spec.split_k = parts(spec.shape, name, cus);
  spec.split_workspace = spec.split_k > 1;
}

LibraryKernelName chosen_kernel(const GemmShape& shape, std::uint32_t cus) {
  constexpr double kWorthwhile = 0.92;  // smaller tiles load more
  LibraryKernelName large = large_kernel(shape, cus);
  large.split_k = 2 * tiles_of(shape, large.tile) <= cus;
  const double cycles = real(k_loop_cycles(shape, large, cus, large.split_k ? parts(shape, large, cus) : 1));
  const double limit = large.split_k ? cycles + kSumOfParts : kWorthwhile * cycles;
  const LibraryKernelName small = smaller_kernel(shape, cus);
  return real(k_loop_cycles(shape, small, cus, 1)) < limit ? small : large;
}

}  // namespace t3sim
