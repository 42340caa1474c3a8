#include "interconnect/topology.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "config/config.h"
#include "interconnect/link_buffer.h"

namespace t3sim {
namespace {

std::string_view to_string(TopologyKind kind) {
  switch (kind) {
    case TopologyKind::ring:
      return "ring";
    case TopologyKind::bidirectional_ring:
      return "bidirectional-ring";
    case TopologyKind::fully_connected:
      return "fully-connected";
    case TopologyKind::switched:
      return "switch";
    case TopologyKind::two_level:
      return "two-level";
  }
  return "";
}

// The other GPUs in the order of their distance: gpu + 1, gpu + 2, ... Who comes after whom at a port is thus
// the same for all GPUs, as seen by each of them.
std::vector<std::uint16_t> others(std::uint32_t gpus, std::uint16_t gpu) {
  std::vector<std::uint16_t> found;
  for (std::uint32_t d = 1; d < gpus; ++d) found.push_back(static_cast<std::uint16_t>((gpu + d) % gpus));
  return found;
}

class PortBuilder {
 public:
  PortBuilder(const TopologyConfig& config, std::uint32_t gpus, std::uint16_t gpu)
      : config_(config), gpus_(gpus), gpu_(gpu) {}

  GpuPorts build() {
    const std::uint32_t down = (gpu_ + gpus_ - 1) % gpus_, up = (gpu_ + 1U) % gpus_;
    switch (config_.kind) {
      case TopologyKind::ring:
        links({static_cast<std::uint16_t>(down)}, {static_cast<std::uint16_t>(up)});
        break;
      case TopologyKind::bidirectional_ring: {
        std::vector<std::uint16_t> both{static_cast<std::uint16_t>(down)};
        if (up != down) both.push_back(static_cast<std::uint16_t>(up));
        links(both, both);
        break;
      }
      case TopologyKind::fully_connected: {
        const auto all = others(gpus_, gpu_);
        if (config_.shared_port)
          shared_port("", all, config_.link.bandwidth_Bps, config_.link.latency_ps);
        else
          links(all, all);
        break;
      }
      case TopologyKind::switched:
        switch_port();
        break;
      case TopologyKind::two_level:
        two_levels();
        break;
    }
    return std::move(ports_);
  }

 private:
  // A link to each of `to`, and one from each of `from`.
  void links(const std::vector<std::uint16_t>& to, const std::vector<std::uint16_t>& from) {
    const LinkConfig& link = config_.link;
    for (std::uint16_t g : to)
      out(to.size() == 1 ? "link.out" : fmt::format("link.out[{}]", g), link.bandwidth_Bps, link.latency_ps,
          {g});
    ports_.in.push_back({"link.in", 0, link.latency_ps, false, from});
  }
  void out(const std::string& name, std::uint64_t bandwidth_Bps, std::uint64_t latency_ps,
           const std::vector<std::uint16_t>& gpus) {
    const std::uint64_t buffer = receive_buffer(config_.link, bandwidth_Bps, latency_ps);
    ports_.out.push_back({name, bandwidth_Bps, latency_ps, gpus, buffer});
  }
  void shared_port(const std::string& which, const std::vector<std::uint16_t>& gpus,
                   std::uint64_t bandwidth_Bps, std::uint64_t latency_ps) {
    out("link.out" + which, bandwidth_Bps, latency_ps, gpus);
    ports_.in.push_back({"link.in" + which, bandwidth_Bps, latency_ps, false, gpus});
  }
  // Half of the latency lies before the switch, half behind it.
  void switch_port() {
    const auto all = others(gpus_, gpu_);
    const std::uint64_t bandwidth_Bps = config_.link.bandwidth_Bps;
    const std::uint64_t before = config_.link.latency_ps / 2, behind = config_.link.latency_ps - before;
    out("link.out", bandwidth_Bps, before, all);
    ports_.in.push_back(
        {"link.in", bandwidth_Bps, behind, true, all, receive_buffer(config_.link, bandwidth_Bps, behind)});
  }
  void two_levels() {
    const auto node = [this](std::uint32_t gpu) { return gpu / config_.node_size; };
    std::vector<std::uint16_t> inner, outer;
    for (std::uint16_t g : others(gpus_, gpu_)) (node(g) == node(gpu_) ? inner : outer).push_back(g);
    if (!inner.empty()) links(inner, inner);
    if (!outer.empty()) shared_port("[outer]", outer, config_.outer_bandwidth_Bps, config_.outer_latency_ps);
  }

  const TopologyConfig& config_;
  std::uint32_t gpus_;
  std::uint16_t gpu_;
  GpuPorts ports_;
};

}  // namespace

GpuPorts gpu_ports(const TopologyConfig& config, std::uint32_t gpus, std::uint16_t gpu) {
  return PortBuilder(config, gpus, gpu).build();
}

std::string unreachable(const TopologyConfig& config, std::uint32_t gpus, const std::vector<Route>& routes) {
  for (const auto& [from, to] : routes) {
    if (from >= gpus || to >= gpus || from == to)
      return fmt::format("there is no way from GPU {} to GPU {}: {} GPUs are 0 to {}", from, to, gpus,
                         gpus - 1);
    std::vector<std::uint16_t> joined;
    for (const PortSpec& port : gpu_ports(config, gpus, from).out)
      joined.insert(joined.end(), port.gpus.begin(), port.gpus.end());
    if (std::ranges::find(joined, to) != joined.end()) continue;
    return fmt::format("there is no link from GPU {} to GPU {}: topology.kind {} joins GPU {} to GPU {} only",
                       from, to, to_string(config.kind), from, fmt::join(joined, " and GPU "));
  }
  return {};
}

void check_topology(const TopologyConfig& config, std::uint32_t gpus, bool mirror,
                    const config::Sources& sources) {
  if (config.shared_port && config.kind != TopologyKind::fully_connected)
    throw sources.error("topology.shared_port", "is of topology.kind fully-connected only");
  if (config.switched.reduction != SwitchReduction::none && config.kind != TopologyKind::switched)
    throw sources.error("topology.switch.reduction", "in-switch needs topology.kind: switch");
  if (config.kind != TopologyKind::two_level) return;
  if (gpus % config.node_size != 0)
    throw sources.error("topology.node_size",
                        fmt::format("{} GPUs do not divide into nodes of {}", gpus, config.node_size));
  if (mirror)
    throw sources.error("topology.kind",
                        "two-level needs gpus.model: explicit: one GPU cannot stand for all, as what is near "
                        "to one is far from another");
}

}  // namespace t3sim
