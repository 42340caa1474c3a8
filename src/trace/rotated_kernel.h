// A kernel whose tiles are dispatched from another one on: the rotation by rank of a staggered collective
// (section 4.4), for kernels that come from a file.
#pragma once

#include <vector>

#include "trace/program.h"

namespace t3sim {

// The i-th dispatched workgroup is the one whose tile is (tile of the i-th + start_tile) modulo the number of
// tiles, as with WorkgroupOrder::start_tile. Several workgroups of a tile (split-K) keep their order.
class RotatedKernel final : public KernelSource {
 public:
  // `kernel` must outlive this. Throws InputError unless every tile has equally many workgroups: the
  // workgroups of a persistent kernel, which walk several tiles, cannot be rotated.
  RotatedKernel(KernelSource& kernel, std::uint32_t tiles, std::uint32_t start_tile);

  std::uint32_t workgroups() const override { return kernel_.workgroups(); }
  std::uint32_t tile(std::uint32_t i) const override { return kernel_.tile(order_[i]); }
  std::unique_ptr<WorkgroupProgram> program(std::uint32_t i,
                                            std::unique_ptr<WorkgroupProgram> reuse) override {
    return kernel_.program(order_[i], std::move(reuse));
  }
  unsigned buffers() const override { return kernel_.buffers(); }
  KernelTraits traits() const override { return kernel_.traits(); }

 private:
  KernelSource& kernel_;
  std::vector<std::uint32_t> order_;  // dispatch position -> workgroup of kernel_
};

}  // namespace t3sim
