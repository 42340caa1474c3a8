#include "run/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/cpu_time.h"
#include "base/error.h"
#include "base/sha256.h"
#include "config/config.h"
#include "message/values.h"

namespace t3sim {
namespace {

std::uint32_t node_size_of(const TopologyConfig& t) {
  if (t.kind == TopologyKind::pcie_tree) return t.pcie.sockets * t.pcie.gpus_per_socket;
  return t.kind == TopologyKind::two_level || t.kind == TopologyKind::fat_tree ? t.node_size : 0;
}

std::uint32_t channels_of(const Config& config, const message::Entry& entry) {
  const ChannelConfig& library = config.execution.channel;
  const bool direct = entry.kind == message::Kind::all_to_all;
  return static_cast<std::uint32_t>(
      entry.channels.value_or(direct ? library.p2p_channels : library.ring_channels));
}

// Both halves of a divided L2 keep what the CUs of both read: what is in it for all is one half's size.
message::Arrays arrays_of(const Config& config, const message::Entry& entry, const message::Collective& c) {
  const std::uint64_t arrays = c.kind == message::Kind::all_to_all ? 2 * c.bytes : c.bytes;
  return arrays <= config.l2.size_bytes / config.l2.partitions ? entry.arrays : message::Arrays::cold;
}

// A plan is made and played through once, however often it runs.
class Plans {
 public:
  struct Made {
    message::Collective collective;
    message::Plan plan;
    message::Played played;
  };
  explicit Plans(const Config& config) : config_(config) {}

  const Made& of(const message::Entry& entry) {
    const message::Collective c =
        message::collective_of(entry, config_.gpus.count, node_size_of(config_.topology));
    if (!made_ || !(made_->collective == c)) {
      message::Plan plan = message::make_plan(c);
      const message::Played played = message::play(c, plan);
      made_ = std::make_unique<Made>(Made{c, std::move(plan), played});
    }
    return *made_;
  }

 private:
  const Config& config_;
  std::unique_ptr<Made> made_;
};

MessageRow run_entry(const Config& config, const message::Entry& entry, const Plans::Made& made,
                     message::Wires& wires) {
  const message::Endpoint endpoint = endpoint_for(config, config.message.endpoint, entry.protocol,
                                                  arrays_of(config, entry, made.collective));
  const message::Protocol protocol = message::protocol(entry.protocol, config.execution.channel.buffer_bytes);
  MessageRow row{made.collective, entry.protocol, channels_of(config, entry), entry.repeat};
  const message::Schedule schedule(made.collective, made.plan, protocol, row.channels);
  message::Engine engine(wires, endpoint, config.message.piece_bytes);
  engine.add(schedule, 0);
  const message::JobResult result = engine.run().front();
  row.time_us = static_cast<double>(result.end) / 1e6;
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

}  // namespace

std::string machine_hash(const Config& config) {
  Config machine;
  machine.gpu = config.gpu;
  machine.l2 = config.l2;
  machine.memory = config.memory;
  machine.execution = config.execution;
  return sha256_hex(config::write(machine));
}

message::Endpoint endpoint_for(const Config& machine, const message::EndpointConfig& endpoint,
                               message::ProtocolName protocol, message::Arrays arrays) {
  message::Endpoint e = message::endpoint_of(endpoint, protocol, arrays);
  if (endpoint.sizes.empty() || protocol != message::ProtocolName::simple) return e;
  const std::uint64_t flag = machine.execution.channel.flag_latency_ps,
                      latency = machine.topology.link.latency_ps;
  const std::uint64_t more = flag - std::min(flag, latency);
  e.deliver += more;
  e.give_back += more;
  return e;
}

void check_messages(const Config& config, const config::Sources& sources) {
  check_graph(config, sources);
  check_endpoint(config, sources);
  if (config.message.collectives.empty())
    throw sources.error("message.collectives", "is empty: name one collective at least");
  Plans plans(config);
  for (std::size_t i = 0; i < config.message.collectives.size(); ++i) try {
      const message::Entry& entry = config.message.collectives[i];
      message::endpoint_of(config.message.endpoint, entry.protocol, entry.arrays);
      check_reach(config, plans.of(entry).plan);
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
    report.rows.push_back(run_entry(config, entry, plans.of(entry), wires));
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
