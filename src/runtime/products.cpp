#include "runtime/products.h"

#include <algorithm>

#include "base/number.h"

namespace t3sim {
namespace {

using program::GemmBody;
using program::Launch;

// All CUs together; of the matrix units' own clock where they have one.
double flops_per_us(const Config& config, const GemmSpec& spec) {
  const GpuConfig& gpu = config.gpu;
  const std::uint64_t clock =
      gpu.matrix_clock_hz == 0 ? gpu.clock_hz : std::min(gpu.matrix_clock_hz, gpu.clock_hz);
  const double efficiency = spec.issue_efficiency > 0 ? spec.issue_efficiency : gpu.matrix_issue_efficiency;
  return real(matrix_rate(gpu, spec.type)) * efficiency * real(gpu.cus) * real(clock) * 1e-6;
}

double least_us(const Config& config, const GemmSpec& spec, bool only_one) {
  double elements = real(spec.shape.m) * spec.shape.n;
  if (only_one && spec.split_k == 1 && spec.shape.m % spec.tile.m == 0 && spec.shape.n % spec.tile.n == 0) {
    const auto cus = narrow<std::uint32_t>(config.gpu.cus);
    const std::uint32_t tiles = (spec.shape.m / spec.tile.m) * (spec.shape.n / spec.tile.n);
    elements = real(ceil_div(tiles, cus)) * cus * spec.tile.m * spec.tile.n;  // as long as the CU with most
  }
  return 2 * elements * spec.shape.k / flops_per_us(config, spec);
}

}  // namespace

double least_products_us(const Config& config, const program::Program& program) {
  double most = 0;
  for (const program::GpuCommands& gpu : program.gpus) {
    double all = 0, last = 0;
    unsigned gemms = 0;
    for (const program::Command& command : gpu.commands) {
      const auto* launch = std::get_if<Launch>(&command.action);
      const auto* gemm = launch ? std::get_if<GemmBody>(&launch->body) : nullptr;
      if (!gemm) continue;
      ++gemms;
      all += least_us(config, gemm->spec, false);
      last = least_us(config, gemm->spec, true);
    }
    most = std::max(most, gemms == 1 ? last : all);
  }
  return most;
}

}  // namespace t3sim
