// A persistent kernel whose workgroups go through several bodies, one after the other: GEMV, then the sum of what the
// others send, then a wait.
#pragma once

#include <memory>
#include <vector>

#include "kernel/tile_kernel.h"

namespace t3sim {

class PhasedKernel final : public KernelSource {
 public:
  struct Part {
    std::shared_ptr<TileKernel> kernel;
    std::uint32_t first_tile = 0;  // tiles are numbered through all parts
  };
  // Not empty; the first part says how many workgroups there are, and what they take of a CU.
  explicit PhasedKernel(std::vector<Part> parts) : parts_(std::move(parts)) {}

  std::uint32_t workgroups() const override { return parts_[0].kernel->workgroups(); }
  std::uint32_t tile(std::uint32_t i) const override { return parts_[0].kernel->tile(i); }
  std::unique_ptr<WorkgroupProgram> program(std::uint32_t i,
                                            std::unique_ptr<WorkgroupProgram> reuse) override;
  unsigned buffers() const override { return parts_[0].kernel->buffers(); }
  KernelTraits traits() const override { return parts_[0].kernel->traits(); }
  const std::vector<Part>& parts() const { return parts_; }

 private:
  class Program;
  std::vector<Part> parts_;
};

}  // namespace t3sim
