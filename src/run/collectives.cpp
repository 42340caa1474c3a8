#include "run/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "base/error.h"
#include "base/number.h"
#include "plan/plan_check.h"
#include "plan/plan_library.h"

namespace t3sim {
namespace {

using Algorithm = CollectiveAlgorithm;
using Choice = CollectiveChoice;

template <class T>
std::shared_ptr<const T> shared(T value) {
  return std::make_shared<const T>(std::move(value));
}

class Builder {
 public:
  explicit Builder(const Config& config) : config_(config), gpus_(config.gpus.count) {}

  Collectives build() const {
    Collectives c;
    const Choice kind = config_.collective.kind;
    const bool reduces = kind == Choice::all_reduce || kind == Choice::reduce_scatter;
    c.name = reduces ? "reduce-scatter" : kind == Choice::all_gather ? "all-gather" : "all-to-all";
    c.key = reduces ? "rs" : kind == Choice::all_gather ? "ag" : "a2a";
    c.traffic = kind == Choice::all_gather ? Traffic::ag : Traffic::rs;
    c.on = config_.collective.gemm == GemmRole::producer   ? CollectiveOn::output
           : config_.collective.gemm == GemmRole::consumer ? CollectiveOn::input
                                                           : CollectiveOn::apart;
    const std::string name = library_name(c.name);
    c.by_dma = load(name + "-dma", {{"behind", 0}});
    if (c.on == CollectiveOn::output)
      c.fused = config_.collective.plan.empty() ? load(name, {{"slices", slices()}})
                                                : load(config_.collective.plan, {});
    c.kernel = shared(reduces                      ? scatter_kernel()
                      : kind == Choice::all_gather ? gather_kernel()
                                                   : kernel_all_to_all(gpus_));
    if (kind != Choice::all_reduce) return c;
    c.gather_after_kernel = c.gather_after_dma = shared(tail_kernel());
    // A plan of the user's, and a direct one with several slices, may leave chunks elsewhere.
    const bool elsewhere =
        c.fused && (!config_.collective.plan.empty() || c.fused->chunks != c.kernel->chunks);
    c.gather_after_fused = elsewhere ? gather_after(*c.fused) : c.gather_after_dma;
    return c;
  }

 private:
  std::string library_name(const std::string& exchange) const {
    if (exchange == "all-to-all") return exchange;
    switch (config_.collective.algorithm) {
      case Algorithm::ring:
        return "ring-" + exchange;
      case Algorithm::bidirectional_ring:
        return "bidirectional-ring-" + exchange;
      case Algorithm::direct:
        return "direct-" + exchange;
      case Algorithm::two_level:
        return "two-level-" + exchange;
    }
    return {};
  }

  using Parameters = std::map<std::string, std::int64_t>;

  // With those of the parameters that the collective has.
  std::shared_ptr<const CollectivePlan> load(const std::string& name, const Parameters& parameters) const {
    const PlanFile file = plan_library::read(name);
    PlanSetting setting{gpus_, node_size(), {}};
    for (const auto& [parameter, value] : parameters)
      if (file.parameters.contains(parameter)) setting.parameters[parameter] = value;
    return loaded(name, file, setting);
  }

  // Plans are checked thoroughly when they are made, and asked for often: by every check of a configuration.
  static std::shared_ptr<const CollectivePlan> loaded(const std::string& name, const PlanFile& file,
                                                      const PlanSetting& setting) {
    static std::mutex mutex;
    static std::map<std::tuple<std::string, std::uint32_t, std::uint32_t, Parameters>,
                    std::shared_ptr<const CollectivePlan>>
        made;
    const std::lock_guard lock(mutex);
    auto& plan = made[{name, setting.gpus, setting.node_size, setting.parameters}];
    if (!plan) plan = shared(make_plan(file, setting));
    return plan;
  }

  std::uint32_t node_size() const {
    const bool nodes = config_.topology.kind == TopologyKind::two_level ||
                       config_.collective.algorithm == Algorithm::two_level;
    return nodes ? config_.topology.node_size : 0;
  }

  // Section 7.1: the output of every stage is scattered over all GPUs. Chunks that are alike are preferred,
  // as mirror needs them.
  std::uint32_t slices() const {
    if (config_.collective.slices != 0) return config_.collective.slices;
    const TileGrid grid = gemm_spec(config_, 0).c().grid;
    const auto stage =
        narrow<std::uint32_t>(config_.gpu.cus * workgroups_per_cu(config_.gpu, kernel_traits(config_)));
    const std::uint32_t most =
        std::max(std::min({ceil_div(grid.tiles(), stage), grid.tiles() / gpus_, 1024U}), 1U);
    for (std::uint32_t s = most; s > 1; --s)
      if (ChunkMap(grid, gpus_ * s).alike(grid)) return s;
    return config_.gpus.model == GpuModel::mirror ? 1 : most;
  }

  KernelPlan scatter_kernel() const {
    switch (config_.collective.algorithm) {
      case Algorithm::ring:
        return kernel_ring_reduce_scatter(gpus_);
      case Algorithm::bidirectional_ring:
        return kernel_bidirectional_reduce_scatter(gpus_);
      case Algorithm::direct:
        return kernel_direct_reduce_scatter(gpus_);
      case Algorithm::two_level:
        return kernel_ring_reduce_scatter(gpus_, 0);  // around the ring of all GPUs, as libraries do
    }
    return {};
  }
  // Of what the GEMM has produced: GPU r begins with chunk r.
  KernelPlan gather_kernel() const {
    return config_.collective.algorithm == Algorithm::direct ? kernel_direct_all_gather(gpus_)
                                                             : kernel_ring_all_gather(gpus_, 0);
  }
  // After the reduce-scatter of the same algorithm.
  KernelPlan tail_kernel() const {
    switch (config_.collective.algorithm) {
      case Algorithm::ring:
        return kernel_ring_all_gather(gpus_);
      case Algorithm::bidirectional_ring:
        return kernel_bidirectional_all_gather(gpus_);
      case Algorithm::direct:
        return kernel_direct_all_gather(gpus_);
      case Algorithm::two_level:
        return kernel_ring_all_gather(gpus_, 0);
    }
    return {};
  }

  // Around the ring if every GPU r ends with chunk r - x; else straight from the owners.
  std::shared_ptr<const KernelPlan> gather_after(const CollectivePlan& plan) const {
    const PlanOutcome outcome = check_plan(plan);
    std::vector<std::uint32_t> owners;
    for (std::uint32_t c = 0; c < plan.chunks; ++c) {
      const std::vector<std::uint32_t> all = outcome.owners(c);
      if (all.empty())
        throw InputError(fmt::format(
            "{}: no GPU ends with the sum of chunk {}, which the all-gather after it needs", plan.name, c));
      owners.push_back(all.front());
    }
    const std::uint32_t behind = owners[0];
    bool ring = plan.chunks == gpus_ && config_.collective.algorithm != Algorithm::direct;
    for (std::uint32_t c = 0; ring && c < plan.chunks; ++c) ring = owners[c] == (c + behind) % gpus_;
    return shared(ring ? kernel_ring_all_gather(gpus_, behind) : kernel_direct_all_gather(gpus_, owners));
  }

  const Config& config_;
  std::uint32_t gpus_;
};

}  // namespace

Collectives collectives(const Config& config) { return Builder(config).build(); }

std::uint32_t first_operand(const Collectives& c) {
  return std::max({c.fused ? c.fused->arrays : 1, c.by_dma->arrays, c.kernel->arrays});
}

}  // namespace t3sim
