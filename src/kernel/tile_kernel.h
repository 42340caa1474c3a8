// Kernels whose workgroups take tiles one after the other: a tile each, or persistent ones that walk them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/gemm_kernel.h"
#include "kernel/program.h"

namespace t3sim {

// Which tiles there are and who takes which: workgroup i takes positions i, i + workgroups, ...
struct TileWalk {
  std::uint32_t tiles = 0;
  std::uint32_t workgroups = 0;      // 0: one for each tile
  std::vector<std::uint32_t> order;  // tile by position; empty: ascending
  const TileSteps* steps = nullptr;  // what workgroups do beside their tiles; outlives the kernel
};

class TileKernel : public KernelSource {
 public:
  explicit TileKernel(TileWalk walk) : walk_(std::move(walk)) {}

  std::uint32_t workgroups() const final {
    return walk_.workgroups == 0 ? walk_.tiles : std::min(walk_.workgroups, walk_.tiles);
  }
  std::uint32_t tile(std::uint32_t i) const final { return walk_.order.empty() ? i : walk_.order[i]; }
  std::unique_ptr<WorkgroupProgram> program(std::uint32_t i, std::unique_ptr<WorkgroupProgram> reuse) final;
  unsigned buffers() const final { return traits().buffers; }
  KernelTraits traits() const override = 0;

  // Fills `group`, which is empty, with the `done`-th group of a tile; false: there are no more.
  virtual bool fill(std::uint32_t tile, std::uint32_t done, Group& group) const = 0;

 protected:
  static constexpr std::uint32_t kThreadBytes = 16;  // of a load
  static constexpr std::uint32_t kRegisterBytes = 4;

 private:
  class Program;
  TileWalk walk_;
};

}  // namespace t3sim
