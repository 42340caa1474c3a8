// A measured timeline as a kernel.
#pragma once

#include "base/number.h"
#include "kernel/gemm_kernel.h"
#include "kernel/program.h"
#include "trace/import/timeline/timeline.h"

namespace t3sim {

// What of the measurement is kept.
enum class TimelineUse : std::uint8_t {
  stores,   // the stores leave when they did; nothing is loaded
  compute,  // loads and stores are simulated; compute takes as long as it did, and longer where data comes
            // late
};

// A tile's stores leave wavefront by wavefront between the end of its main loop and its end, the last ones at
// the end exactly. With TimelineUse::compute a workgroup's time begins where its predecessor on the same CU
// ended: what lies between the two (launch, set-up) is part of what was measured.
class TimelineKernel final : public KernelSource {
 public:
  // Throws InputError when the tiles of the timeline are not those of the GEMM, each once.
  TimelineKernel(const GemmSpec& spec, Timeline timeline, TimelineUse use);

  std::uint32_t workgroups() const override { return narrow<std::uint32_t>(tiles_.size()); }
  std::uint32_t tile(std::uint32_t i) const override {
    return grid().index(tiles_[i].tile_row, tiles_[i].tile_col);
  }
  std::unique_ptr<WorkgroupProgram> program(std::uint32_t i,
                                            std::unique_ptr<WorkgroupProgram> reuse) override;
  unsigned buffers() const override { return traits_.buffers; }
  KernelTraits traits() const override { return traits_; }

 private:
  class Program;
  const TileGrid& grid() const { return gemm_.output().grid; }
  void check_tiles(const Timeline& timeline) const;
  void count_from_predecessors();
  // A workgroup's groups: its start and main loop, then one for each wavefront that stores, then its very
  // last store.
  std::uint32_t mainloop_groups() const { return use_ == TimelineUse::compute ? gemm_.spec().k_steps() : 2; }
  std::uint32_t storing_wavefronts(std::uint32_t tile) const;
  void fill_mainloop(std::uint32_t i, std::uint32_t step, Group& group) const;
  void fill_stores(std::uint32_t i, std::uint32_t part, Group& group) const;

  GemmKernel gemm_;
  TimelineUse use_;
  KernelTraits traits_;
  std::vector<TimedTile> tiles_;  // with TimelineUse::compute, times count from the predecessor's end
};

}  // namespace t3sim
