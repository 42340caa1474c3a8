// Routes that can never work: loops and deadlocks.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/number.h"
#include "interconnect/routes.h"

namespace t3sim {
namespace {

// Which channels wait for which: a packet that holds a place in the buffer of one waits for a place in the
// buffer of the next on its route.
class Dependencies {
 public:
  Dependencies(const Graph& graph, const Routes& routes) : graph_(graph) {
    std::uint32_t channels = 0;
    for (std::uint32_t l = 0; l < graph.links().size(); ++l) {
      first_.push_back(channels);
      channels += graph.channels(l);
    }
    waits_for_.resize(channels);
    for (std::uint32_t from = 0; from < routes.gpus(); ++from)
      for (std::uint32_t to = 0; to < routes.gpus(); ++to) add(routes.route(from, to));
  }

  // Channels each of which waits for the next, and the last one for the first; empty if there is no such ring.
  std::vector<std::uint32_t> cycle() {
    state_.assign(waits_for_.size(), State::unseen);
    for (std::uint32_t c = 0; c < waits_for_.size(); ++c)
      if (state_[c] == State::unseen && closes_from(c)) return ring_;
    return {};
  }
  std::string name(std::uint32_t channel) const {
    const auto after = std::ranges::upper_bound(first_, channel);
    const auto link = narrow<std::uint32_t>(after - first_.begin() - 1);
    if (graph_.channels(link) == 1) return graph_.name(link);
    return fmt::format("{} [channel {}]", graph_.name(link), channel - first_[link]);
  }

 private:
  enum class State : std::uint8_t { unseen, open, done };
  struct Visit {
    std::uint32_t channel;
    std::size_t next = 0;  // of those it waits for
  };

  void add(std::span<const Hop> route) {
    for (std::size_t i = 1; i < route.size(); ++i) {
      const std::uint32_t holds = first_[route[i - 1].link] + route[i - 1].channel;
      const std::uint32_t wants = first_[route[i].link] + route[i].channel;
      if (known_.insert(std::uint64_t{holds} << 32 | wants).second) waits_for_[holds].push_back(wants);
    }
  }
  // Depth first, without recursion: routes may be long.
  bool closes_from(std::uint32_t start) {
    std::vector<Visit> way{{start}};
    state_[start] = State::open;
    while (!way.empty()) {
      Visit& top = way.back();
      if (top.next == waits_for_[top.channel].size()) {
        state_[top.channel] = State::done;
        way.pop_back();
        continue;
      }
      const std::uint32_t wanted = waits_for_[top.channel][top.next++];
      if (state_[wanted] == State::open) {
        const auto begin = std::ranges::find(way, wanted, &Visit::channel);
        for (auto visit = begin; visit != way.end(); ++visit) ring_.push_back(visit->channel);
        return true;
      }
      if (state_[wanted] == State::done) continue;
      state_[wanted] = State::open;
      way.push_back({wanted});
    }
    return false;
  }

  const Graph& graph_;
  std::vector<std::uint32_t> first_;  // by link: number of its first channel
  std::vector<std::vector<std::uint32_t>> waits_for_;
  std::unordered_set<std::uint64_t> known_;
  std::vector<State> state_;
  std::vector<std::uint32_t> ring_;
};

// A vertex that is passed twice with no memory in between, or that a link is passed twice to; null if there is
// none.
const Vertex* passed_twice(const Graph& graph, std::span<const Hop> route) {
  for (std::size_t i = 0; i < route.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (route[i].link == route[j].link) return &graph.vertex(graph.link(route[i].link).to);
  std::vector<std::uint32_t> passed{graph.link(route.front().link).from};
  for (const Hop& hop : route) {
    const std::uint32_t at = graph.link(hop.link).to;
    if (std::ranges::find(passed, at) != passed.end()) return &graph.vertex(at);
    if (graph.vertex(at).kind == VertexKind::memory) passed.clear();
    passed.push_back(at);
  }
  return nullptr;
}

}  // namespace

std::string looping(const Graph& graph, const Routes& routes) {
  for (std::uint32_t from = 0; from < routes.gpus(); ++from)
    for (std::uint32_t to = 0; to < routes.gpus(); ++to) {
      const auto route = routes.route(from, to);
      if (route.size() < 2) continue;
      if (const Vertex* twice = passed_twice(graph, route))
        return fmt::format("the route {} loops: it passes {} twice", describe_route(graph, route),
                           twice->name);
    }
  return {};
}

std::string deadlocking(const Graph& graph, const Routes& routes) {
  Dependencies dependencies(graph, routes);
  const std::vector<std::uint32_t> ring = dependencies.cycle();
  if (ring.empty()) return {};
  std::string text = "packets on these routes can wait for each other for ever: ";
  for (const std::uint32_t channel : ring) text += dependencies.name(channel) + " waits for ";
  return text + dependencies.name(ring.front()) + "; give these links more channels, or other routes";
}

}  // namespace t3sim
