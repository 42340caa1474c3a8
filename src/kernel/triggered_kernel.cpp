#include "kernel/triggered_kernel.h"

namespace t3sim {

// The first group of every tile waits: a persistent workgroup walks several.
class TriggeredKernel::Program final : public WorkgroupProgram {
 public:
  Program(std::unique_ptr<WorkgroupProgram> inner, std::uint32_t tile_cols)
      : program(std::move(inner)), tile_cols_(tile_cols) {}

  void restart() { row_ = kNoTile; }
  bool next(Group& group) override {
    if (!program->next(group)) return false;
    const std::uint32_t row = group.tile / tile_cols_;
    if (row == row_) return true;
    row_ = row;
    group.wait = true;
    group.wait_step = 0;
    group.wait_tile = row;
    return true;
  }

  std::unique_ptr<WorkgroupProgram> program;

 private:
  std::uint32_t tile_cols_;
  std::uint32_t row_ = kNoTile;
};

std::unique_ptr<WorkgroupProgram> TriggeredKernel::program(std::uint32_t i,
                                                           std::unique_ptr<WorkgroupProgram> reuse) {
  if (!reuse) return std::make_unique<Program>(kernel_.program(i, nullptr), tile_cols_);
  auto& mine = static_cast<Program&>(*reuse);
  mine.program = kernel_.program(i, std::move(mine.program));
  mine.restart();
  return reuse;
}

}  // namespace t3sim
