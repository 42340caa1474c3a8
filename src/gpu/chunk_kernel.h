// Collectives on CUs, the baseline (Figures 3 and 10a): a workgroup takes one tile through one step of a
// kernel plan.
#pragma once

#include <vector>

#include "gpu/kernel_run.h"
#include "plan/chunk_map.h"
#include "plan/kernel_plan.h"

namespace t3sim {

// Arrays of one shape, `stride` bytes apart, each cut into chunks.
struct ChunkArrays {
  TiledMatrix first;
  std::uint64_t stride = 0;
  ChunkMap chunks;
};

class ChunkKernel final : public KernelSource, public StoreRouter {
 public:
  // `own`: this GPU. `bytes_per_group`: what a workgroup loads of a copy before it waits.
  ChunkKernel(const ChunkArrays& arrays, std::vector<KernelStep> steps, std::uint16_t own,
              std::uint64_t bytes_per_group);

  std::uint32_t workgroups() const override { return first_.back(); }
  std::uint32_t tile(std::uint32_t i) const override;
  std::unique_ptr<WorkgroupProgram> program(std::uint32_t i,
                                            std::unique_ptr<WorkgroupProgram> reuse) override;
  unsigned buffers() const override { return 1; }
  StoreRoute route(std::uint32_t workgroup, std::uint32_t tile) const override;

  // Step of the i-th workgroup.
  std::uint32_t step(std::uint32_t i) const;

 private:
  class Program;

  TiledMatrix array_;
  std::uint64_t array_stride_;
  ChunkMap chunks_;
  std::vector<KernelStep> steps_;
  std::vector<std::uint32_t> first_;  // first workgroup of each step, and the end
  std::uint16_t own_;
  std::uint64_t bytes_per_group_;
};

}  // namespace t3sim
