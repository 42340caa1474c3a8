#include "kernel/tile_kernel.h"

#include <utility>

namespace t3sim {

class TileKernel::Program final : public WorkgroupProgram {
 public:
  void restart(const TileKernel& kernel, std::uint32_t position) {
    kernel_ = &kernel;
    first_left_ = position;
    ending_ = false;
    begin(position);
  }
  bool next(Group& group) override {
    if (!kernel_->walk_.steps) return next_of_tiles(group);
    while (ending_ || position_ < kernel_->walk_.tiles) {
      if (ending_ ? next_of_left(group) : next_of_tiles(group)) return true;
      ending_ = !ending_;
      if (ending_) {
        end_left_ = position_;
        fences_ = {};
      } else {
        first_left_ = end_left_;
      }
      begin(ending_ ? first_left_ : end_left_);
    }
    return false;
  }

 private:
  // Up to where the workgroup does what it has left of its tiles, or to the end of them.
  bool next_of_tiles(Group& group) {
    while (position_ < kernel_->walk_.tiles) {
      if (fill(group)) return true;
      const std::uint32_t done = position_;
      begin(done + kernel_->workgroups());
      if (parts(done, position_)) return false;
    }
    return false;
  }
  bool next_of_left(Group& group) {
    for (; position_ < end_left_; begin(position_ + kernel_->workgroups()))
      if (kernel_->walk_.steps->last(kernel_->tile(position_), after_++, fences_, group)) return true;
    return false;
  }
  bool parts(std::uint32_t position, std::uint32_t next) const {
    const TileSteps* const steps = kernel_->walk_.steps;
    return steps && next < kernel_->walk_.tiles && steps->parts(kernel_->tile(position), kernel_->tile(next));
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
  std::uint32_t position_ = 0;
  std::uint32_t before_ = 0, done_ = 0, after_ = 0;
  std::uint32_t first_left_ = 0, end_left_ = 0;  // positions whose tiles have things left to do
  bool ending_ = false;                          // goes through these once more
  Fences fences_;
};

std::unique_ptr<WorkgroupProgram> TileKernel::program(std::uint32_t i,
                                                      std::unique_ptr<WorkgroupProgram> reuse) {
  recycled_as<Program>(reuse).restart(*this, i);
  return reuse;
}

}  // namespace t3sim
