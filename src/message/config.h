// The section `message` of a configuration: what GPUs exchange, and what their endpoints can do (docs/messages.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/names.h"
#include "config/schema.h"
#include "message/collective.h"

namespace t3sim::message {

class Endpoint;

// Times of a protocol's passes, in picoseconds, by EndpointConfig::sizes: of the first ones, as many for each pass, up to
// the protocol's longest slice. Empty: the protocol was not tuned.
struct PassTimes {
  std::vector<std::uint64_t> send, copy_send, receive, reduce, reduce_send, reduce_copy_send, pass_on, copy;
  bool operator==(const PassTimes&) const = default;
};

struct ProtocolTimes {
  PassTimes simple, ll, ll128;
  bool operator==(const ProtocolTimes&) const = default;
};

// Where a GPU's own arrays are when a collective begins.
enum class Arrays : std::uint8_t {
  cold,  // in memory
  warm,  // in the L2, as after a call before
};
constexpr auto names_of(Arrays) {
  return std::array{Named{"cold", Arrays::cold}, Named{"warm", Arrays::warm}};
}

// Slices that a channel goes through, each behind the one before, when the L2 is full of lines that memory has not.
struct FullL2Times {
  std::uint64_t empty_ps = 0;   // of a slice where the L2 is not full, one channel alone
  std::uint64_t alone_ps = 0;   // one channel alone
  std::uint64_t beside_ps = 0;  // one of several
  bool operator==(const FullL2Times&) const = default;
};
struct FullL2 {
  std::uint64_t bytes = 0;   // of a slice; 0: was not tuned
  std::uint32_t lanes = 2;   // channels of `beside`
  FullL2Times send, reduce;  // loaded from memory and sent; added to what comes, and stored
  bool operator==(const FullL2&) const = default;
};

struct EndpointConfig {
  std::string machine;               // what `t3sim tune endpoint` ran on: machine_hash() of it
  std::uint64_t launch_ps = 0;       // of a collective, until its first slice
  std::uint64_t deliver_ps = 0;      // from a slice's last byte at the GPU until its channel sees it
  std::uint64_t give_back_ps = 0;    // the same, of a slot that is free again
  std::vector<std::uint64_t> sizes;  // of slices that were tuned, ascending
  ProtocolTimes cold, warm;
  FullL2 full;
  // Without sizes: of every slice, and of every byte.
  std::uint64_t slice_ps = 0;
  std::optional<std::uint64_t> rate_Bps;
  bool operator==(const EndpointConfig&) const = default;
};

// A collective as a configuration says it; what is not said follows from the kind and the machine.
struct Entry {
  Kind kind = Kind::all_reduce;
  std::optional<Algorithm> algorithm;
  ProtocolName protocol = ProtocolName::simple;
  std::optional<std::uint64_t> channels;
  std::uint64_t bytes = 0;
  std::uint32_t root = 0, peer = 1, node_size = 0;
  std::vector<std::uint64_t> counts, expects;
  Arrays arrays = Arrays::cold;  // warm: where they fit
  std::uint32_t repeat = 1;
};

// LL and LL128: what is not Simple's, and not of the GPU that the endpoint was derived from but of the library.
struct LineConfig {
  std::uint64_t launch_ps = 0;        // instead of execution.channel.launch; 0: as that
  std::uint64_t ll128_launch_ps = 0;  // of LL128; 0: as LL
  std::uint64_t ll_ps = 0,
                ll128_ps = 0;  // from GPU to GPU, of a few bytes: the link, loads and stores are in it
};

struct MessageConfig {
  EndpointConfig endpoint;
  LineConfig lines;
  std::uint64_t call_ps = 0;  // in which the host issues a call: none in a row takes less
  std::uint64_t piece_bytes = 16 << 10;
  std::vector<Entry> collectives;
};

void describe(config::Visitor& v, EndpointConfig& c);
void describe(config::Visitor& v, MessageConfig& c);

// Of a protocol. Throws InputError if it was not tuned.
Endpoint endpoint_of(const EndpointConfig& config, ProtocolName protocol, Arrays arrays);
// On so many GPUs, in nodes of `node_size` unless it says its own. Throws InputError as check() does, and where what a GPU
// expects is not what comes.
Collective collective_of(const Entry& entry, std::uint32_t gpus, std::uint32_t node_size);

// The passes that have times, with their names.
struct PassName {
  const char* name;
  std::uint32_t pass;
  std::vector<std::uint64_t> PassTimes::*times;
};
const std::vector<PassName>& pass_names();

}  // namespace t3sim::message
