// Ring collectives on CUs, the baseline (Figures 3 and 10a): a workgroup takes one tile through one step.
#pragma once

#include <vector>

#include "gpu/kernel_run.h"
#include "plan/chunk_map.h"
#include "plan/plan.h"

namespace t3sim {

class RingKernel final : public KernelSource, public StoreRouter {
 public:
  // `received`: the buffer for what the neighbour sends, laid out as `output`. `bytes_per_group`: what a
  // workgroup loads of a copy before it waits.
  RingKernel(const TiledMatrix& output, const TiledMatrix& received, const ChunkMap& chunks,
             std::vector<KernelStep> steps, std::uint16_t neighbour, std::uint64_t bytes_per_group);

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

  TiledMatrix output_, received_;
  ChunkMap chunks_;
  std::vector<KernelStep> steps_;
  std::vector<std::uint32_t> first_;  // first workgroup of each step, and the end
  std::uint16_t neighbour_;
  std::uint64_t bytes_per_group_;
};

}  // namespace t3sim
