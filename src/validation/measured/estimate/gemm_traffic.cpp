#include <algorithm>
#include <cmath>

#include "validation/measured/estimate/gemm_model.h"
#include "validation/measured/estimate/tile_cache.h"

namespace t3sim {
namespace {

// One workgroup of the order, or a pair that shares a panel: its first tile and its share of K.
struct Unit {
  std::uint32_t tile_m, tile_n, split;
};

class Walk {
 public:
  Walk(const MeasuredMachine& machine, const LibraryGemm& kernel)
      : kernel_(kernel),
        pair_(kernel.pairs ? 2 : 1),
        steps_((kernel.shape.k + kernel.tile_k - 1) / kernel.tile_k),
        first_b_(std::size_t{kernel.tiles_m()} * steps_),
        first_c_(first_b_ + std::size_t{kernel.tiles_n()} * steps_),
        cache_(static_cast<double>(machine.config.estimate.l2_bytes),
               first_c_ + std::size_t{kernel.tiles_m()} * kernel.tiles_n()),
        band_(machine.config.estimate.raster_band) {
    order();
    const std::uint64_t at_a_time = kernel.persistent
                                        ? kernel.workgroups
                                        : std::min<std::uint64_t>(machine.config.gpu.cus, kernel.tiles());
    units_a_wave_ = std::max<std::size_t>(1, at_a_time / pair_);
  }

  GemmTraffic run(double merged) {
    for (std::size_t first = 0; first < units_.size(); first += units_a_wave_) wave(first);
    const TileCache::Counts& c = cache_.counts();
    return {c.dram, c.read - merged * c.near_misses + c.fabric};
  }

 private:
  // Bands of the output, `raster_band` elements wide; in a band, across first.
  void order() {
    const std::uint32_t rows = (kernel_.tiles_m() + pair_ - 1) / pair_, columns = kernel_.tiles_n();
    const bool across_n = kernel_.bands_across_n.value_or(kernel_.shape.n < kernel_.shape.m);
    const std::uint32_t width = across_n ? kernel_.tile_n : kernel_.tile_m * pair_;
    const std::uint32_t across = across_n ? columns : rows, along = across_n ? rows : columns;
    const auto band = static_cast<std::uint32_t>(
        std::max(1.0, std::round(static_cast<double>(band_) / static_cast<double>(width))));
    for (std::uint32_t split = 0; split < kernel_.split_k; ++split)
      for (std::uint32_t from = 0; from < across; from += band)
        for (std::uint32_t a = 0; a < along; ++a)
          for (std::uint32_t x = from; x < std::min(across, from + band); ++x)
            units_.push_back({(across_n ? a : x) * pair_, across_n ? x : a, split});
  }

  void wave(std::size_t first) {
    const std::size_t end = std::min(units_.size(), first + units_a_wave_);
    for (std::uint32_t step = 0; step < kernel_.k_steps(); ++step)
      for (std::size_t i = first; i < end; ++i) load(units_[i], step, partition_of(i - first));
    for (std::size_t i = first; i < end; ++i) store(units_[i]);
  }
  // Neighbours in the order sit together on one side of the chip.
  unsigned partition_of(std::size_t place) const {
    return static_cast<unsigned>(place * TileCache::kPartitions / units_a_wave_) % TileCache::kPartitions;
  }

  void load(const Unit& unit, std::uint32_t step_of_split, unsigned partition) {
    const std::uint32_t step = unit.split * kernel_.k_steps() + step_of_split;
    if (step >= steps_) return;
    const double k = std::min(kernel_.tile_k, kernel_.shape.k - step * kernel_.tile_k);
    for (std::uint32_t i = 0; i < pair_; ++i)
      if (const std::uint32_t row = unit.tile_m + i; row < kernel_.tiles_m())
        cache_.read(std::size_t{row} * steps_ + step, 2 * k * rows_of(row), partition);
    cache_.read(first_b_ + std::size_t{unit.tile_n} * steps_ + step, 2 * k * columns_of(unit.tile_n),
                partition);
  }
  void store(const Unit& unit) {
    for (std::uint32_t i = 0; i < pair_; ++i)
      if (const std::uint32_t row = unit.tile_m + i; row < kernel_.tiles_m())
        cache_.write(first_c_ + std::size_t{row} * kernel_.tiles_n() + unit.tile_n,
                     2 * rows_of(row) * columns_of(unit.tile_n));
  }
  double rows_of(std::uint32_t tile) const {
    return std::min(kernel_.tile_m, kernel_.shape.m - tile * kernel_.tile_m);
  }
  double columns_of(std::uint32_t tile) const {
    return std::min(kernel_.tile_n, kernel_.shape.n - tile * kernel_.tile_n);
  }

  const LibraryGemm& kernel_;
  std::uint32_t pair_;
  std::uint32_t steps_;
  std::size_t first_b_, first_c_;
  TileCache cache_;
  std::uint64_t band_;
  std::vector<Unit> units_;
  std::size_t units_a_wave_ = 1;
};

}  // namespace

GemmTraffic gemm_traffic(const MeasuredMachine& machine, const LibraryGemm& kernel) {
  return Walk(machine, kernel).run(machine.config.estimate.merged_per_miss);
}

}  // namespace t3sim
