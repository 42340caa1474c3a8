#include "runtime/load_program.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "base/number.h"
#include "kernel/tuned_tile.h"
#include "machine/named_kernel.h"
#include "program/library.h"
#include "runtime/program_memory.h"
#include "runtime/program_routes.h"

namespace t3sim {
namespace {

GemmSpec generated(const WorkloadConfig& workload, const program::KernelOptions& options, GemmSpec spec) {
  spec.tile = options.tile.value_or(TileShape{workload.tile[0], workload.tile[1], workload.tile[2]});
  spec.wavefronts = options.wavefronts.value_or(workload.wavefronts);
  spec.buffers = options.buffers.value_or(workload.buffers);
  spec.order.kind = workload.order;
  spec.order.group = workload.order_group;
  spec.prologue_cycles = workload.prologue_cycles;
  spec.store_bytes_per_cycle = workload.store_bytes_per_cycle;
  spec.bypass_l1 = workload.bypass_l1;
  return spec;
}

// `asked`: the shape that the tile is for.
GemmSpec tuned(const Config& config, const program::KernelOptions& options, std::uint32_t cus,
               const GemmShape& asked, GemmSpec spec) {
  const GpuConfig& gpu = config.gpu;
  const double clock_share =
      gpu.matrix_clock_hz == 0 ? 1 : std::min(1.0, real(gpu.matrix_clock_hz) / real(gpu.clock_hz));
  const TileRates rates{
      .cus = cus,
      .flops_per_cycle = real(matrix_rate(gpu, spec.type)) * gpu.matrix_issue_efficiency * clock_share,
      .load_bytes_per_cycle =
          std::min(real(gpu.noc_bytes_per_cycle),
                   real(config.l2.dies * config.l2.slices * config.l2.bytes_per_cycle) / real(gpu.cus)),
      .launch_cycles = real(gpu.kernel_launch_cycles),
      .lds_bytes = gpu.lds_bytes};
  const TunedTile best = tuned_tile(asked, spec.type, rates);
  spec = generated(config.workload, options, spec);
  spec.tile = best.tile;
  spec.split_k = std::min(best.split_k, ceil_div(spec.shape.k, best.tile.k));  // of a short run of a long K
  spec.split_workspace = spec.parts_last = spec.split_k > 1;
  return spec;
}

// For which shape a kernel is chosen, of the shape that it runs.
using AskedFor = std::function<GemmShape(const GemmShape&)>;

program::KernelRule kernels(const Config& config, const AskedFor& asked_for) {
  return [&config, asked_for](const GemmShape& shape, DataType type, const program::KernelOptions& options) {
    const GemmShape asked = asked_for(shape);
    GemmSpec spec;
    spec.shape = shape;
    spec.type = type;
    spec.row_major_output = true;
    const auto cus = narrow<std::uint32_t>(options.cus != 0 ? options.cus : config.gpu.cus);
    const bool own = !options.name.empty() || options.tile;
    const std::string& name = own ? options.name : config.workload.kernel;
    if (!name.empty())
      use_kernel(config, library_kernel_name(name), cus, spec);
    else if (options.tile || config.gpu.kernels == KernelChoice::generator ||
             (config.gpu.kernels == KernelChoice::cublas && type == DataType::fp32))
      spec = generated(config.workload, options, spec);
    else if (config.gpu.kernels == KernelChoice::tuned)
      spec = tuned(config, options, cus, asked, spec);
    else
      use_kernel(config, chosen_kernel(asked, cus), cus, spec);
    if (options.split_k) spec.split_k = *options.split_k;
    return spec;
  };
}

program::Program load(const Config& config, const AskedFor& asked_for) {
  program::Setting setting;
  setting.gpus = config.gpus.count;
  setting.cus = narrow<std::uint32_t>(config.gpu.cus);
  setting.kernel = kernels(config, asked_for);
  for (const auto& [name, value] : config.program.parameters)
    setting.parameters[name] = narrow<std::int64_t>(value);
  program::Program program = program_library::load(config.program.file, setting);
  check_memory(config, program);
  check_routes(config, program);
  return program;
}

const AskedFor kItself = [](const GemmShape& shape) { return shape; };

}  // namespace

program::KernelRule machine_kernels(const Config& config) { return kernels(config, kItself); }

program::Program load_program(const Config& config) { return load(config, kItself); }

program::Program load_program(const Config& config, const Config& kernels_of) {
  std::vector<GemmShape> shapes;
  load(kernels_of, [&](const GemmShape& shape) { return shapes.emplace_back(shape); });
  std::size_t next = 0;
  return load(config, [&](const GemmShape& shape) { return next < shapes.size() ? shapes[next++] : shape; });
}

}  // namespace t3sim
