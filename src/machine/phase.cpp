#include "machine/phase.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kPageBytes = 2 << 20;
constexpr std::uint32_t kInputTileColumns = 128;  // K, of the tiles in which an input is gathered

// The input A as an array of a collective: as many rows a tile as the GEMM's own tiles have, so that a row of
// tiles of C needs one row of tiles of A.
TiledMatrix input_array(const GemmSpec& spec) {
  const bool k_contiguous = spec.layout == GemmLayout::tn || spec.layout == GemmLayout::tt;
  return {spec.a(),
          TileGrid(spec.shape.m, spec.shape.k,
                   {spec.tile.m, kInputTileColumns, spec.wavefronts, spec.element_bytes(), k_contiguous}),
          k_contiguous};
}

}  // namespace

CollectiveArrays collective_arrays(const Config& config, const Phase& phase) {
  const GemmSpec spec = gemm_spec(config, 0);
  CollectiveArrays c;
  c.array = phase.on == CollectiveOn::input ? input_array(spec) : spec.c();
  c.stride = align_up(c.array.layout.footprint_bytes(), kPageBytes);
  if (phase.on == CollectiveOn::apart) {
    const MatrixLayout& output = c.array.layout;
    c.array.layout =
        MatrixLayout(output.base() + c.stride, output.rows(), output.columns(), output.element_bytes());
  }
  const CollectivePlan* const plan = phase.plan();
  const bool of_each_gpu = phase.kernel && phase.kernel->stores == WorkloadKernel::Stores::owner;
  c.arrays = of_each_gpu ? config.gpus.count : plan ? plan->arrays : phase.steps ? phase.steps->arrays : 1;
  c.chunks = ChunkMap(c.array.grid, plan          ? plan->chunks
                                    : phase.steps ? phase.steps->chunks
                                                  : config.gpus.count);
  return c;
}

}  // namespace t3sim
