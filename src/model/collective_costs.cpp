#include "model/collective_costs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "message/engine.h"
#include "message/values.h"
#include "message/wires.h"
#include "run/messages.h"

namespace t3sim::model {
namespace {

// Longer ones go on as their second half went: slices by then follow one another as they will to the end.
constexpr std::uint64_t kLong = 64 << 20;
constexpr std::uint64_t kPacket = 128;

message::Entry entry_of(const Call& call) {
  message::Entry entry;
  entry.kind = call.kind;
  entry.algorithm = call.algorithm;
  entry.protocol = call.protocol;
  entry.channels = call.channels;
  entry.bytes = call.bytes;
  return entry;
}

}  // namespace

std::uint64_t padded(std::uint64_t bytes, std::uint64_t gpus) { return (bytes + gpus - 1) / gpus * gpus; }

void CollectiveCost::add(Picoseconds more) {
  if (more == 0) return;
  for (auto& [link, share] : shares) share *= real(time) / real(time + more);
  time += more;
}

CollectiveCosts::CollectiveCosts(const Config& machine)
    : machine_(machine), topology_(make_topology(machine.topology, machine.gpus.count)) {}

const CollectiveCost& CollectiveCosts::of(const Call& call, const Grouping& groups) {
  const auto found = std::ranges::find(known_, call, [](const auto& k) { return k.first; });
  if (found != known_.end()) return *found->second;
  Call whole = call;
  whole.bytes = padded(call.bytes, groups.front().size());
  CollectiveCost cost = call.bytes > kLong ? longer(whole, groups) : run(whole, groups);
  return *known_.emplace_back(call, std::make_unique<CollectiveCost>(std::move(cost))).second;
}

CollectiveCost CollectiveCosts::longer(const Call& call, const Grouping& groups) {
  Call part = call;
  part.bytes = padded(kLong / 2, groups.front().size());
  const CollectiveCost half = run(part, groups);
  part.bytes = padded(kLong, groups.front().size());
  CollectiveCost cost = run(part, groups);
  const double more = real(call.bytes - part.bytes) / real(kLong / 2);
  cost.time += static_cast<Picoseconds>(real(cost.time - std::min(cost.time, half.time)) * more);
  cost.sent_bytes += static_cast<std::uint64_t>(real(cost.sent_bytes - half.sent_bytes) * more);
  cost.source += ", on from 32 and 64 MiB";
  return cost;
}

CollectiveCost CollectiveCosts::run(const Call& call, const Grouping& groups) {
  CollectiveCost cost;
  cost.source = "messages";
  const auto size = narrow<std::uint32_t>(groups.front().size());
  if (size < 2 || call.bytes == 0) return cost;
  const message::Entry entry = entry_of(call);
  const message::Collective collective =
      message::collective_of(entry, size, std::min(node_size_of(machine_.topology), size));
  const message::Plan plan = message::make_plan(collective);
  message::play(collective, plan);
  const message::Protocol protocol =
      message::protocol(entry.protocol, machine_.execution.channel.buffer_bytes, entry.kind);
  const message::Schedule schedule(collective, plan, protocol, channels_of(machine_, entry));
  const message::Endpoint endpoint = endpoint_for(machine_, machine_.message.endpoint, entry.protocol);
  message::Wires wires(*topology_, kPacket);
  message::Engine engine(wires, endpoint, machine_.message.piece_bytes);
  for (const GpuSet& group : groups) engine.add(schedule, 0, group);
  for (const message::JobResult& result : engine.run()) {
    cost.time = std::max(cost.time, result.end);
    cost.sent_bytes += result.sent_bytes;
  }
  for (std::uint32_t l = 0; l < topology_->graph.links().size(); ++l)
    if (const Picoseconds busy = wires.use(l).busy; busy != 0)
      cost.shares.emplace_back(l, std::min(real(busy) / real(cost.time), 1.0));
  cost.source += fmt::format(", {}", to_string(collective.algorithm));
  events_ += engine.events();
  ++runs_;
  return cost;
}

}  // namespace t3sim::model
