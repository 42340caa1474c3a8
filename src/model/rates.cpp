#include "model/rates.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"

namespace t3sim::model {
namespace {

constexpr double kStreamEfficiency = 0.9;

// Of a GEMM with the machine's own tiles.
KernelTraits traits_of(Config machine) {
  for (std::uint32_t* extent : {&machine.workload.m, &machine.workload.n, &machine.workload.k})
    *extent = std::max(*extent, 1U << 12);
  return kernel_traits(machine);
}

// A library's kernels have an efficiency of their own (machine/named_kernel.h).
double efficiency_of(const Config& machine) {
  return machine.gpu.kernels == KernelChoice::cublas ? machine.execution.gemm.matrix_efficiency
                                                     : machine.gpu.matrix_issue_efficiency;
}

double clock_of(const GpuConfig& gpu) {
  return real(gpu.matrix_clock_hz != 0 ? gpu.matrix_clock_hz : gpu.clock_hz);
}

}  // namespace

Rates::Rates(const Config& machine)
    : cus_(real(machine.gpu.cus)),
      slots_(workgroups_per_cu(machine.gpu, traits_of(machine))),
      tile_m_(machine.workload.tile[0]),
      tile_n_(machine.workload.tile[1]),
      tile_k_(machine.workload.tile[2]),
      flops_per_us_(real(machine.gpu.matrix_flops_per_cycle) * efficiency_of(machine) *
                    clock_of(machine.gpu) / 1e6),
      bytes_per_us_(kStreamEfficiency * machine.memory.peak_bytes_per_second() / 1e6),
      launch_us_(real(machine.gpu.kernel_launch_cycles) / real(machine.gpu.clock_hz) * 1e6) {}

double Rates::gemm_us(double m, double n, double k, double count) const {
  const double tiles = std::ceil(m / tile_m_) * std::ceil(n / tile_n_) * count;
  const double tile_us = 2 * tile_m_ * tile_n_ * std::ceil(k / tile_k_) * tile_k_ / flops_per_us_;
  const double compute = std::ceil(tiles / (cus_ * slots_)) * slots_ * tile_us;
  const double bytes = kElement * count * (m * k + n * k + m * n);
  return std::max(compute, bytes / bytes_per_us_) + launch_us_;
}

double Rates::pass_us(double bytes) const { return bytes / bytes_per_us_ + launch_us_; }

double Rates::work_us(double flops, double bytes) const {
  return std::max(flops / (flops_per_us_ * cus_), bytes / bytes_per_us_) + launch_us_;
}

}  // namespace t3sim::model
