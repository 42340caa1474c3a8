#include "kernel/tile_kernel.h"

#include <utility>

namespace t3sim {

class TileKernel::Program final : public WorkgroupProgram {
 public:
  void restart(const TileKernel& kernel, std::uint32_t position) {
    kernel_ = &kernel;
    first_ = position;
    fences_ = {};
    ending_ = false;
    begin(position);
  }
  bool next(Group& group) override {
    if (!ending_ && next_of_tiles(group)) return true;
    if (!kernel_->walk_.steps) return false;
    if (!std::exchange(ending_, true)) begin(first_);
    return next_of_end(group);
  }

 private:
  bool next_of_tiles(Group& group) {
    for (; position_ < kernel_->walk_.tiles; begin(position_ + kernel_->workgroups()))
      if (fill(group)) return true;
    return false;
  }
  bool next_of_end(Group& group) {
    for (; position_ < kernel_->walk_.tiles; begin(position_ + kernel_->workgroups()))
      if (kernel_->walk_.steps->last(kernel_->tile(position_), after_++, fences_, group)) return true;
    return false;
  }
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
  std::uint32_t first_ = 0, position_ = 0;
  std::uint32_t before_ = 0, done_ = 0, after_ = 0;
  bool ending_ = false;  // goes through its tiles once more, for what was left
  Fences fences_;
};

std::unique_ptr<WorkgroupProgram> TileKernel::program(std::uint32_t i,
                                                      std::unique_ptr<WorkgroupProgram> reuse) {
  recycled_as<Program>(reuse).restart(*this, i);
  return reuse;
}

}  // namespace t3sim
