#include "sim/waiting.h"

#include <fmt/format.h>

#include <algorithm>

namespace t3sim {
namespace {

constexpr std::size_t kLongestChain = 5;  // waiters named behind a dead end
constexpr std::size_t kLongestRing = 24;

// A name without its numbers, that of the GPU apart.
std::string shape_of(const std::string& name) {
  const bool of_gpu = name.starts_with("GPU ");
  const std::size_t kept = of_gpu ? std::min(name.find(' ', 4), name.size()) : 0;
  std::string shape = name;
  for (std::size_t i = kept; i < shape.size(); ++i)
    if (shape[i] >= '0' && shape[i] <= '9') shape[i] = '#';
  return shape;
}

}  // namespace

std::size_t Waits::node(const std::string& name) {
  const auto [found, is_new] = index_.try_emplace(name, nodes_.size());
  if (is_new) nodes_.push_back({name, {}, {}});
  return found->second;
}

void Waits::add(const std::string& who, const std::string& whom, std::string what) {
  const std::size_t from = node(who), to = node(whom);
  nodes_[from].waits_for.push_back({to, std::move(what)});
}

void Waits::dead_end(const std::string& who, std::string why) {
  Node& end = nodes_[node(who)];
  if (end.dead.empty()) end.dead = std::move(why);
}

std::string Waits::sentence(std::size_t who, const Edge& edge) const {
  return fmt::format("{} waits for {}: {}", nodes_[who].name, nodes_[edge.whom].name, edge.what);
}

// Who waits for `end`, who waits for that one, and so on.
std::string Waits::chain_to(std::size_t end) const {
  std::string text;
  std::vector<bool> named(nodes_.size());
  for (std::size_t hop = 0; hop < kLongestChain; ++hop) {
    named[end] = true;
    std::size_t waiter = kNone;
    const Edge* edge = nullptr;
    for (std::size_t n = 0; n < nodes_.size() && waiter == kNone; ++n)
      for (const Edge& e : nodes_[n].waits_for)
        if (e.whom == end && !named[n]) {
          waiter = n;
          edge = &e;
          break;
        }
    if (waiter == kNone) break;
    text += "; " + sentence(waiter, *edge);
    end = waiter;
  }
  return text;
}

// Depth first, in the order of the reports; the nodes of the first ring found, kNone-free, empty if none.
std::vector<std::size_t> Waits::ring() const {
  enum class Seen : std::uint8_t { never, open, done };
  std::vector<Seen> seen(nodes_.size(), Seen::never);
  std::vector<std::pair<std::size_t, std::size_t>> path;  // node, its next edge
  for (std::size_t start = 0; start < nodes_.size(); ++start) {
    if (seen[start] != Seen::never) continue;
    seen[start] = Seen::open;
    path.emplace_back(start, 0);
    while (!path.empty()) {
      auto& [at, next] = path.back();
      if (next == nodes_[at].waits_for.size()) {
        seen[at] = Seen::done;
        path.pop_back();
        continue;
      }
      const std::size_t to = nodes_[at].waits_for[next++].whom;
      if (seen[to] == Seen::never) {
        seen[to] = Seen::open;
        path.emplace_back(to, 0);
      } else if (seen[to] == Seen::open) {
        std::vector<std::size_t> found;
        auto first = std::ranges::find(path, to, [](const auto& step) { return step.first; });
        for (; first != path.end(); ++first) found.push_back(first->first);
        return found;
      }
    }
  }
  return {};
}

std::string Waits::describe(const std::vector<std::size_t>& ring) const {
  std::string text = "ring of waiters: ";
  for (std::size_t i = 0; i < ring.size(); ++i) {
    if (i == kLongestRing) {
      text += fmt::format("; ... {} more, back to {}", ring.size() - i, nodes_[ring[0]].name);
      break;
    }
    const std::size_t whom = ring[(i + 1) % ring.size()];
    const auto& edges = nodes_[ring[i]].waits_for;
    const auto edge = std::ranges::find(edges, whom, &Edge::whom);
    text += (i == 0 ? "" : "; ") + sentence(ring[i], *edge);
  }
  return text;
}

std::string Waits::explain() const {
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (!nodes_[n].dead.empty()) return fmt::format("{} {}", nodes_[n].name, nodes_[n].dead) + chain_to(n);
  if (const std::vector<std::size_t> found = ring(); !found.empty()) return describe(found);
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (nodes_[n].waits_for.empty()) return nodes_[n].name + " has nothing left to do" + chain_to(n);
  return "nobody says what it waits for";
}

std::string Waits::list() const {
  struct Line {
    std::string first;
    std::size_t like_it = 0;
  };
  std::vector<Line> lines;
  std::map<std::string, std::size_t> line_of;  // by shape
  const auto add = [&](const std::string& shape, const std::string& text) {
    const auto [found, is_new] = line_of.try_emplace(shape, lines.size());
    if (is_new)
      lines.push_back({text});
    else
      ++lines[found->second].like_it;
  };
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    if (!node.dead.empty()) add(shape_of(node.name) + "!", fmt::format("{} {}", node.name, node.dead));
    for (const Edge& edge : node.waits_for)
      add(shape_of(node.name) + ">" + shape_of(nodes_[edge.whom].name), sentence(n, edge));
  }
  std::string text;
  for (const Line& line : lines)
    text += line.first + (line.like_it == 0 ? "\n" : fmt::format(" (and {} like it)\n", line.like_it));
  return text;
}

GpuWaits::GpuWaits(Waits& waits, std::uint32_t gpu) : waits_(waits), prefix_(fmt::format("GPU {} ", gpu)) {}

void GpuWaits::add(const std::string& who, const std::string& whom, std::string what) {
  waits_.add(prefix_ + who, prefix_ + whom, std::move(what));
}

void GpuWaits::add_outside(const std::string& who, const std::string& whom, std::string what) {
  waits_.add(prefix_ + who, whom, std::move(what));
}

void GpuWaits::dead_end(const std::string& who, std::string why) {
  waits_.dead_end(prefix_ + who, std::move(why));
}

}  // namespace t3sim
