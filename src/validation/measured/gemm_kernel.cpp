#include "validation/measured/gemm_kernel.h"

#include <algorithm>

namespace t3sim {
namespace {

constexpr std::uint32_t kRowGranule = 8;      // FP16 elements in 16 bytes
constexpr std::uint32_t kHopperCus = 132;     // that the library's rule counts on
constexpr std::uint32_t kTritonGranule = 16;  // elements: what Triton's compiler specialises for
constexpr std::uint32_t kFusedStages = 4;  // K steps in flight of the kernel of validation/measure/fused.py

bool is_persistent(std::string_view kernel) { return kernel.find("nvjet") != kernel.npos; }

LibraryGemm triton(const GemmShape& shape, std::uint32_t tile_m, std::uint32_t tile_n, std::uint32_t tile_k,
                   std::uint32_t stages) {
  LibraryGemm kernel;
  kernel.shape = shape;
  kernel.tile_m = tile_m;
  kernel.tile_n = tile_n;
  kernel.tile_k = tile_k;
  kernel.workgroups = static_cast<std::uint32_t>(kernel.tiles());
  kernel.compiled = true;
  kernel.name.library = KernelLibrary::triton;
  kernel.name.tile = {tile_m, tile_n, tile_k};
  kernel.name.buffers = stages;
  return kernel;
}

// By the rule for shapes that nobody has profiled.
LibraryGemm chosen(const GemmShape& shape) {
  LibraryGemm kernel;
  kernel.shape = shape;
  kernel.name = chosen_kernel(shape, kHopperCus);
  GemmSpec spec;
  spec.shape = shape;
  apply(kernel.name, kHopperCus, spec);
  kernel.tile_m = spec.tile.m;
  kernel.tile_n = spec.tile.n;
  kernel.tile_k = spec.tile.k;
  kernel.split_k = spec.split_k;
  kernel.workgroups = spec.persistent;
  kernel.persistent = kernel.pairs = true;
  if (!kernel.name.bands_across_n) kernel.bands_across_n = false;
  return kernel;
}

}  // namespace

// A row-major matrix is a transposed column-major one.
GemmLayout column_major(std::string_view layout) {
  const bool a = layout[0] == 'N', b = layout[1] == 'N';
  return a ? (b ? GemmLayout::tt : GemmLayout::tn) : (b ? GemmLayout::nt : GemmLayout::nn);
}

bool aligned(const GemmShape& shape, const std::string& layout) {
  const std::uint32_t row_of_a = layout[0] == 'N' ? shape.k : shape.m;
  const std::uint32_t row_of_b = layout[1] == 'N' ? shape.n : shape.k;
  return row_of_a % kRowGranule == 0 && row_of_b % kRowGranule == 0 && shape.n % kRowGranule == 0;
}

bool aligned_for_triton(const GemmShape& shape) {
  return shape.k % kTritonGranule == 0 && shape.n % kTritonGranule == 0;
}

// The library works on column-major matrices, so its first length runs along our n. Pairs of workgroups share
// the panel of that length (the L2 reads of 160x256 kernels say so; in the others it is the longer one or
// both are alike).
std::optional<LibraryGemm> kernel_of(const GemmTrafficRow& row) {
  if (row.tile_m == 0) return std::nullopt;
  LibraryGemm kernel;
  kernel.shape = row.shape;
  kernel.tile_n = row.tile_m;
  kernel.tile_m = row.tile_n;
  kernel.tile_k = row.tile_k;
  kernel.workgroups = row.grid;
  kernel.persistent = is_persistent(row.kernel);
  kernel.pairs = kernel.persistent;
  if (kernel.persistent) kernel.name = library_kernel_name(row.kernel);
  kernel.layout = column_major(row.layout);
  // v: down along our n. What h and other names go along, the traffic of those rows does not say against the
  // shorter side.
  if (row.kernel.find("_v_") != std::string::npos) kernel.bands_across_n = false;
  const std::uint64_t tiles = kernel.tiles();
  if (row.kernel.find("splitK") != std::string::npos && row.grid % tiles == 0)
    kernel.split_k = static_cast<std::uint32_t>(row.grid / tiles);
  return kernel;
}

LibraryGemm kernel_of(const TimelineCaseRow& row) {
  return triton(row.shape, row.tile_m, row.tile_n, row.tile_k, row.stages);
}

LibraryGemm kernel_of(const FusedRow& row) {
  return triton(row.shape, row.tile_m, row.tile_n, row.tile_k, kFusedStages);
}

void KernelNames::add(const GemmTrafficRow& row) {
  if (std::optional<LibraryGemm> kernel = kernel_of(row); kernel && aligned(row.shape, row.layout))
    kernels_.push_back(*kernel);
}

void KernelNames::add(const KernelNames& others) {
  kernels_.insert(kernels_.end(), others.kernels_.begin(), others.kernels_.end());
}

std::optional<LibraryGemm> KernelNames::find(const GemmShape& shape) const {
  const auto found =
      std::ranges::find_if(kernels_, [&](const LibraryGemm& kernel) { return kernel.shape == shape; });
  if (found != kernels_.end()) return *found;
  return aligned(shape, "NN") ? std::optional(chosen(shape)) : std::nullopt;
}

}  // namespace t3sim
