#include "run/network_report.h"

#include <fmt/format.h>

namespace t3sim {

LinkLoads link_loads(const PhaseResult& result) {
  LinkLoads loads;
  if (!result.fabric->named_links()) return loads;
  const Graph& graph = result.fabric->topology().graph;
  loads.links.resize(graph.links().size());
  loads.time = result.ticks;
  for (std::uint32_t g = 0; g < result.gpus.size(); ++g)
    for (std::size_t p = 0; p < graph.out(g).size(); ++p) {
      const LinkStats& stats = result.gpus[g]->parts().egress->ports()[p]->stats();
      loads.links[graph.out(g)[p]] = {stats.bytes, stats.busy};
    }
  const Network* network = result.fabric->network();
  if (!network) return loads;
  for (const auto& output : network->outputs())
    if (output) loads.links[output->link()] = {output->stats().bytes, output->busy()};
  return loads;
}

Ordered<std::string> network_files(const Config& config, const std::vector<SchemeLoads>& schemes,
                                   const TimeBase& time) {
  Ordered<std::string> files;
  const auto topology = make_topology(config.topology, config.gpus.count);
  std::string csv;
  for (const auto& [scheme, loads] : schemes) {
    csv += links_csv(*topology, loads, time, scheme, csv.empty());
    const std::string title =
        fmt::format("{}, {}: {}", config.workload.name, scheme, to_string(config.topology.kind));
    files.emplace_back(fmt::format("topology-{}.svg", scheme),
                       picture(config.topology, *topology, loads, title));
  }
  files.emplace_back("links.csv", std::move(csv));
  return files;
}

}  // namespace t3sim
