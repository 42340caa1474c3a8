#include "gpu/ring_kernel.h"

#include <algorithm>

namespace t3sim {

RingKernel::RingKernel(const TiledMatrix& output, const TiledMatrix& received, const ChunkMap& chunks,
                       std::vector<KernelStep> steps, std::uint16_t neighbour, std::uint64_t bytes_per_group)
    : output_(output),
      received_(received),
      chunks_(chunks),
      steps_(std::move(steps)),
      neighbour_(neighbour),
      bytes_per_group_(bytes_per_group) {
  first_.push_back(0);
  for (const KernelStep& step : steps_) first_.push_back(first_.back() + chunks_.tiles(step.chunk));
}

std::uint32_t RingKernel::step(std::uint32_t i) const {
  return static_cast<std::uint32_t>(std::upper_bound(first_.begin(), first_.end(), i) - first_.begin()) - 1;
}

std::uint32_t RingKernel::tile(std::uint32_t i) const {
  const std::uint32_t s = step(i);
  return chunks_.first_tile(steps_[s].chunk) + i - first_[s];
}

StoreRoute RingKernel::route(std::uint32_t workgroup, std::uint32_t) const {
  const std::uint32_t s = step(workgroup);
  StoreRoute route;
  route.remote = steps_[s].destination != KernelStep::Destination::own_output;
  route.gpu = neighbour_;
  route.step = static_cast<std::uint8_t>(s);
  return route;
}

// Goes through a tile a few columns at a time.
class RingKernel::Program final : public WorkgroupProgram {
 public:
  void restart(const RingKernel& kernel, std::uint32_t step, std::uint32_t tile) {
    kernel_ = &kernel;
    step_ = step;
    tile_ = tile;
    column_ = 0;
  }

  bool next(Group& group) override {
    const KernelStep& step = kernel_->steps_[step_];
    Block block = kernel_->output_.grid.block(tile_);
    if (column_ >= block.columns) return false;
    group.tile = tile_;
    if (column_ == 0 && step.waits) {
      group.wait = true;
      group.wait_step = step_ - 1;
      group.wait_tile = tile_;
    }
    const std::uint64_t column_bytes = std::uint64_t{block.rows} * kernel_->output_.layout.element_bytes();
    const auto columns =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(kernel_->bytes_per_group_ / column_bytes, 1));
    block.column += column_;
    block.columns = std::min(columns, block.columns - column_);
    column_ += block.columns;

    const bool to_received = step.destination == KernelStep::Destination::neighbour_received;
    const auto load = [&](std::uint64_t address, std::uint32_t bytes) {
      group.loads.push_back(Run{address, bytes, wavefront(group.loads.size()), true, false});
    };
    kernel_->output_.layout.for_each_run(block, load);
    if (step.add_received) kernel_->received_.layout.for_each_run(block, load);
    const TiledMatrix& target = to_received ? kernel_->received_ : kernel_->output_;
    target.layout.for_each_run(block, [&](std::uint64_t address, std::uint32_t bytes) {
      group.stores.push_back(Run{address, bytes, wavefront(group.stores.size()), true, false});
    });
    group.cycles = block.columns;  // vector adds: a column of the block a cycle
    return true;
  }

 private:
  std::uint8_t wavefront(std::size_t run) const {
    return static_cast<std::uint8_t>(run % kernel_->output_.grid.wavefronts());
  }

  const RingKernel* kernel_ = nullptr;
  std::uint32_t step_ = 0, tile_ = 0, column_ = 0;
};

std::unique_ptr<WorkgroupProgram> RingKernel::program(std::uint32_t i,
                                                      std::unique_ptr<WorkgroupProgram> reuse) {
  if (!reuse) reuse = std::make_unique<Program>();
  static_cast<Program&>(*reuse).restart(*this, step(i), tile(i));
  return reuse;
}

}  // namespace t3sim
