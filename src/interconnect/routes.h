// Which links a packet takes from one GPU to another, and in which of their channels it waits.
//
// Routes are made before the run and do not change: the way of least latency, then of fewest links; among
// equal ones the number of the destination chooses, so that they share the traffic (of a fat tree: D-mod-k).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "interconnect/graph.h"

namespace t3sim {

struct Hop {
  std::uint32_t link = 0;
  std::uint32_t channel = 0;
  bool operator==(const Hop&) const = default;
};

// What a path is from the copying GPU's point of view.
enum class Way : std::uint8_t {
  none,
  direct,       // a link joins the two
  switched,     // through switches
  card,         // through network cards
  host_memory,  // stored in a host's memory on the way, as no way has peer access
};
std::string_view to_string(Way way);

class Routes {
 public:
  explicit Routes(std::uint32_t gpus) : gpus_(gpus), spans_(std::size_t{gpus} * gpus) {}

  // Replaces what there was.
  void set(std::uint32_t from, std::uint32_t to, const std::vector<Hop>& hops);
  std::span<const Hop> route(std::uint32_t from, std::uint32_t to) const {
    const auto [begin, size] = spans_[std::size_t{from} * gpus_ + to];
    return {hops_.data() + begin, size};
  }
  bool reaches(std::uint32_t from, std::uint32_t to) const { return !route(from, to).empty(); }
  // The place of a link on a route that takes it.
  std::size_t place(std::uint32_t from, std::uint32_t to, std::uint32_t link) const;
  std::uint32_t gpus() const { return gpus_; }

 private:
  std::uint32_t gpus_;
  std::vector<Hop> hops_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> spans_;  // by pair: begin, size
};

// Links from one vertex to another by way of the vertices in between; empty if there is no way.
using Path = std::vector<std::uint32_t>;

// Finds ways through a graph, which must outlive it.
class PathFinder {
 public:
  explicit PathFinder(const Graph& graph) : graph_(graph) {}

  // Between two GPUs: with peer access all along, or through the memory of a host where that is shorter.
  Path between(std::uint32_t from, std::uint32_t to);
  // From vertex to vertex, whatever peer access the links give. `spread` chooses among equal ways.
  Path leg(std::uint32_t from, std::uint32_t to, std::uint32_t spread);

 private:
  using Costs = std::vector<std::uint64_t>;
  const Costs& costs(std::uint32_t to, bool peer);
  Path walk(std::uint32_t from, std::uint32_t to, bool peer, std::uint32_t spread);
  std::uint64_t cost_of(std::uint32_t link) const;
  bool usable(std::uint32_t link, bool peer) const { return !peer || graph_.link(link).peer_access; }

  const Graph& graph_;
  std::vector<Costs> peer_, any_;  // by vertex that is gone to, where asked for; from each vertex
};

// The channels of a path: the i-th of a link's channels on the i-th link, the last one from there on.
std::vector<Hop> in_channels(const Graph& graph, const Path& path, std::uint32_t to);
// Routes between all GPUs that have a way to each other.
Routes shortest_routes(const Graph& graph);

Way way_of(const Graph& graph, std::span<const Hop> route);
// What a copy says of its way: " through host memory (memory0)", " by card1"; empty where it passes neither.
std::string way_words(const Graph& graph, std::span<const Hop> route);
// "gpu0 > plx0 > gpu1".
std::string describe_route(const Graph& graph, std::span<const Hop> route);

// What is wrong with the routes: one that passes a vertex twice (a host's memory in between apart), or a ring
// of channels each of which waits for the next (a deadlock by routing, after Dally and Seitz: the graph of
// channel dependencies must have no cycle). Empty if nothing is.
std::string looping(const Graph& graph, const Routes& routes);
std::string deadlocking(const Graph& graph, const Routes& routes);

}  // namespace t3sim
