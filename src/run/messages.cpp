#include "run/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/cpu_time.h"
#include "base/error.h"
#include "base/sha256.h"
#include "config/config.h"
#include "message/values.h"

namespace t3sim {
namespace {

// What decides the times of a machine's channels.
struct ChannelMachine {
  GpuConfig gpu;
  L2Config l2;
  MemoryConfig memory;
  ExecutionConfig execution;
};
void describe(config::Visitor& v, ChannelMachine& c) {
  v.section("gpu", c.gpu, "");
  v.section("l2", c.l2, "");
  v.section("memory", c.memory, "");
  v.section("execution", c.execution, "");
}

// Both halves of a divided L2 keep what the CUs of both read: what is in it for all is one half's size.
bool fits_l2(const Config& config, const message::Collective& c) {
  const std::uint64_t arrays = c.kind == message::Kind::all_to_all ? 2 * c.bytes : c.bytes;
  return arrays <= config.l2.size_bytes / config.l2.partitions;
}

// The last plan is kept; each is played through once, whatever the sizes of its blocks, on which it does not depend.
class Plans {
 public:
  struct Made {
    message::Collective collective;
    message::Plan plan;
    message::Played played;
  };
  explicit Plans(const Config& config) : config_(config) {}

  message::Collective collective_of(const message::Entry& entry) const {
    return message::collective_of(entry, config_.gpus.count, node_size_of(config_.topology));
  }
  bool has_played(const message::Collective& c) const {
    return std::ranges::find(played_, shape_of(c), &Shape::first) != played_.end();
  }
  const Made& of(const message::Collective& c) {
    if (!made_ || !(made_->collective == c)) {
      message::Plan plan = message::make_plan(c);
      const message::Played played = play_once(c, plan);
      made_ = std::make_unique<Made>(Made{c, std::move(plan), played});
    }
    return *made_;
  }

 private:
  static message::Collective shape_of(message::Collective c) {
    c.bytes = 0;
    c.counts.clear();
    return c;
  }
  message::Played play_once(const message::Collective& c, const message::Plan& plan) {
    const message::Collective shape = shape_of(c);
    const auto before = std::ranges::find(played_, shape, &Shape::first);
    if (before != played_.end()) return before->second;
    return played_.emplace_back(shape, message::play(shape, plan)).second;
  }

  using Shape = std::pair<message::Collective, message::Played>;
  const Config& config_;
  std::unique_ptr<Made> made_;
  std::vector<Shape> played_;
};

MessageRow run_entry(const Config& config, const message::Entry& entry, const Plans::Made& made,
                     message::Wires& wires) {
  const message::Endpoint endpoint = endpoint_for(config, entry, made.collective);
  const message::Protocol protocol =
      message::protocol(entry.protocol, config.execution.channel.buffer_bytes, entry.kind);
  MessageRow row{made.collective, entry.protocol, channels_of(config, entry), entry.repeat};
  const message::Schedule schedule(made.collective, made.plan, protocol, row.channels);
  message::Engine engine(wires, endpoint, config.message.piece_bytes);
  engine.add(schedule, 0);
  const message::JobResult result = engine.run().front();
  const bool in_a_row = entry.repeat > 1 || entry.arrays == message::Arrays::warm;
  row.time_us = static_cast<double>(std::max(result.end, in_a_row ? config.message.call_ps : 0)) / 1e6;
  row.sent_bytes = result.sent_bytes;
  row.slices = result.slices;
  row.blocks_checked = made.played.elements;
  row.events = engine.events();
  return row;
}

void check_graph(const Config& config, const config::Sources& sources) {
  std::shared_ptr<const Topology> topology;
  try {
    topology = make_topology(config.topology, config.gpus.count);
  } catch (const TopologyError& e) {
    throw sources.error("topology." + e.key, e.what());
  }
  for (const std::string& wrong : {unconnected(*topology), looping(topology->graph, topology->routes)})
    if (!wrong.empty()) throw sources.error("topology.kind", wrong);
}

// All peers that a plan sends to can be reached.
void check_reach(const Config& config, const message::Plan& plan) {
  const auto topology = make_topology(config.topology, config.gpus.count);
  for (std::uint32_t gpu = 0; gpu < plan.gpus(); ++gpu) {
    const std::uint32_t end = gpu + 1 < plan.gpus() ? plan.first_strand(gpu + 1) : plan.strands();
    for (std::uint32_t s = plan.first_strand(gpu); s < end; ++s)
      for (const message::Step& step : plan.steps(s))
        if (step.sends() && !topology->routes.reaches(gpu, step.to))
          throw InputError(
              unreachable(config.topology, config.gpus.count, {{static_cast<std::uint16_t>(gpu), step.to}}));
  }
}

message::Endpoint::HeldUp held_up(const message::FullL2Times& times) {
  return {times.alone_ps - std::min(times.alone_ps, times.empty_ps),
          times.beside_ps - std::min(times.beside_ps, times.empty_ps)};
}

// NCCL's model of itself: base + steps x latency (graph/tuning.cc). A step's is all that a hop takes, so the link and the pass are
// in it. What is left is the channel's: barriers of its threads before the first line of a step and after its last.
void take_lines(message::Endpoint& e, const Config& machine, message::ProtocolName protocol) {
  constexpr std::uint32_t kPassOn = 14;
  const message::LineConfig& lines = machine.message.lines;
  const bool ll = protocol == message::ProtocolName::ll;
  const std::uint64_t launch = ll || lines.ll128_launch_ps == 0 ? lines.launch_ps : lines.ll128_launch_ps;
  if (launch != 0) e.launch = launch + e.launch - std::min(e.launch, machine.execution.channel.launch_ps);
  const std::uint64_t step = ll ? lines.ll_ps : lines.ll128_ps,
                      known = machine.topology.link.latency_ps + e.time(kPassOn, 1) + e.deliver;
  e.step = step - std::min(step, known);
}

}  // namespace

void check_endpoint(const Config& config, const config::Sources& sources) {
  const message::EndpointConfig& e = config.message.endpoint;
  if (e.sizes.empty() && !e.rate_Bps)
    throw sources.error(
        "message.endpoint",
        "says neither sizes, which t3sim tune endpoint derives from the machine at cycle level, "
        "nor slice and rate");
  if (e.machine.empty() || e.machine == machine_hash(config)) return;
  throw sources.error(
      "message.endpoint.machine",
      "is of another machine, or of an earlier state of this one: derive it again with t3sim tune "
      "endpoint");
}

std::uint32_t node_size_of(const TopologyConfig& t) {
  if (t.kind == TopologyKind::pcie_tree) return t.pcie.sockets * t.pcie.gpus_per_socket;
  if (t.kind == TopologyKind::torus && t.shape[2] == 1) return t.shape[0];
  return t.kind == TopologyKind::two_level || t.kind == TopologyKind::fat_tree ? t.node_size : 0;
}

std::uint32_t channels_of(const Config& config, const message::Entry& entry) {
  const ChannelConfig& library = config.execution.channel;
  const bool direct = entry.kind == message::Kind::all_to_all;
  return static_cast<std::uint32_t>(
      entry.channels.value_or(direct ? library.p2p_channels : library.ring_channels));
}

std::string machine_hash(const Config& config) {
  return sha256_hex(config::write(ChannelMachine{config.gpu, config.l2, config.memory, config.execution}));
}

message::Endpoint endpoint_for(const Config& machine, const message::EndpointConfig& endpoint,
                               message::ProtocolName protocol, message::Arrays arrays) {
  message::Endpoint e = message::endpoint_of(endpoint, protocol, arrays);
  if (endpoint.sizes.empty()) return e;
  e.l2_bytes = machine.l2.size_bytes / machine.l2.partitions;
  if (const message::FullL2& full = endpoint.full; full.bytes != 0)
    e.write_backs = {e.l2_bytes, full.bytes, full.lanes, held_up(full.send), held_up(full.reduce)};
  if (protocol != message::ProtocolName::simple) {
    take_lines(e, machine, protocol);
    return e;
  }
  const std::uint64_t flag = machine.execution.channel.flag_latency_ps,
                      latency = machine.topology.link.latency_ps;
  const std::uint64_t more = flag - std::min(flag, latency);
  e.deliver += more;
  e.give_back += more;
  return e;
}

message::Endpoint endpoint_for(const Config& config, const message::Entry& entry,
                               const message::Collective& c) {
  const bool warm = entry.arrays == message::Arrays::warm, fits = fits_l2(config, c);
  message::Endpoint e = endpoint_for(config, config.message.endpoint, entry.protocol,
                                     warm && fits ? message::Arrays::warm : message::Arrays::cold);
  if (warm) e.write_backs.l2_bytes = fits ? ~std::uint64_t{0} : 0;
  return e;
}

void check_message_machine(const Config& config, const config::Sources& sources) {
  check_graph(config, sources);
  check_endpoint(config, sources);
}

void check_messages(const Config& config, const config::Sources& sources) {
  check_graph(config, sources);
  if (!config.message.collectives.empty()) check_endpoint(config, sources);
  Plans plans(config);
  for (std::size_t i = 0; i < config.message.collectives.size(); ++i) try {
      const message::Entry& entry = config.message.collectives[i];
      message::endpoint_of(config.message.endpoint, entry.protocol, entry.arrays);
      const message::Collective c = plans.collective_of(entry);
      if (!plans.has_played(c)) check_reach(config, plans.of(c).plan);
    } catch (const InputError& e) {
      throw sources.error(fmt::format("message.collectives.{}", i), e.what());
    }
}

MessageReport run_messages(const Config& config) {
  const double before = cpu_seconds();
  const auto topology = make_topology(config.topology, config.gpus.count);
  Plans plans(config);
  MessageReport report;
  report.links.resize(topology->graph.links().size());
  for (std::uint32_t l = 0; l < report.links.size(); ++l) report.links[l].name = topology->graph.name(l);
  for (const message::Entry& entry : config.message.collectives) {
    message::Wires wires(*topology, 128);
    report.rows.push_back(run_entry(config, entry, plans.of(plans.collective_of(entry)), wires));
    // One call is as the other: each begins on idle wires.
    report.time_us += entry.repeat * report.rows.back().time_us;
    report.events += report.rows.back().events;
    for (std::uint32_t l = 0; l < report.links.size(); ++l) {
      report.links[l].bytes += entry.repeat * wires.use(l).bytes;
      report.links[l].busy_us += entry.repeat * static_cast<double>(wires.use(l).busy) / 1e6;
    }
  }
  report.host_seconds = cpu_seconds() - before;
  return report;
}

}  // namespace t3sim
