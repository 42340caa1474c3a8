// Meshes and tori: a switch beside each GPU, which does the forwarding, in a grid of one to three dimensions.
//
// Packets go in dimension order, in each dimension the shorter way round. Of a torus each link between
// switches has two channels: a packet takes the second one from the link that closes the ring on, so that no
// ring of waiting packets can close (Dally and Seitz 1987).
#include <fmt/format.h>

#include <vector>

#include "interconnect/presets.h"

namespace t3sim {
namespace {

using Coordinates = std::array<std::uint32_t, 3>;

class Grid {
 public:
  Grid(const TopologyConfig& config, std::uint32_t gpus)
      : config_(config),
        shape_(config.shape),
        wraps_(config.kind == TopologyKind::torus),
        graph_(gpus),
        ways_(gpus) {
    const std::uint64_t nodes = std::uint64_t{shape_[0]} * shape_[1] * shape_[2];
    if (nodes != gpus)
      throw TopologyError("shape", fmt::format("{}x{}x{} has {} places, gpus.count is {}", shape_[0],
                                               shape_[1], shape_[2], nodes, gpus));
    hop_ps_ = config.hop_latency_ps;
    if (hop_ps_ + 2 > config.link.latency_ps)
      throw TopologyError("hop_latency",
                          "must be less than topology.latency, which holds the ways between GPU and switch");
  }

  Topology build() {
    for (std::uint32_t g = 0; g < graph_.gpus(); ++g) graph_.add(Vertex{fmt::format("node{}", g)});
    for (std::uint32_t g = 0; g < graph_.gpus(); ++g) join_neighbours(g);
    for (std::uint32_t g = 0; g < graph_.gpus(); ++g) join_gpu(g);
    Routes routes(graph_.gpus());
    for (std::uint32_t from = 0; from < graph_.gpus(); ++from)
      for (std::uint32_t to = 0; to < graph_.gpus(); ++to)
        if (from != to) routes.set(from, to, route(from, to));
    return {std::move(graph_), std::move(routes)};
  }

 private:
  std::uint32_t node(std::uint32_t gpu) const { return graph_.gpus() + gpu; }
  Coordinates place(std::uint32_t gpu) const {
    return {gpu % shape_[0], gpu / shape_[0] % shape_[1], gpu / shape_[0] / shape_[1]};
  }
  std::uint32_t gpu_at(const Coordinates& p) const { return p[0] + shape_[0] * (p[1] + shape_[1] * p[2]); }

  // The neighbours further on in each dimension, there and back.
  void join_neighbours(std::uint32_t gpu) {
    for (int d = 0; d < 3; ++d) {
      Coordinates next = place(gpu);
      const bool last = next[d] + 1 == shape_[d];
      if (last && (!wraps_ || shape_[d] <= 2)) continue;
      next[d] = last ? 0 : next[d] + 1;
      GraphLink link = plain_link(config_, node(gpu), node(gpu_at(next)), hop_ps_);
      link.channels = wraps_ && shape_[d] > 2 ? 2 : 1;
      ways_[gpu].on[d] = graph_.add(link);
      std::swap(link.from, link.to);
      ways_[gpu_at(next)].back[d] = graph_.add(link);
    }
  }
  // As wide as all links of the switch together, so that a GPU can use them all.
  void join_gpu(std::uint32_t gpu) {
    const std::uint64_t around_ps = config_.link.latency_ps - hop_ps_;
    GraphLink link = plain_link(config_, gpu, node(gpu), around_ps / 2);
    link.bandwidth_Bps *= graph_.out(node(gpu)).size();
    ways_[gpu].out = graph_.add(link);
    std::swap(link.from, link.to);
    link.latency_ps = around_ps - link.latency_ps;
    ways_[gpu].in = graph_.add(link);
  }

  std::vector<Hop> route(std::uint32_t from, std::uint32_t to) const {
    std::vector<Hop> hops{{ways_[from].out}};
    Coordinates at = place(from);
    const Coordinates goal = place(to);
    for (int d = 0; d < 3; ++d) {
      const bool up = goes_up(at[d], goal[d], shape_[d]);
      for (std::uint32_t channel = 0; at[d] != goal[d];) {
        Coordinates next = at;
        next[d] = (at[d] + (up ? 1 : shape_[d] - 1)) % shape_[d];
        const bool closes = up ? next[d] == 0 : at[d] == 0;
        if (closes) channel = 1;
        const Ways& here = ways_[gpu_at(at)];
        hops.push_back({up ? here.on[d] : here.back[d], shape_[d] > 2 ? channel : 0});
        at = next;
      }
    }
    hops.push_back({ways_[to].in});
    return hops;
  }
  // Half way round, GPUs in even places go up, the others down: both directions carry as much.
  bool goes_up(std::uint32_t at, std::uint32_t goal, std::uint32_t size) const {
    if (!wraps_) return goal > at;
    const std::uint32_t distance = (goal + size - at) % size;
    return 2 * distance == size ? at % 2 == 0 : 2 * distance < size;
  }

  const TopologyConfig& config_;
  Coordinates shape_;
  bool wraps_;
  std::uint64_t hop_ps_ = 0;
  Graph graph_;
  // Links of a GPU and of the switch beside it: to the next place of each dimension, and to the one before.
  struct Ways {
    std::array<std::uint32_t, 3> on{}, back{};
    std::uint32_t out = 0, in = 0;
  };
  std::vector<Ways> ways_;  // by GPU
};

}  // namespace

Topology grid(const TopologyConfig& config, std::uint32_t gpus) { return Grid(config, gpus).build(); }

}  // namespace t3sim
