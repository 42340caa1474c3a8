#include "trace/import/timeline/timeline_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "base/error.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kPsPerNs = 1000;

// The instant after `done` of `all` parts of the time from `begin` to `end`.
std::uint64_t part_ps(std::uint64_t begin_ns, std::uint64_t end_ns, std::uint32_t done, std::uint32_t all) {
  return begin_ns * kPsPerNs + (end_ns - begin_ns) * kPsPerNs * done / all;
}

}  // namespace

class TimelineKernel::Program final : public WorkgroupProgram {
 public:
  void restart(const TimelineKernel& kernel, std::uint32_t workgroup) {
    kernel_ = &kernel;
    workgroup_ = workgroup;
    next_ = 0;
    mainloop_ = kernel.mainloop_groups();
    end_ = mainloop_ + kernel.storing_wavefronts(kernel.tile(workgroup)) + 1;
  }
  bool next(Group& group) override {
    if (next_ == end_) return false;
    if (next_ < mainloop_)
      kernel_->fill_mainloop(workgroup_, next_, group);
    else
      kernel_->fill_stores(workgroup_, next_ - mainloop_, group);
    ++next_;
    return true;
  }

 private:
  const TimelineKernel* kernel_ = nullptr;
  std::uint32_t workgroup_ = 0, next_ = 0, mainloop_ = 0, end_ = 0;
};

TimelineKernel::TimelineKernel(const GemmSpec& spec, Timeline timeline, TimelineUse use)
    : gemm_(spec), use_(use) {
  check_tiles(timeline);
  traits_ = gemm_.traits();
  traits_.timing = use == TimelineUse::stores ? Timing::kernel : Timing::workgroup;
  traits_.workgroups_per_cu = timeline.workgroups_per_cu();
  tiles_ = std::move(timeline.tiles);
  if (use == TimelineUse::compute) count_from_predecessors();
}

void TimelineKernel::check_tiles(const Timeline& timeline) const {
  std::vector<bool> seen(grid().tiles());
  for (const TimedTile& tile : timeline.tiles) {
    if (tile.tile_row >= grid().tile_rows() || tile.tile_col >= grid().tile_cols())
      throw InputError(fmt::format("timeline '{}': tile ({}, {}) is outside the {} x {} tiles of the GEMM",
                                   timeline.case_name, tile.tile_row, tile.tile_col, grid().tile_rows(),
                                   grid().tile_cols()));
    const std::uint32_t index = grid().index(tile.tile_row, tile.tile_col);
    if (seen[index])
      throw InputError(
          fmt::format("timeline '{}': tile ({}, {}) comes twice: is it of more than one GPU or run?",
                      timeline.case_name, tile.tile_row, tile.tile_col));
    seen[index] = true;
  }
  if (timeline.tiles.size() != grid().tiles())
    throw InputError(fmt::format("timeline '{}' has {} of the {} tiles of the GEMM", timeline.case_name,
                                 timeline.tiles.size(), grid().tiles()));
}

// Of the workgroups that had ended on a CU when another one started there, that one took the place of the
// earliest that had no successor yet.
void TimelineKernel::count_from_predecessors() {
  std::vector<std::size_t> by_start(tiles_.size());
  std::iota(by_start.begin(), by_start.end(), std::size_t{0});
  std::stable_sort(by_start.begin(), by_start.end(),
                   [&](std::size_t a, std::size_t b) { return tiles_[a].start_ns < tiles_[b].start_ns; });
  std::map<std::uint32_t, std::vector<std::uint64_t>> ends;  // by CU: of workgroups without a successor
  for (const std::size_t i : by_start) {
    TimedTile& tile = tiles_[i];
    std::vector<std::uint64_t>& free = ends[tile.cu];
    const auto earliest = std::min_element(free.begin(), free.end());
    const bool succeeds = earliest != free.end() && *earliest <= tile.start_ns;
    const std::uint64_t origin = succeeds ? *earliest : 0;
    if (succeeds) free.erase(earliest);
    free.push_back(tile.end_ns);
    tile.start_ns -= origin;
    tile.mainloop_end_ns -= origin;
    tile.end_ns -= origin;
  }
}

std::uint32_t TimelineKernel::storing_wavefronts(std::uint32_t tile) const {
  std::uint32_t count = gemm_.spec().wavefronts;
  while (gemm_.output().grid.block(WavefrontTile{tile, count - 1}).empty()) --count;
  return count;
}

void TimelineKernel::fill_mainloop(std::uint32_t i, std::uint32_t step, Group& group) const {
  const TimedTile& tile = tiles_[i];
  if (use_ == TimelineUse::compute) {
    gemm_.fill_step(this->tile(i), step, group);
    group.matrix_flops = 0;  // its time is the measured one
    group.not_before_ps = part_ps(tile.start_ns, tile.mainloop_end_ns, step + 1, mainloop_groups());
    return;
  }
  group.clear();
  group.tile = this->tile(i);
  group.not_before_ps = (step == 0 ? tile.start_ns : tile.mainloop_end_ns) * kPsPerNs;
  if (step > 0) group.useful_flops = 2 * grid().block(group.tile).elements() * gemm_.spec().shape.k;
}

// Part `wavefronts` is the last run of the last wavefront, taken out of its part.
void TimelineKernel::fill_stores(std::uint32_t i, std::uint32_t part, Group& group) const {
  const TimedTile& tile = tiles_[i];
  group.clear();
  group.tile = this->tile(i);
  const std::uint32_t wavefronts = storing_wavefronts(group.tile);
  group.not_before_ps = part_ps(tile.mainloop_end_ns, tile.end_ns, part + 1, wavefronts + 1);
  gemm_.add_stores({group.tile, std::min(part, wavefronts - 1)}, group);
  if (part == wavefronts - 1) group.stores.pop_back();
  if (part == wavefronts) group.stores.erase(group.stores.begin(), group.stores.end() - 1);
}

std::unique_ptr<WorkgroupProgram> TimelineKernel::program(std::uint32_t i,
                                                          std::unique_ptr<WorkgroupProgram> reuse) {
  recycled_as<Program>(reuse).restart(*this, i);
  return reuse;
}

}  // namespace t3sim
