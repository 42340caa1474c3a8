#include "kernel/tile_kernel.h"

namespace t3sim {

class TileKernel::Program final : public WorkgroupProgram {
 public:
  void restart(const TileKernel& kernel, std::uint32_t position) {
    kernel_ = &kernel;
    begin(position);
  }
  bool next(Group& group) override {
    while (position_ < kernel_->walk_.tiles) {
      if (fill(group)) return true;
      begin(position_ + kernel_->workgroups());
    }
    return false;
  }

 private:
  void begin(std::uint32_t position) {
    position_ = position;
    before_ = done_ = after_ = 0;
  }
  // The next group of the tile; false: it is done.
  bool fill(Group& group) {
    const std::uint32_t tile = kernel_->tile(position_);
    const TileSteps* const steps = kernel_->walk_.steps;
    if (steps && done_ == 0 && steps->before(tile, before_, group)) {
      ++before_;
      return true;
    }
    if (after_ == 0 && kernel_->fill(tile, done_, group)) {
      ++done_;
      return true;
    }
    return steps && steps->after(tile, after_++, group);
  }

  const TileKernel* kernel_ = nullptr;
  std::uint32_t position_ = 0;
  std::uint32_t before_ = 0, done_ = 0, after_ = 0;
};

std::unique_ptr<WorkgroupProgram> TileKernel::program(std::uint32_t i,
                                                      std::unique_ptr<WorkgroupProgram> reuse) {
  recycled_as<Program>(reuse).restart(*this, i);
  return reuse;
}

}  // namespace t3sim
