#include "validation/measured/simulated/row_machine.h"

#include <algorithm>

namespace t3sim {

Config row_machine(const MeasuredMachine& machine, std::uint32_t gpus) {
  Config config = machine.config;
  config.gpus.count = std::max(2U, gpus);
  config.gpus.model = GpuModel::mirror;
  config.workload.m = config.workload.n = 256;  // of rows without a GEMM
  config.workload.k = 64;
  return config;
}

}  // namespace t3sim
