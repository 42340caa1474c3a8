// What a phase makes every GPU do. Kernel boundaries lie between phases.
#pragma once

#include <cstdint>
#include <memory>

#include "kernel/matrix.h"
#include "machine/config.h"
#include "memctrl/config.h"
#include "plan/channel_plan.h"
#include "plan/chunk_map.h"
#include "plan/kernel_plan.h"
#include "plan/plan.h"
#include "sim/request.h"

namespace t3sim {

enum class PhaseKind : std::uint8_t {
  kernel,             // one kernel alone, whatever it is; no collective
  gemm,               // the GEMM alone, its output through the L2
  collective_kernel,  // a collective, or a step before or after one, on the CUs (Figure 3)
  fused,              // GEMM and collective by Tracker, DMA and near-memory updates (Figure 7)
  dma,                // a collective of data in memory, driven by DMA, reduced near memory
  gathered,           // an all-gather of the GEMM's input A by DMA, whose Tracker triggers workgroups (7.2)
  channels,           // a collective as a library's kernel runs it (plan/channel_plan.h)
  owner_stores,       // a GEMM whose stores go straight to the GPU that owns the rows of C
  concurrent,         // a GEMM beside the DMA-driven collective of another array (7.2, data parallelism)
};

// Which array a phase's collective works on.
enum class CollectiveOn : std::uint8_t {
  output,
  input,  // A, whose rows are gathered
  apart,  // one of the output's shape that the kernel has nothing to do with
};

struct Phase {
  PhaseKind kind = PhaseKind::gemm;
  ArbitrationKind arbitration = ArbitrationKind::round_robin;
  Traffic collective = Traffic::rs;  // whose traffic the collective's is
  CollectiveOn on = CollectiveOn::output;
  std::shared_ptr<const CollectivePlan> plan;  // gemm: only its order of production counts; may be null
  std::shared_ptr<const KernelPlan> steps;     // of collective kernels
  std::shared_ptr<const std::vector<ChannelPlan>> channels;  // by GPU
  bool shifted =
      false;  // owner_stores: a GPU begins with the rows of the next one, not all with those of GPU 0
  bool operator==(const Phase&) const = default;
};

// The array that a phase's collective works on; array a of plan.h lies a * stride bytes behind it.
struct CollectiveArrays {
  TiledMatrix array;
  std::uint32_t arrays = 1;
  std::uint64_t stride = 0;
  ChunkMap chunks;

  // Tiles are numbered through: array * tiles of an array + tile.
  std::uint32_t tiles() const { return arrays * array.grid.tiles(); }
  std::uint32_t array_of(std::uint32_t tile) const { return tile / array.grid.tiles(); }
  std::uint32_t chunk_of(std::uint32_t tile) const { return chunks.chunk_of(tile % array.grid.tiles()); }
  std::uint32_t first_tile(std::uint32_t in_array, std::uint32_t chunk) const {
    return in_array * array.grid.tiles() + chunks.first_tile(chunk);
  }
  // First byte behind the last array.
  std::uint64_t end() const {
    return array.layout.base() + (arrays - 1) * stride + array.layout.footprint_bytes();
  }
};
CollectiveArrays collective_arrays(const Config& config, const Phase& phase);

}  // namespace t3sim
