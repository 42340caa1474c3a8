// kind: graph. What topology.vertices, .links and .routes say.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/nearest.h"
#include "interconnect/presets.h"

namespace t3sim {
namespace {

constexpr std::uint32_t kMostVertices = 65536;

std::uint32_t number(const std::string& text, std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size() ||
      value >= kMostVertices)
    throw InputError(fmt::format("'{}' is no name; a range is written nic[0-7] or nic[0,2,4-7]", text));
  return value;
}

class DescribedGraph {
 public:
  DescribedGraph(const TopologyConfig& config, std::uint32_t gpus) : config_(config), graph_(gpus) {}

  Topology build() {
    add_vertices();
    for (std::size_t i = 0; i < config_.links.size(); ++i)
      add_links(config_.links[i], fmt::format("links.{}", i));
    Routes routes = shortest_routes(graph_);
    for (std::size_t i = 0; i < config_.routes.size(); ++i)
      set_routes(config_.routes[i], fmt::format("routes.{}", i), routes);
    return {std::move(graph_), std::move(routes)};
  }

 private:
  void add_vertices() {
    for (const auto& [names, config] : config_.vertices)
      for (const std::string& name : expand(names, "vertices." + names)) {
        if (graph_.find(name) != graph_.vertices().size())
          throw TopologyError("vertices." + names, fmt::format("{} is there already", name));
        if (!config.latency_ps && config.kind != VertexKind::switched)
          throw TopologyError("vertices." + names, fmt::format("lacks latency: a {} has no default for it",
                                                               to_string(config.kind)));
        graph_.add(Vertex{name, config.kind, config.latency_ps.value_or(0), config.rate_Bps.value_or(0)});
      }
  }
  void add_links(const LinkSpec& spec, const std::string& key) {
    const auto from = vertices(spec.from, key + ".from"), to = vertices(spec.to, key + ".to");
    if (from.size() != to.size() && from.size() != 1 && to.size() != 1)
      throw TopologyError(key + ".to", fmt::format("{} vertices cannot be joined to {}: as many, or one",
                                                   from.size(), to.size()));
    for (std::size_t i = 0; i < std::max(from.size(), to.size()); ++i)
      add_link(spec, key, from[from.size() == 1 ? 0 : i], to[to.size() == 1 ? 0 : i]);
  }
  void add_link(const LinkSpec& spec, const std::string& key, std::uint32_t from, std::uint32_t to) {
    if (from == to)
      throw TopologyError(key + ".to", fmt::format("joins {} to itself", graph_.vertex(from).name));
    for (const std::uint32_t known : graph_.out(from))
      if (graph_.link(known).to == to)
        throw TopologyError(key + ".to", fmt::format("the link {} is there already", graph_.name(known)));
    GraphLink link = plain_link(config_, from, to, spec.latency_ps.value_or(config_.link.latency_ps));
    link.bandwidth_Bps = spec.bandwidth_Bps.value_or(link.bandwidth_Bps);
    link.buffer_bytes = spec.buffer_bytes.value_or(link.buffer_bytes);
    link.header_bytes = spec.header_bytes.value_or(link.header_bytes);
    link.channels = spec.channels;
    link.peer_access = spec.peer_access;
    graph_.add(link);
    if (spec.one_way) return;
    std::swap(link.from, link.to);
    graph_.add(link);
  }
  void set_routes(const RouteSpec& spec, const std::string& key, Routes& routes) {
    const auto from = gpus(spec.from, key + ".from"), to = gpus(spec.to, key + ".to");
    const auto via = vertices(spec.via, key + ".via");
    PathFinder finder(graph_);
    bool any = false;
    for (const std::uint32_t a : from)
      for (const std::uint32_t b : to) {
        if (a == b) continue;
        any = true;
        if (!said_.emplace(a, b).second)
          throw TopologyError(key, fmt::format("the route from {} to {} is said already",
                                               graph_.vertex(a).name, graph_.vertex(b).name));
        routes.set(a, b, in_channels(graph_, path(finder, a, b, via, key), b));
      }
    if (!any) throw TopologyError(key, "leads from a GPU to itself; allowed: between two GPUs");
  }
  Path path(PathFinder& finder, std::uint32_t from, std::uint32_t to, const std::vector<std::uint32_t>& via,
            const std::string& key) const {
    Path whole;
    std::uint32_t at = from;
    std::vector<std::uint32_t> stops = via;
    stops.push_back(to);
    for (const std::uint32_t stop : stops) {
      const Path leg = finder.leg(at, stop, to);
      if (leg.empty())
        throw TopologyError(key + ".via", fmt::format("there is no way from {} to {}", graph_.vertex(at).name,
                                                      graph_.vertex(stop).name));
      whole.insert(whole.end(), leg.begin(), leg.end());
      at = stop;
    }
    return whole;
  }

  static std::vector<std::string> expand(const std::string& names, const std::string& key) {
    try {
      return expand_names(names);
    } catch (const InputError& e) {
      throw TopologyError(key, e.what());
    }
  }
  std::vector<std::uint32_t> vertices(const std::string& names, const std::string& key) const {
    std::vector<std::uint32_t> found;
    for (const std::string& name : expand(names, key)) {
      found.push_back(graph_.find(name));
      if (found.back() == graph_.vertices().size()) throw unknown(name, key);
    }
    return found;
  }
  std::vector<std::uint32_t> gpus(const std::string& names, const std::string& key) const {
    auto found = vertices(names, key);
    for (const std::uint32_t v : found)
      if (!graph_.is_gpu(v)) throw TopologyError(key, fmt::format("{} is no GPU", graph_.vertex(v).name));
    return found;
  }
  TopologyError unknown(const std::string& name, const std::string& key) const {
    std::vector<std::string> names;
    for (const Vertex& vertex : graph_.vertices()) names.push_back(vertex.name);
    const std::string nearest = t3sim::nearest(name, names);
    return {key,
            fmt::format("there is no {}; GPUs are gpu0 to gpu{}, others are named under topology.vertices{}",
                        name, graph_.gpus() - 1,
                        nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest))};
  }

  const TopologyConfig& config_;
  Graph graph_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> said_;  // GPUs, whose route is
};

}  // namespace

std::vector<std::string> expand_names(const std::string& text) {
  const std::size_t open = text.find('[');
  if (text.empty()) throw InputError("a name is missing");
  if (open == text.npos) return {text};
  if (text.back() != ']') number(text, "");
  const std::string stem = text.substr(0, open), inside = text.substr(open + 1, text.size() - open - 2);
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= inside.size();) {
    const std::size_t end = std::min(inside.find(',', begin), inside.size());
    const std::string part = inside.substr(begin, end - begin);
    const std::size_t dash = part.find('-');
    const std::uint32_t first = number(text, std::string_view(part).substr(0, dash));
    const std::uint32_t last =
        dash == part.npos ? first : number(text, std::string_view(part).substr(dash + 1));
    if (last < first) number(text, "");
    for (std::uint32_t i = first; i <= last; ++i) names.push_back(fmt::format("{}{}", stem, i));
    begin = end + 1;
  }
  return names;
}

Topology described_graph(const TopologyConfig& config, std::uint32_t gpus) {
  return DescribedGraph(config, gpus).build();
}

}  // namespace t3sim
