// Where the time of a finished phase went, and that nothing of it is lost.
#include <fmt/format.h>

#include "base/error.h"
#include "base/number.h"
#include "machine/gpu_stats.h"

namespace t3sim {
namespace {

KernelAccount account_of(const Gpu& gpu, const RunningKernel& kernel) {
  KernelAccount a;
  a.time = gpu.time_of(kernel);
  for (const auto& cu : gpu.parts().cus) {
    const IdleAccount& places = cu->places();
    a.places += places.places();
    a.idle += places.idle();
    a.all += places.all();
    a.working += cu->matrix_time().working() * places.places();
    a.loading += cu->stats().loading;
  }
  for (const auto& channel : gpu.parts().channels) {
    const LatencyHistogram& latency = channel->stats().read_latency[ordinal(Stream::compute)];
    a.reads += latency.count();
    a.read_latency_cycles += latency.sum();
  }
  return a;
}

}  // namespace

PhaseAccount account_of(const Gpu& gpu) {
  PhaseAccount a;
  a.time = gpu.end();
  const std::vector<LinkTime>& links = gpu.links();
  for (std::uint32_t p = 0; p < links.size(); ++p)
    if (links[p].busy > links[a.port].busy) a.port = p;
  a.link = links[a.port];
  if (gpu.kernels().empty()) return a;
  const RunningKernel& kernel = *gpu.kernels().back();
  a.link_at_kernel_end = kernel.links_at_end[a.port];
  a.kernel = account_of(gpu, kernel);
  return a;
}

void check_conservation(const Gpu& gpu) {
  const auto require = [&](bool holds, const std::string& rule) {
    if (!holds) throw CheckError(fmt::format("conservation: GPU {}: {}", gpu.spec().rank, rule));
  };
  require(!gpu.collective() || gpu.collective()->tracker->live_entries() == 0,
          "the Tracker is not empty at the end");
  require(gpu.payloads().live() == 0, fmt::format("{} payloads are left over", gpu.payloads().live()));
  if (gpu.kernels().empty()) return;
  const Tick kernel_time = gpu.time_of(*gpu.kernels().back());
  for (const auto& cu : gpu.parts().cus) {
    const Tick total = cu->matrix_time().total();
    require(total == kernel_time,
            fmt::format("the account of a matrix unit has {} ticks, not {}", total, kernel_time));
  }
  const KernelAccount account = account_of(gpu).kernel;
  require(account.total() == account.time * account.places,
          fmt::format("the account of {} places for workgroups has {} ticks, not {} each", account.places,
                      account.total(), account.time));
}

}  // namespace t3sim
