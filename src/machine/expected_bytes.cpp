// The byte table (docs/architecture.md): what a phase must move, from its plan alone.
#include <set>
#include <utility>

#include "base/number.h"
#include "machine/cluster.h"

namespace t3sim {
namespace {

// Read and written by a collective on one GPU.
struct Moved {
  std::uint64_t read = 0, written = 0;
};

class ByteTable {
 public:
  ByteTable(const Config& config, const Phase& phase, std::uint32_t rank)
      : phase_(phase),
        rank_(rank),
        atomic_(config.memory.reduction == ReductionSubstrate::atomic),
        spec_(gemm_spec(config, 0)),
        collective_(collective_arrays(config, phase)) {}

  // The GEMM's own output in local memory: one store an element, or one for each part of split-K.
  std::uint64_t gemm_written() const {
    const TiledMatrix output = spec_.c();
    const CollectivePlan* const plan = phase_.production();
    if (!plan) return output.range_sectors(0, output.grid.tiles()) * kSectorBytes * spec_.split_k;
    std::uint64_t bytes = 0;
    for (std::uint32_t c : plan->gpus[rank_].order)
      if (!phase_.is_fused() || plan->at(rank_, 0, c).producer == ChunkPlan::Producer::local)
        bytes += chunk_bytes(c);
    return bytes * spec_.split_k;
  }

  Moved planned() const {
    const std::uint64_t stores = phase_.is_fused() ? spec_.split_k : 1;
    const CollectivePlan& plan = *phase_.tracked;
    Moved moved;
    for (std::uint32_t a = 0; a < plan.arrays; ++a)
      for (std::uint32_t c = 0; c < plan.chunks; ++c) {
        const ChunkPlan& chunk = plan.at(rank_, a, c);
        moved.read += chunk_bytes(c) * chunk.dma.size();
        moved.written += chunk_bytes(c) * (chunk.stores_in * stores + chunk.dma_in);
      }
    if (!atomic_) return moved;
    const std::vector<MemoryUpdates> updates = memory_updates(plan, rank_, narrow<std::uint32_t>(stores));
    for (std::size_t i = 0; i < updates.size(); ++i)
      moved.read += chunk_bytes(narrow<std::uint32_t>(i % plan.chunks)) * updates[i].arriving;
    return moved;
  }

  // Reading the same copy of a chunk again may hit the L2: `least` counts it once.
  Moved by_kernel(bool least) const {
    Moved moved;
    std::set<std::pair<std::uint8_t, std::uint32_t>> seen;
    for (std::uint32_t g = 0; g < phase_.steps->gpus.size(); ++g)
      for (const KernelStep& step : phase_.steps->gpus[g]) {
        if (g == rank_)
          for (std::uint8_t array : step.reads)
            if (seen.emplace(array, step.chunk).second || !least) moved.read += chunk_bytes(step.chunk);
        if (step.gpu == rank_) moved.written += chunk_bytes(step.chunk);
        if (step.gpu == rank_ && step.update && atomic_) moved.read += chunk_bytes(step.chunk);
      }
    return moved;
  }

 private:
  std::uint64_t chunk_bytes(std::uint32_t c) const {
    return collective_.array.range_sectors(collective_.chunks.first_tile(c), collective_.chunks.tiles(c)) *
           kSectorBytes;
  }

  const Phase& phase_;
  std::uint32_t rank_;
  bool atomic_;  // an update reads what it writes
  GemmSpec spec_;
  CollectiveArrays collective_;
};

}  // namespace

// What channels and stores to owners move depends on what the L2 keeps.
bool has_byte_table(const Phase& phase) {
  if (phase.channels) return false;
  return !phase.kernel || (phase.kernel->as_gemm && phase.kernel->stores != WorkloadKernel::Stores::owner);
}

DramBytes expected_bytes(const Config& config, const Phase& phase, std::uint32_t rank, bool least) {
  if (!has_byte_table(phase)) return {};
  const ByteTable table(config, phase, rank);
  DramBytes d;
  if (phase.kernel) d.written(Traffic::gemm) = table.gemm_written();
  if (!phase.steps && !phase.tracked) return d;
  const Moved moved = phase.steps ? table.by_kernel(least) : table.planned();
  d.read(phase.collective) = moved.read;
  d.written(phase.collective) = moved.written;
  return d;
}

}  // namespace t3sim
