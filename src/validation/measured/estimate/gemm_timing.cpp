#include <algorithm>
#include <cmath>

#include "machine/named_kernel.h"
#include "machine/power.h"
#include "validation/measured/estimate/gemm_model.h"

namespace t3sim {
namespace {

double seconds(std::uint64_t ps) { return static_cast<double>(ps) * 1e-12; }

// Of a byte that links carry, through the L2's ports: in from the memory and out to the link, or the other
// way round.
constexpr double kL2Passes = 2;

class GemmClock {
 public:
  GemmClock(const MeasuredMachine& machine, const LibraryGemm& kernel, const GemmSurroundings& surroundings)
      : machine_(machine),
        config_(machine.config),
        gemm_(machine.config.execution.gemm),
        kernel_(kernel),
        around_(surroundings) {}

  // The clock and the share of the time that the matrix units are busy depend on each other.
  GemmTiming run() const {
    if (around_.clock_share > 0) return at(around_.clock_share);
    if (at_boost(machine_, around_.series, at(1).seconds)) return at(1);
    double clock = 1;
    for (int i = 0; i < 20; ++i) {
      const double busy = matrix_busy(machine_, kernel_, at(clock).seconds + around_.series.pause_s);
      clock = (clock + clock_at(machine_, busy, around_.link_Bps)) / 2;
    }
    return at(clock);
  }

 private:
  GemmTiming at(double clock) const {
    const double hz = clock * static_cast<double>(config_.gpu.clock_hz);
    const double efficiency =
        kernel_.compiled ? compiled_efficiency(gemm_, kernel_.tile_m * kernel_.tile_n, kernel_.name.buffers)
                         : gemm_.matrix_efficiency;
    const double step_cycles = 2.0 * kernel_.tile_m * kernel_.tile_n * kernel_.tile_k /
                               static_cast<double>(config_.gpu.matrix_flops_per_cycle) / efficiency;
    GemmTiming t;
    t.clock_share = clock;
    const auto falls_to = static_cast<double>(config_.gpu.matrix_clock_hz);
    t.k_loop_s = kernel_.k_steps() * step_cycles / (falls_to > 0 ? std::min(hz, falls_to) : hz) *
                 (1 + beside_Bps() / l2_Bps());
    const double bytes = kernel_.tile_bytes() * (kernel_.split_k > 1 ? 2 : 1);  // FP32 parts
    const double fill = seconds(gemm_.tile_fill_ps);
    t.tile_s = t.k_loop_s + bytes / store_bytes_per_cycle() / hz * (1 + 2 * around_.link_Bps / memory_Bps());
    if (!kernel_.persistent) t.tile_s += fill + seconds(gemm_.workgroup_start_ps);
    const double cus = static_cast<double>(config_.gpu.cus);
    const double at_a_time = kernel_.persistent ? std::min<double>(cus, kernel_.workgroups) : cus;
    t.waves = std::ceil(static_cast<double>(kernel_.tiles()) / at_a_time);
    const double tiles_s =
        last_tile_s(t.tile_s, at_a_time, std::max(0.0, around_.held_cus - (cus - at_a_time)));
    t.seconds = launch_s() + (kernel_.persistent ? fill : 0) + std::max(tiles_s, input_s()) + reduction_s();
    return t;
  }

  // CUs take tiles until there are none; `held` of them begin late.
  double last_tile_s(double tile_s, double at_a_time, double held) const {
    const auto tiles = static_cast<double>(kernel_.tiles());
    const auto done = [&](double t) {
      const double late = std::max(0.0, t - around_.held_s);
      return (at_a_time - held) * std::floor(t / tile_s + 1e-9) + held * std::floor(late / tile_s + 1e-9) >=
             tiles;
    };
    const double least = std::floor(tiles / at_a_time),
                 most = std::ceil(tiles / std::max(1.0, at_a_time - held));
    double steps = least;
    while (steps < most && !done(steps * tile_s)) ++steps;
    double late_steps = std::max(0.0, std::floor(least - around_.held_s / tile_s));
    while (late_steps < steps && !done(around_.held_s + late_steps * tile_s)) ++late_steps;
    return std::min(steps * tile_s, around_.held_s + late_steps * tile_s);
  }

  double launch_s() const {
    if (!kernel_.compiled) return seconds(gemm_.library_launch_ps);
    return seconds(around_.launched_alone ? gemm_.compiled_launch_ps : gemm_.launch_ps);
  }
  double store_bytes_per_cycle() const {
    return kernel_.compiled ? gemm_.tile_bytes_per_cycle : gemm_.library_tile_bytes_per_cycle;
  }
  double memory_Bps() const { return config_.memory.peak_bytes_per_second(); }
  double dram_Bps() const { return gemm_.dram_share * memory_Bps(); }
  double l2_Bps() const {
    return static_cast<double>(config_.l2.slices * config_.l2.bytes_per_cycle) *
           static_cast<double>(config_.gpu.clock_hz);
  }
  // Through the L2, both ways.
  double beside_Bps() const { return 2 * kL2Passes * around_.link_Bps; }
  // No GEMM is faster than its operands come from memory.
  double input_s() const {
    const GemmShape& s = kernel_.shape;
    return 2.0 * s.k * (static_cast<double>(s.m) + s.n) / dram_Bps();
  }

  // A kernel of its own adds up what split-K left.
  double reduction_s() const {
    if (kernel_.split_k == 1) return 0;
    const double bytes = output_bytes(kernel_.shape) * (2.0 * kernel_.split_k + 1);
    return seconds(gemm_.launch_ps) + bytes / dram_Bps();
  }

  const MeasuredMachine& machine_;
  const Config& config_;
  const GemmExecutionConfig& gemm_;
  const LibraryGemm& kernel_;
  const GemmSurroundings& around_;
};

bool rested(const MeasuredMachine& machine, double rest_s) {
  return rest_s > 0 && !ends_before_limit(machine.config.execution.power, rest_s);
}

}  // namespace

CallSeries series_of(const MeasuredMachine& machine, const GemmTimeRow& row, bool cold) {
  CallSeries series;
  if (cold) series.pause_s = GemmTimeRow::kFlushBytes / machine.config.memory.peak_bytes_per_second();
  if (rested(machine, row.rest_s))
    series.since_rest = cold ? GemmTimeRow::kColdCalls : GemmTimeRow::kWarmCalls;
  return series;
}

CallSeries series_of(const MeasuredMachine& machine, const TimelineCaseRow& row) {
  return {.since_rest = rested(machine, row.rest_s) ? TimelineCaseRow::kCalls : 0};
}

bool at_boost(const MeasuredMachine& machine, const CallSeries& series, double seconds) {
  return series.since_rest != 0 &&
         ends_before_limit(machine.config.execution.power, series.since_rest * (seconds + series.pause_s));
}

double clock_at(const MeasuredMachine& machine, double busy, double link_Bps) {
  return clock_share(machine.config.execution.power, {busy, link_Bps / machine.link_Bps()});
}

double matrix_busy(const MeasuredMachine& machine, const LibraryGemm& kernel, double seconds) {
  const GpuConfig& gpu = machine.config.gpu;
  const double peak =
      static_cast<double>(gpu.cus * gpu.matrix_flops_per_cycle) * static_cast<double>(gpu.clock_hz);
  return flops(kernel.shape) / peak / seconds;
}

GemmTiming gemm_timing(const MeasuredMachine& machine, const LibraryGemm& kernel,
                       const GemmSurroundings& surroundings) {
  return GemmClock(machine, kernel, surroundings).run();
}

}  // namespace t3sim
