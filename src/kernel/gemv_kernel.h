// y = W x, a few rows of W to a wavefront: all of W is read once, x again and again through the L1.
#pragma once

#include "kernel/sum_kernel.h"
#include "kernel/tile_kernel.h"

namespace t3sim {

struct GemvSpec {
  Rectangle w;     // rows
  Rectangle x, y;  // one row each
  std::uint32_t element_bytes = 2;
  std::uint32_t wavefronts = 8;          // a workgroup
  std::uint32_t rows_per_wavefront = 1;  // whose sums it has in registers at a time
  std::uint32_t unroll = 4;      // loads of 16 B that a thread issues for each row before it uses the first
  std::uint64_t registers = 48;  // a thread
  std::uint32_t wavefront_threads = 32;  // of the machine
};

// A tile is what a workgroup has in registers at a time.
class GemvKernel final : public TileKernel {
 public:
  GemvKernel(const GemvSpec& spec, TileWalk walk) : TileKernel(std::move(walk)), spec_(spec) {}

  bool fill(std::uint32_t tile, std::uint32_t done, Group& group) const override;
  KernelTraits traits() const override;

  const GemvSpec& spec() const { return spec_; }
  // Bytes of a row that a group reads: the `done`-th reads those from done * step_bytes() on.
  std::uint64_t step_bytes() const;
  std::uint32_t tile_rows() const { return spec_.wavefronts * spec_.rows_per_wavefront; }

 private:
  GemvSpec spec_;
};

}  // namespace t3sim
