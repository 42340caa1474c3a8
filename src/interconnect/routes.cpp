#include "interconnect/routes.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "base/number.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kNoWay = std::numeric_limits<std::uint64_t>::max() / 4;

}  // namespace

std::string_view to_string(Way way) {
  switch (way) {
    case Way::none:
      return "no way";
    case Way::direct:
      return "direct";
    case Way::switched:
      return "through switches";
    case Way::card:
      return "through network cards";
    case Way::host_memory:
      return "through host memory";
  }
  return "";
}

void Routes::set(std::uint32_t from, std::uint32_t to, const std::vector<Hop>& hops) {
  spans_[std::size_t{from} * gpus_ + to] = {narrow<std::uint32_t>(hops_.size()),
                                            narrow<std::uint32_t>(hops.size())};
  hops_.insert(hops_.end(), hops.begin(), hops.end());
}

std::size_t Routes::place(std::uint32_t from, std::uint32_t to, std::uint32_t link) const {
  const auto hops = route(from, to);
  return narrow<std::size_t>(std::ranges::find(hops, link, &Hop::link) - hops.begin());
}

// Latency first, then the number of links.
std::uint64_t PathFinder::cost_of(std::uint32_t link) const {
  const GraphLink& l = graph_.link(link);
  return (l.latency_ps + graph_.vertex(l.to).latency_ps) * 256 + 1;
}

// From each vertex to `to`. Neither GPUs nor a host's memory are passed through.
const PathFinder::Costs& PathFinder::costs(std::uint32_t to, bool peer) {
  auto& known = peer ? peer_ : any_;
  known.resize(graph_.vertices().size());
  Costs& cost = known[to];
  if (!cost.empty()) return cost;
  cost.assign(graph_.vertices().size(), kNoWay);
  using Next = std::pair<std::uint64_t, std::uint32_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  next.emplace(cost[to] = 0, to);
  while (!next.empty()) {
    const auto [so_far, vertex] = next.top();
    next.pop();
    const VertexKind kind = graph_.vertex(vertex).kind;
    if (so_far > cost[vertex]) continue;
    if (vertex != to && (kind == VertexKind::gpu || kind == VertexKind::memory)) continue;
    for (const std::uint32_t link : graph_.in(vertex)) {
      const std::uint64_t whole = so_far + cost_of(link);
      const std::uint32_t from = graph_.link(link).from;
      if (!usable(link, peer) || whole >= cost[from]) continue;
      next.emplace(cost[from] = whole, from);
    }
  }
  return cost;
}

Path PathFinder::walk(std::uint32_t from, std::uint32_t to, bool peer, std::uint32_t spread) {
  const Costs& cost = costs(to, peer);
  Path path, equal;
  for (std::uint32_t at = from; at != to; at = graph_.link(path.back()).to) {
    equal.clear();
    for (const std::uint32_t link : graph_.out(at))
      if (usable(link, peer) && cost[graph_.link(link).to] + cost_of(link) == cost[at]) equal.push_back(link);
    if (equal.empty()) return {};
    path.push_back(equal[spread % equal.size()]);
  }
  return path;
}

Path PathFinder::leg(std::uint32_t from, std::uint32_t to, std::uint32_t spread) {
  return walk(from, to, false, spread);
}

Path PathFinder::between(std::uint32_t from, std::uint32_t to) {
  std::pair least{costs(to, true)[from], kNoWay};  // of equal ones the memory that is nearest
  std::uint32_t through = to;
  for (std::uint32_t m = graph_.gpus(); m < graph_.vertices().size(); ++m) {
    if (graph_.vertex(m).kind != VertexKind::memory) continue;
    const std::uint64_t there = costs(m, false)[from];
    const std::pair whole{there + costs(to, false)[m], there};
    if (whole >= least) continue;
    least = whole;
    through = m;
  }
  if (through == to) return walk(from, to, true, to);
  Path path = leg(from, through, to);
  const Path rest = leg(through, to, to);
  path.insert(path.end(), rest.begin(), rest.end());
  return path;
}

std::vector<Hop> in_channels(const Graph& graph, const Path& path, std::uint32_t to) {
  std::vector<Hop> hops;
  for (const std::uint32_t link : path) {
    const std::uint32_t channels = graph.link(link).channels;
    const auto place = narrow<std::uint32_t>(hops.size());
    hops.push_back({link, channels == kByDestination ? to : std::min(place, channels - 1)});
  }
  return hops;
}

Routes shortest_routes(const Graph& graph) {
  Routes routes(graph.gpus());
  PathFinder finder(graph);
  for (std::uint32_t from = 0; from < graph.gpus(); ++from)
    for (std::uint32_t to = 0; to < graph.gpus(); ++to)
      if (from != to) routes.set(from, to, in_channels(graph, finder.between(from, to), to));
  return routes;
}

Way way_of(const Graph& graph, std::span<const Hop> route) {
  Way way = route.empty() ? Way::none : Way::direct;
  for (const Hop& hop : route) switch (graph.vertex(graph.link(hop.link).to).kind) {
      case VertexKind::memory:
        return Way::host_memory;
      case VertexKind::card:
        way = Way::card;
        break;
      case VertexKind::switched:
        way = std::max(way, Way::switched);
        break;
      default:
        break;
    }
  return way;
}

std::string way_words(const Graph& graph, std::span<const Hop> route) {
  const auto first = [&](VertexKind kind) {
    const auto hop = std::ranges::find_if(
        route, [&](const Hop& h) { return graph.vertex(graph.link(h.link).to).kind == kind; });
    return hop == route.end() ? "" : graph.vertex(graph.link(hop->link).to).name;
  };
  const std::string memory = first(VertexKind::memory), card = first(VertexKind::card);
  return (memory.empty() ? "" : " through host memory (" + memory + ")") +
         (card.empty() ? "" : " by " + card);
}

std::string describe_route(const Graph& graph, std::span<const Hop> route) {
  if (route.empty()) return {};
  std::string text = graph.vertex(graph.link(route.front().link).from).name;
  for (const Hop& hop : route) text += " > " + graph.vertex(graph.link(hop.link).to).name;
  return text;
}

}  // namespace t3sim
