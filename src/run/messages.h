// Runs a configuration whose gpus.model is message: collectives as messages over the topology's graph, each on idle wires
// (docs/messages.md).
#pragma once

#include <string>
#include <vector>

#include "machine/config.h"
#include "message/engine.h"

namespace t3sim {

struct MessageRow {
  message::Collective collective;
  message::ProtocolName protocol = message::ProtocolName::simple;
  std::uint32_t channels = 0, repeat = 1;
  double time_us = 0;            // of one call
  std::uint64_t sent_bytes = 0;  // by all GPUs, with what the protocol adds
  std::uint64_t slices = 0;
  std::uint64_t blocks_checked = 0;  // whose values are what the collective promises
  std::uint64_t events = 0;
};

struct MessageLink {
  std::string name;
  std::uint64_t bytes = 0;
  double busy_us = 0;
};

struct MessageReport {
  std::vector<MessageRow> rows;
  std::vector<MessageLink> links;  // of all collectives together
  double time_us = 0;
  std::uint64_t events = 0;
  double host_seconds = 0;
};

// What decides the times of the machine's channels at cycle level: an endpoint is tied to it.
std::string machine_hash(const Config& config);

// The endpoint of a protocol on this machine: Simple's flags take what its library says, as far as that is more than
// the link's latency; LL and LL128 have their own launch and what a step takes. Throws InputError.
message::Endpoint endpoint_for(const Config& machine, const message::EndpointConfig& endpoint,
                               message::ProtocolName protocol,
                               message::Arrays arrays = message::Arrays::cold);

// The same of an entry: where its arrays are warm and fit in the L2, they stay there; else it is full of the call before.
message::Endpoint endpoint_for(const Config& machine, const message::Entry& entry,
                               const message::Collective& collective);

// Of a collective, unless it says its own: the library's, of this machine.
std::uint32_t channels_of(const Config& config, const message::Entry& entry);
// GPUs of a node where the topology has nodes, of a row of a torus of two dimensions; else 0.
std::uint32_t node_size_of(const TopologyConfig& topology);
// Throws InputError where there is no endpoint, or one of another state of the machine.
void check_endpoint(const Config& config, const config::Sources& sources);
// Throws InputError where endpoints or links are not such that messages can run.
void check_message_machine(const Config& config, const config::Sources& sources);
// Throws InputError for what cannot run, before anything does.
void check_messages(const Config& config, const config::Sources& sources);
MessageReport run_messages(const Config& config);

// Algorithm, protocol, bytes, steps, and where the endpoint's values come from, before the run.
std::string explain_messages(const Config& config);
std::string messages_table(const MessageReport& report);
// results.json, and what belongs beside it.
std::string messages_json(const Config& config, const MessageReport& report);
std::string message_links_csv(const MessageReport& report);
std::string message_stats_csv(const MessageReport& report);

}  // namespace t3sim
