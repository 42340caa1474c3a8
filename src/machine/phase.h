// What a phase makes every GPU do: what it launches, what is tracked, whose traffic it is. Kernel boundaries lie between
// phases.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "kernel/matrix.h"
#include "machine/config.h"
#include "memctrl/config.h"
#include "plan/channel_plan.h"
#include "plan/chunk_map.h"
#include "plan/kernel_plan.h"
#include "plan/plan.h"
#include "sim/request.h"

namespace t3sim {

// Which array a phase's collective works on.
enum class CollectiveOn : std::uint8_t {
  output,
  input,  // A, whose rows are gathered
  apart,  // one of the output's shape that the kernel has nothing to do with
};

// The workload's kernel, on all CUs.
struct WorkloadKernel {
  enum class Stores : std::uint8_t {
    local,    // to its output, through the L2
    planned,  // where the tracked plan says, chunk by chunk (Figure 11)
    owner,    // to the GPU that owns the rows of C, there into an array for each GPU
  };
  Stores stores = Stores::local;
  // Not fused: in the order in which this plan's producer makes its chunks; null: the kernel's own.
  std::shared_ptr<const CollectivePlan> order = nullptr;
  bool waits_for_rows =
      false;             // of its input A: a workgroup starts when the Tracker has reported its rows (7.2)
  bool shifted = false;  // owner: a GPU begins with the rows of the next one, not all with those of GPU 0
  bool as_gemm = false;  // its output is the GEMM's, each element once: the byte table knows its bytes
  bool operator==(const WorkloadKernel&) const = default;
};

struct Phase {
  // At most one of these three runs on the CUs.
  std::optional<WorkloadKernel> kernel;
  std::shared_ptr<const KernelPlan> steps;  // of a collective, or before or after one (Figure 3)
  std::shared_ptr<const std::vector<ChannelPlan>> channels;  // by GPU: a library's collective
  // What Tracker, DMA engine and near-memory updates carry out (Figure 7), beside a kernel or alone. Null: nothing.
  std::shared_ptr<const CollectivePlan> tracked;

  ArbitrationKind arbitration = ArbitrationKind::round_robin;
  Traffic collective = Traffic::rs;  // whose traffic the collective's is
  CollectiveOn on = CollectiveOn::output;
  bool operator==(const Phase&) const = default;

  // GEMM and collective are one: the kernel's stores are what is tracked.
  bool is_fused() const { return kernel && kernel->stores == WorkloadKernel::Stores::planned; }
  // In whose order the kernel makes its chunks; null: its own.
  const CollectivePlan* production() const {
    return is_fused() ? tracked.get() : kernel ? kernel->order.get() : nullptr;
  }
  // That cuts the arrays into chunks; null: none does.
  const CollectivePlan* plan() const { return tracked ? tracked.get() : production(); }
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
