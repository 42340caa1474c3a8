#include "validation/mcr_dl/runs.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/number.h"
#include "model/schedule.h"

namespace t3sim::mcr_dl {
namespace {

constexpr std::uint64_t kLeast = 1 << 10, kMost = 1 << 30;  // of a table: DeepSpeed's buckets are of 1 GB

std::uint32_t world_of(const model::Graph& graph, const model::Call& call) {
  return narrow<std::uint32_t>(graph.groupings[call.grouping].front().size());
}

// Powers of two, as OSU's benchmarks have them, around it, within the table's.
std::vector<std::uint64_t> around(std::uint64_t bytes) {
  std::uint64_t below = kLeast;
  while (below * 2 <= std::min(bytes, kMost)) below *= 2;
  if (below >= kMost) return {below};
  return {below, below * 2};
}

std::vector<std::uint64_t> all_sizes() {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = kLeast; size <= kMost; size *= 2) sizes.push_back(size);
  return sizes;
}

// Bytes by which a backend is chosen: what is fused goes by buffers.
std::uint64_t routed(const model::Graph& graph, const model::Operation& o) {
  return o.fuse ? std::max(o.call->bytes, graph.fusion->bytes) : o.call->bytes;
}

const message::Backend& named(const std::vector<message::Backend>& backends, const std::string& name) {
  return *std::ranges::find(backends, name, &message::Backend::name);
}

// Of buffers of a backend each.
class Buffers : public model::FusedCosts {
 public:
  Buffers(model::BackendCosts& costs, const model::Graph& graph,
          const std::vector<message::Backend>& backends, const model::CallOverhead& overhead)
      : costs_(costs), graph_(graph), backends_(backends), overhead_(overhead) {}

  const model::CollectiveCost& of_fused(const model::Call& call, std::size_t tensors) override {
    const model::CollectiveCost& alone =
        costs_.of(named(backends_, call.backend), call, graph_.groupings[call.grouping]);
    const auto [at, fresh] = made_.try_emplace({&alone, tensors});
    if (!fresh) return at->second;
    at->second = overhead_.over(alone, message::message_bytes(call.kind, call.bytes, world_of(graph_, call)));
    at->second.add(graph_.fusion->copies(call.bytes, tensors));
    return at->second;
  }

 private:
  model::BackendCosts& costs_;
  const model::Graph& graph_;
  const std::vector<message::Backend>& backends_;
  const model::CallOverhead& overhead_;
  std::map<std::pair<const model::CollectiveCost*, std::size_t>, model::CollectiveCost> made_;
};

}  // namespace

model::BackendTable Runs::tune(const model::Graph& graph, const std::vector<message::Backend>& backends,
                               bool all) {
  model::BackendTable table(model::network_hash(machine_));
  for (const model::Operation& o : graph.operations) {
    if (!o.call) continue;
    const std::uint32_t world = world_of(graph, *o.call);
    for (const std::uint64_t bytes : all ? all_sizes() : around(o.call->bytes)) {
      if (table.points().contains({o.call->kind, world, bytes})) continue;
      for (const message::Backend& b : backends)
        if (b.has(o.call->kind))
          table.add(o.call->kind, world, bytes, b.name, costs_.in_a_row_us(b, o.call->kind, bytes, world));
    }
  }
  return table;
}

StepTime Runs::step(model::Graph graph, const std::vector<message::Backend>& backends, Mix mix,
                    const model::BackendTable* table, const Framework& framework) {
  StepTime result;
  std::vector<const model::LinkShares*> shares(graph.operations.size());
  std::map<std::pair<const model::CollectiveCost*, std::uint64_t>, model::CollectiveCost> with;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    model::Operation& o = graph.operations[i];
    if (!o.call) continue;
    const std::uint32_t world = world_of(graph, *o.call);
    const std::string& name = mix == Mix::none ? backends.front().name
                              : mix == Mix::by_operation
                                  ? table->best_of_operation(o.call->kind, world)
                                  : table->best(o.call->kind, world, routed(graph, o), true);
    o.call->backend = name;
    const model::CollectiveCost& cost =
        costs_.of(named(backends, name), *o.call, graph.groupings[o.call->grouping]);
    const std::uint64_t message = message::message_bytes(o.call->kind, o.call->bytes, world);
    const auto [at, fresh] = with.try_emplace({&cost, message});
    if (fresh) at->second = framework.overhead.over(cost, message);
    o.time = at->second.time;
    shares[i] = &at->second.shares;
    result.by_kind[o.call->kind] += real(o.time) / 1e6;
    ++result.used[o.call->kind][name];
    if (const std::string& stream = graph.streams[o.stream]; stream != "main")
      o.stream =
          graph.stream((framework.one_stream ? "" : stream + " of ") + name);  // a pool for each backend
  }
  Buffers buffers(costs_, graph, backends, framework.overhead);
  const model::Timed timed = model::run_graph(graph, shares, &buffers);
  result.us = real(timed.end) / 1e6;
  result.communication_us = real(timed.classes.front().communication) / 1e6;
  result.exposed_us = real(timed.classes.front().exposed) / 1e6;
  return result;
}

}  // namespace t3sim::mcr_dl
