#include "gpu/chunk_kernel.h"

#include <algorithm>

namespace t3sim {

ChunkKernel::ChunkKernel(const ChunkArrays& arrays, std::vector<KernelStep> steps, std::uint16_t own,
                         std::uint64_t bytes_per_group)
    : array_(arrays.first),
      array_stride_(arrays.stride),
      chunks_(arrays.chunks),
      steps_(std::move(steps)),
      own_(own),
      bytes_per_group_(bytes_per_group) {
  first_.push_back(0);
  for (const KernelStep& step : steps_) first_.push_back(first_.back() + chunks_.tiles(step.chunk));
}

std::uint32_t ChunkKernel::step(std::uint32_t i) const {
  return static_cast<std::uint32_t>(std::upper_bound(first_.begin(), first_.end(), i) - first_.begin()) - 1;
}

std::uint32_t ChunkKernel::tile(std::uint32_t i) const {
  const std::uint32_t s = step(i);
  return chunks_.first_tile(steps_[s].chunk) + i - first_[s];
}

StoreRoute ChunkKernel::route(std::uint32_t workgroup, std::uint32_t) const {
  const KernelStep& step = steps_[this->step(workgroup)];
  StoreRoute route;
  route.remote = step.gpu != own_;
  route.gpu = step.gpu;
  route.announces = step.announces;
  if (step.update) route.op = Op::update;
  route.uncached = step.reads.empty();  // zeros: updates that come past the L2 must find them in memory
  return route;
}

// Goes through a tile a few columns at a time.
class ChunkKernel::Program final : public WorkgroupProgram {
 public:
  void restart(const ChunkKernel& kernel, std::uint32_t step, std::uint32_t tile) {
    kernel_ = &kernel;
    step_ = &kernel.steps_[step];
    tile_ = tile;
    column_ = 0;
  }

  bool next(Group& group) override {
    Block block = kernel_->array_.in_layout(kernel_->array_.grid.block(tile_));
    if (column_ >= block.columns) return false;
    group.tile = tile_;
    if (column_ == 0 && step_->waits_for != KernelStep::kNoWait) {
      group.wait = true;
      group.wait_step = step_->waits_for;
      group.wait_tile = tile_;
    }
    const MatrixLayout& layout = kernel_->array_.layout;
    const std::uint64_t column_bytes = std::uint64_t{block.rows} * layout.element_bytes();
    const auto columns =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(kernel_->bytes_per_group_ / column_bytes, 1));
    block.column += column_;
    block.columns = std::min(columns, block.columns - column_);
    column_ += block.columns;

    for (const std::uint8_t array : step_->reads) add(group.loads, block, array);
    add(group.stores, block, step_->array);
    group.cycles = block.columns;  // vector adds: a column of the block a cycle
    return true;
  }

 private:
  // The runs of a block of an array, dealt to the wavefronts in turn.
  void add(std::vector<Run>& runs, const Block& block, std::uint8_t array) const {
    const std::uint64_t offset = array * kernel_->array_stride_;
    kernel_->array_.layout.for_each_run(block, [&](std::uint64_t address, std::uint32_t bytes) {
      const auto wavefront = static_cast<std::uint8_t>(runs.size() % kernel_->array_.grid.wavefronts());
      runs.push_back(Run{offset + address, bytes, wavefront, true, false});
    });
  }

  const ChunkKernel* kernel_ = nullptr;
  const KernelStep* step_ = nullptr;
  std::uint32_t tile_ = 0, column_ = 0;
};

std::unique_ptr<WorkgroupProgram> ChunkKernel::program(std::uint32_t i,
                                                       std::unique_ptr<WorkgroupProgram> reuse) {
  if (!reuse) reuse = std::make_unique<Program>();
  static_cast<Program&>(*reuse).restart(*this, step(i), tile(i));
  return reuse;
}

}  // namespace t3sim
