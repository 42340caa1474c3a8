#include "model/backend_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "base/error.h"
#include "base/number.h"
#include "base/sha256.h"
#include "config/config.h"
#include "message/engine.h"
#include "message/values.h"
#include "model/points.h"
#include "run/messages.h"

namespace t3sim::model {
namespace {

// Longer ones go on as their second half went: slices by then follow one another as to the end. Not where the machine's own
// endpoint knows of an L2 that gets full.
constexpr std::uint64_t kLongCall = 64 << 20;
constexpr std::uint64_t kPacketBytes = 128;
constexpr std::uint32_t kAdds = 3;  // of a pass: loads and receives

// What of a machine decides the times of messages.
struct NetworkMachine {
  GpuConfig gpu;
  L2Config l2;
  MemoryConfig memory;
  ExecutionConfig execution;
  TopologyConfig topology;
  message::MessageConfig message;
};
void describe(config::Visitor& v, NetworkMachine& c) {
  v.section("gpu", c.gpu, "");
  v.section("l2", c.l2, "");
  v.section("memory", c.memory, "");
  v.section("execution", c.execution, "");
  v.section("topology", c.topology, "");
  v.section("message", c.message, "");
}

std::string text_of(const Config& m) {
  NetworkMachine machine{m.gpu, m.l2, m.memory, m.execution, m.topology, m.message};
  machine.message.collectives.clear();
  return config::write(machine);
}

std::string text_of(const Grouping& groups) {
  std::string text;
  for (const GpuSet& group : groups) {
    text += '/';
    for (const std::uint32_t gpu : group) text += fmt::format(" {}", gpu);
  }
  return text;
}

message::Endpoint::Curve curve(std::uint64_t slice, std::uint64_t Bps) {
  constexpr std::uint64_t kBytes = 1 << 30;
  const double moved = Bps == 0 ? 0 : real(kBytes) / real(Bps) * 1e12;
  return {{0, slice}, {kBytes, slice + static_cast<Picoseconds>(moved)}};
}

// So that a ring leaves and enters each node by other GPUs, and by their cards.
GpuSet turned(const GpuSet& group, std::uint32_t node_size, std::uint32_t by) {
  GpuSet all;
  for (std::size_t i = 0; i < group.size();) {
    std::size_t end = i;
    while (end < group.size() && group[end] / node_size == group[i] / node_size) ++end;
    GpuSet node(group.begin() + static_cast<std::ptrdiff_t>(i),
                group.begin() + static_cast<std::ptrdiff_t>(end));
    std::ranges::rotate(
        node, node.begin() + static_cast<std::ptrdiff_t>(by * node.size() / node_size % node.size()));
    all.insert(all.end(), node.begin(), node.end());
    i = end;
  }
  return all;
}

// One ring, or one of several side by side.
struct Part {
  message::Collective collective;
  message::Plan plan;
  message::Schedule schedule;
  Part(const message::Collective& c, const message::Protocol& protocol, std::uint32_t channels)
      : collective(c), plan(message::make_plan(c)), schedule(collective, plan, protocol, channels) {}
};

// False: not there, or not whole.
bool read_kept(const std::filesystem::path& file, CollectiveCost& cost) {
  std::ifstream in(file);
  CollectiveCost kept;
  std::size_t shares = 0;
  if (!(in >> kept.time >> kept.sent_bytes >> shares && in.ignore() && std::getline(in, kept.source)))
    return false;
  std::pair<std::uint32_t, double> use;
  while (in >> use.first >> use.second) kept.shares.push_back(use);
  if (kept.shares.size() != shares) return false;
  cost = std::move(kept);
  return true;
}

}  // namespace

std::string network_hash(const Config& machine) { return sha256_hex(text_of(machine)).substr(0, 16); }

BackendCosts::BackendCosts(const Config& machine, std::string kept)
    : machine_(machine),
      kept_(std::move(kept)),
      machine_text_(text_of(machine) + fmt::format("{} GPUs", machine.gpus.count)),  // they decide the routes
      topology_(make_topology(machine.topology, machine.gpus.count)) {
  if (!kept_.empty()) make_folder_of_kept(kept_);
}

const CollectiveCost& BackendCosts::of(const message::Backend& backend, const Call& call,
                                       const Grouping& groups, message::Arrays arrays) {
  const auto size = narrow<std::uint32_t>(groups.front().size());
  const CollectiveCost* best = nullptr;
  std::string refused, key = fmt::format("{} {}", backend.name, backend.host_ps());
  for (const message::WayConfig* w :
       backend.ways_of(call.kind, message::message_bytes(call.kind, call.bytes, size))) {
    Way made{backend.movers.at(w->mover), *w, {}, {}};
    made.entry.kind = call.kind;
    made.entry.algorithm = w->algorithm;
    made.entry.protocol = w->protocol;
    made.entry.bytes = padded(call.bytes, size);
    made.entry.arrays = arrays;
    made.text = config::write(message::Backend{"", {}, {}, {}, {{w->mover, made.mover}}, {*w}});
    try {
      const CollectiveCost* cost = way(made, groups);
      if (!best || cost->time < best->time) best = cost;
      key += made.text;
    } catch (const InputError& e) {  // an algorithm that this number of GPUs has not
      refused = e.what();
    }
  }
  if (!best) throw InputError(fmt::format("backend {}: {}", backend.name, refused));
  if (best->time == 0 || backend.host_ps() == 0) return *best;
  key +=
      fmt::format("{} {} {}", to_string(call.kind), call.bytes, static_cast<int>(arrays)) + text_of(groups);
  if (const auto found = known_.find(key); found != known_.end()) return *found->second;
  CollectiveCost cost = *best;
  cost.time += backend.host_ps();
  for (auto& [link, share] : cost.shares) share *= real(best->time) / real(cost.time);
  cost.source = fmt::format("{}, {}", backend.name, best->source);
  return keep(key, std::move(cost));
}

double BackendCosts::in_a_row_us(const message::Backend& backend, message::Kind kind, std::uint64_t bytes,
                                 std::uint32_t world) {
  GpuSet gpus(world);
  std::iota(gpus.begin(), gpus.end(), 0U);
  Call call;
  call.kind = kind;
  call.bytes = bytes;
  const bool own = backend.movers.begin()->second.own;
  const Picoseconds time = of(backend, call, {gpus}, message::Arrays::warm).time;
  return real(std::max(time, own ? machine_.message.call_ps : backend.call.value)) / 1e6;
}

const CollectiveCost& BackendCosts::keep(const std::string& key, CollectiveCost cost) {
  return *(known_[key] = std::make_unique<CollectiveCost>(std::move(cost)));
}

// Memory first, then the disk, then a run.
const CollectiveCost* BackendCosts::way(const Way& way, const Grouping& groups) {
  const std::string key = fmt::format("{} {} {} {}", way.text, to_string(way.entry.kind), way.entry.bytes,
                                      static_cast<int>(way.entry.arrays)) +
                          text_of(groups);
  if (const auto found = known_.find(key); found != known_.end()) return found->second.get();
  const std::filesystem::path file =
      kept_.empty() ? std::filesystem::path{}
                    : std::filesystem::path(kept_) / sha256_hex(program_hash() + machine_text_ + key);
  CollectiveCost cost;
  if (!kept_.empty() && read_kept(file, cost)) return &keep(key, std::move(cost));
  cost = way.entry.bytes > padded(kLongCall, groups.front().size()) && !way.mover.own
             ? longer(way, groups)
             : run(way, way.entry.bytes, groups);
  if (!kept_.empty()) {
    std::string text =
        fmt::format("{} {} {}\n{}\n", cost.time, cost.sent_bytes, cost.shares.size(), cost.source);
    for (const auto& [link, share] : cost.shares) text += fmt::format("{} {:.17g}\n", link, share);
    write_kept(file.string(), text);
  }
  return &keep(key, std::move(cost));
}

CollectiveCost BackendCosts::longer(const Way& of, const Grouping& groups) {
  const std::uint64_t size = groups.front().size();
  Way part = of;
  part.entry.bytes = padded(kLongCall / 2, size);
  const CollectiveCost& half = *way(part, groups);
  part.entry.bytes = padded(kLongCall, size);
  CollectiveCost cost = *way(part, groups);
  const double more = real(of.entry.bytes - part.entry.bytes) / real(kLongCall / 2);
  cost.time += static_cast<Picoseconds>(real(cost.time - std::min(cost.time, half.time)) * more);
  cost.sent_bytes += static_cast<std::uint64_t>(real(cost.sent_bytes - half.sent_bytes) * more);
  cost.source += ", on from 32 and 64 MiB";
  return cost;
}

message::Endpoint BackendCosts::endpoint(const Way& way, const message::Collective& c) const {
  const message::MoverConfig& m = way.mover;
  if (m.own) return endpoint_for(machine_, way.entry, c);
  message::Endpoint e = message::Endpoint::by_rate(m.slice.value, m.rate.value);
  const std::uint64_t add = m.add.value != 0 ? m.add.value : m.slice.value,
                      rate = m.add_rate.value != 0 ? m.add_rate.value : m.rate.value;
  for (std::uint32_t pass = 0; pass < message::kPasses; ++pass)
    if ((pass & kAdds) == kAdds) e.set(pass, curve(add, rate));
  e.launch = m.launch.value;
  e.post = m.post.value;
  e.posts_all = m.posts_all;
  return e;
}

std::uint32_t BackendCosts::rails(const Way& way, const Grouping& groups) const {
  const TopologyConfig& t = machine_.topology;
  const std::uint32_t node = node_size_of(t);
  const GpuSet& group = groups.front();
  if (t.kind != TopologyKind::pcie_tree || way.way.algorithm != message::Algorithm::ring ||
      group.front() / node == group.back() / node)
    return 1;
  const std::uint64_t cards = std::uint64_t{t.pcie.cards} * t.pcie.sockets, wanted = way.way.rails.value;
  const auto in_node =
      std::ranges::count_if(group, [&](std::uint32_t g) { return g / node == group.front() / node; });
  return narrow<std::uint32_t>(
      std::min({wanted == 0 ? cards : wanted, cards, static_cast<std::uint64_t>(in_node)}));
}

CollectiveCost BackendCosts::run(const Way& way, std::uint64_t bytes, const Grouping& groups) {
  CollectiveCost cost;
  cost.source = fmt::format("messages, {}", to_string(way.way.algorithm));
  const auto size = narrow<std::uint32_t>(groups.front().size());
  if (size < 2 || bytes == 0) return cost;
  const std::uint32_t rings = rails(way, groups), node = node_size_of(machine_.topology);
  message::Entry entry = way.entry;
  entry.bytes = padded(bytes / rings, size);
  const message::Collective c = message::collective_of(entry, size, std::min(node, size));
  const message::MoverConfig& m = way.mover;
  const message::Protocol protocol = message::protocol(
      entry.protocol, m.buffer.value != 0 ? m.buffer.value : machine_.execution.channel.buffer_bytes,
      entry.kind);
  const auto channels =
      m.channels.value != 0 ? narrow<std::uint32_t>(m.channels.value) : channels_of(machine_, entry);
  const Part part(c, protocol, std::max(channels / rings, 1U));
  message::play(c, part.plan);
  const message::Endpoint e = endpoint(way, c);
  message::Wires wires(*topology_, kPacketBytes);
  message::Engine engine(wires, e, machine_.message.piece_bytes);
  for (const GpuSet& group : groups)
    for (std::uint32_t ring = 0; ring < rings; ++ring)
      engine.add(part.schedule, 0, rings == 1 ? group : turned(group, node, ring * node / rings));
  for (const message::JobResult& result : engine.run()) {
    cost.time = std::max(cost.time, result.end);
    cost.sent_bytes += result.sent_bytes;
  }
  for (std::uint32_t l = 0; l < topology_->graph.links().size(); ++l)
    if (const Picoseconds busy = wires.use(l).busy; busy != 0)
      cost.shares.emplace_back(l, std::min(real(busy) / real(cost.time), 1.0));
  events_ += engine.events();
  ++runs_;
  return cost;
}

}  // namespace t3sim::model
