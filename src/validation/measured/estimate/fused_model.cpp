#include "validation/measured/estimate/fused_model.h"

#include <algorithm>
#include <queue>

#include "validation/measured/estimate/gemm_model.h"

namespace t3sim {
namespace {

constexpr std::uint32_t kGroupRows = 8;  // rows of tiles that are done together, by columns

class FusedRun {
 public:
  FusedRun(const MeasuredMachine& machine, const LibraryGemm& kernel, std::uint32_t gpus, TileOrder order)
      : kernel_(kernel), gpus_(gpus), order_(order), next_(gpus), link_out_(gpus), link_in_(gpus) {
    const GemmTiming timing = gemm_timing(machine, kernel);
    store_s_ = kernel.tile_bytes() / machine.config.execution.gemm.tile_bytes_per_cycle /
               (timing.clock_share * static_cast<double>(machine.config.gpu.clock_hz));
    compute_s_ = timing.tile_s - store_s_;
    link_s_ = kernel.tile_bytes() / (machine.link_Bps() * machine.config.estimate.tile_link_share);
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu)
      for (std::uint32_t cu = 0; cu < machine.config.gpu.cus; ++cu) take_tile(0, gpu, cu);
  }

  double run() {
    while (!finished_.empty()) {
      const Finished tile = finished_.top();
      finished_.pop();
      const double stored = store(tile);
      end_ = std::max(end_, stored);
      take_tile(stored, tile.gpu, tile.cu);
    }
    return end_;
  }

 private:
  // A tile whose K loop is done. In order of time, then of GPU and CU.
  struct Finished {
    double time;
    std::uint32_t gpu, cu, owner;
    bool operator>(const Finished& o) const {
      return std::tie(time, gpu, cu) > std::tie(o.time, o.gpu, o.cu);
    }
  };

  void take_tile(double now, std::uint32_t gpu, std::uint32_t cu) {
    const std::uint64_t tiles = kernel_.tiles();
    if (next_[gpu] == tiles) return;
    const std::uint64_t first = order_ == TileOrder::shifted ? tiles / gpus_ * gpu : 0;
    const std::uint64_t place = (first + next_[gpu]++) % tiles;
    finished_.push({now + compute_s_, gpu, cu, owner_of(place)});
  }

  std::uint32_t owner_of(std::uint64_t place) const {
    const std::uint64_t group = place / (std::uint64_t{kGroupRows} * kernel_.tiles_n());
    const std::uint64_t rows = std::min<std::uint64_t>(kGroupRows, kernel_.tiles_m() - group * kGroupRows);
    const std::uint64_t row =
        group * kGroupRows + place % (std::uint64_t{kGroupRows} * kernel_.tiles_n()) % rows;
    return static_cast<std::uint32_t>(row * gpus_ / kernel_.tiles_m());
  }

  double store(const Finished& tile) {
    const double own = tile.time + store_s_;
    if (tile.owner == tile.gpu) return own;
    double& out = link_out_[tile.gpu];
    double& in = link_in_[tile.owner];
    out = std::max(out, tile.time) + link_s_;
    in = std::max(in, out - link_s_) + link_s_;
    return std::max(own, in);
  }

  const LibraryGemm& kernel_;
  std::uint32_t gpus_;
  TileOrder order_;
  double compute_s_ = 0, store_s_ = 0, link_s_ = 0;
  std::vector<std::uint64_t> next_;         // place in the order, by GPU
  std::vector<double> link_out_, link_in_;  // busy until, by GPU
  std::priority_queue<Finished, std::vector<Finished>, std::greater<>> finished_;
  double end_ = 0;
};

}  // namespace

double fused_store_seconds(const MeasuredMachine& machine, const LibraryGemm& kernel, std::uint32_t gpus,
                           TileOrder order) {
  return FusedRun(machine, kernel, gpus, order).run();
}

}  // namespace t3sim
