// A GEMM whose input A is still being gathered: its workgroups wait until their rows of A have arrived
// (section 7.2: the Tracker triggers workgroups instead of DMA). Workgroups wait after they have been
// dispatched; as they are dispatched in the order in which rows arrive, none that could run waits behind one
// that cannot.
#pragma once

#include "kernel/program.h"

namespace t3sim {

class TriggeredKernel final : public KernelSource {
 public:
  // Arrival 0 of row of tiles r is what the workgroups of tiles [r * tile_cols, (r + 1) * tile_cols) wait
  // for. `kernel` must outlive this.
  TriggeredKernel(KernelSource& kernel, std::uint32_t tile_cols) : kernel_(kernel), tile_cols_(tile_cols) {}

  std::uint32_t workgroups() const override { return kernel_.workgroups(); }
  std::uint32_t tile(std::uint32_t i) const override { return kernel_.tile(i); }
  std::uint32_t part(std::uint32_t i) const override { return kernel_.part(i); }
  std::unique_ptr<WorkgroupProgram> program(std::uint32_t i,
                                            std::unique_ptr<WorkgroupProgram> reuse) override;
  unsigned buffers() const override { return kernel_.buffers(); }
  KernelTraits traits() const override { return kernel_.traits(); }

 private:
  class Program;

  KernelSource& kernel_;
  std::uint32_t tile_cols_;
};

}  // namespace t3sim
