// A kernel whose workgroups are dispatched in another order, or only some of them: how the chunks of a
// collective are staggered (section 4.4) where the kernel's own order cannot say it.
#pragma once

#include <functional>
#include <vector>

#include "base/number.h"
#include "kernel/program.h"

namespace t3sim {

class ReorderedKernel final : public KernelSource {
 public:
  // `order`: dispatch position -> workgroup of `kernel`, which must outlive this.
  ReorderedKernel(KernelSource& kernel, std::vector<std::uint32_t> order)
      : kernel_(kernel), order_(std::move(order)) {}

  std::uint32_t workgroups() const override { return narrow<std::uint32_t>(order_.size()); }
  std::uint32_t tile(std::uint32_t i) const override { return kernel_.tile(order_[i]); }
  std::uint32_t part(std::uint32_t i) const override { return kernel_.part(order_[i]); }
  std::unique_ptr<WorkgroupProgram> program(std::uint32_t i,
                                            std::unique_ptr<WorkgroupProgram> reuse) override {
    return kernel_.program(order_[i], std::move(reuse));
  }
  unsigned buffers() const override { return kernel_.buffers(); }
  KernelTraits traits() const override { return kernel_.traits(); }

 private:
  KernelSource& kernel_;
  std::vector<std::uint32_t> order_;
};

// Rotation by rank: the i-th workgroup is the one whose tile is (tile of the i-th + start_tile) modulo the
// number of tiles, as with WorkgroupOrder::start_tile. Several workgroups of a tile (split-K) keep their
// order. Throws InputError unless every tile has equally many workgroups: those of a persistent kernel, which
// walk several tiles, cannot be rotated.
std::vector<std::uint32_t> rotated_order(const KernelSource& kernel, std::uint32_t tiles,
                                         std::uint32_t start_tile);

// By the rank of their tile; workgroups of equal rank keep their order, and those without a rank are left
// out.
inline constexpr std::uint32_t kNoRank = ~0U;
std::vector<std::uint32_t> ranked_order(const KernelSource& kernel,
                                        const std::function<std::uint32_t(std::uint32_t tile)>& rank);

}  // namespace t3sim
