// As SumKernel, in tiles: for sums whose tiles wait, go somewhere of their own or set words.
#pragma once

#include "kernel/matrix.h"
#include "kernel/sum_kernel.h"
#include "kernel/tile_kernel.h"

namespace t3sim {

struct SumTileSpec {
  std::vector<Rectangle> from;  // each of the output's rows and columns
  Rectangle to;
  TileGrid grid;  // of the output
  std::uint32_t element_bytes = 2;
  std::uint32_t wavefront_threads = 32;  // of the machine
};

// A group is a row of a tile.
class SumTileKernel final : public TileKernel {
 public:
  SumTileKernel(SumTileSpec spec, TileWalk walk) : TileKernel(std::move(walk)), spec_(std::move(spec)) {}

  bool fill(std::uint32_t tile, std::uint32_t done, Group& group) const override;
  KernelTraits traits() const override;

 private:
  SumTileSpec spec_;
};

// Nothing but what its workgroups do beside their tiles: they wait.
class PollKernel final : public TileKernel {
 public:
  using TileKernel::TileKernel;
  bool fill(std::uint32_t, std::uint32_t, Group&) const override { return false; }
  KernelTraits traits() const override { return {.wavefronts = 1, .buffers = 1}; }
};

}  // namespace t3sim
