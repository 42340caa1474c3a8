#include <algorithm>
#include <cmath>

#include "system/validation/measured/gemm_model.h"

namespace t3sim {
namespace {

double seconds(std::uint64_t ps) { return static_cast<double>(ps) * 1e-12; }

class GemmClock {
 public:
  GemmClock(const MeasuredMachine& machine, const LibraryGemm& kernel, const GemmSurroundings& surroundings)
      : config_(machine.config),
        gemm_(machine.config.execution.gemm),
        kernel_(kernel),
        around_(surroundings) {}

  // The clock and the share of the time that the matrix units are busy depend on each other.
  GemmTiming run() const {
    double clock = 1;
    for (int i = 0; i < 20; ++i) clock = (clock + clock_for(busy_share(at(clock)))) / 2;
    return at(clock);
  }

 private:
  GemmTiming at(double clock) const {
    const double hz = clock * static_cast<double>(config_.gpu.clock_hz);
    const double efficiency = kernel_.compiled ? gemm_.compiled_efficiency : gemm_.matrix_efficiency;
    const double step_cycles = 2.0 * kernel_.tile_m * kernel_.tile_n * kernel_.tile_k /
                               static_cast<double>(config_.gpu.matrix_flops_per_cycle) / efficiency;
    GemmTiming t;
    t.clock_share = clock;
    t.k_loop_s = kernel_.k_steps() * step_cycles / hz;
    const double bytes = kernel_.tile_bytes() * (kernel_.split_k > 1 ? 2 : 1);  // FP32 parts
    const double fill = seconds(gemm_.tile_fill_ps);
    t.tile_s = t.k_loop_s + bytes / store_bytes_per_cycle() / hz;
    if (!kernel_.hides_ends) t.tile_s += fill;
    if (!kernel_.persistent) t.tile_s += seconds(gemm_.workgroup_start_ps);
    const double cus = around_.cus ? around_.cus : static_cast<double>(config_.gpu.cus);
    const double at_a_time = kernel_.persistent ? std::min<double>(cus, kernel_.workgroups) : cus;
    t.waves = std::ceil(static_cast<double>(kernel_.tiles()) / at_a_time);
    t.seconds = launch_s() + (kernel_.hides_ends ? fill : 0) + std::max(t.waves * t.tile_s, input_s()) +
                reduction_s();
    return t;
  }

  double launch_s() const {
    if (!kernel_.compiled) return seconds(gemm_.library_launch_ps);
    return seconds(around_.launched_alone ? gemm_.compiled_launch_ps : gemm_.launch_ps);
  }
  double store_bytes_per_cycle() const {
    return kernel_.compiled ? gemm_.tile_bytes_per_cycle : gemm_.library_tile_bytes_per_cycle;
  }
  double dram_Bps() const { return gemm_.dram_share * config_.memory.peak_bytes_per_second(); }
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

  // Share of the peak rate of all matrix units at the boost clock.
  double busy_share(const GemmTiming& t) const {
    const double peak = static_cast<double>(config_.gpu.cus * config_.gpu.matrix_flops_per_cycle) *
                        static_cast<double>(config_.gpu.clock_hz);
    return flops(kernel_.shape) / peak / (t.seconds + around_.pause_s);
  }

  double clock_for(double busy) const {
    const PowerConfig& p = config_.execution.power;
    const double needed = p.matrix_share * busy, allowed = 1 - p.idle_share - around_.transfer_power;
    return needed <= allowed ? 1 : std::sqrt(allowed / needed);
  }

  const Config& config_;
  const GemmExecutionConfig& gemm_;
  const LibraryGemm& kernel_;
  const GemmSurroundings& around_;
};

}  // namespace

GemmTiming gemm_timing(const MeasuredMachine& machine, const LibraryGemm& kernel,
                       const GemmSurroundings& surroundings) {
  return GemmClock(machine, kernel, surroundings).run();
}

}  // namespace t3sim
