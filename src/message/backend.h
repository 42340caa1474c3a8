// A communication backend as a description: which operations a library has, by which algorithms and protocols, what moves
// their bytes, what a call costs, and who waits for it (docs/backends.md; section V of MCR-DL, Anthony et al., IPDPS 2023).
//
// A value has a source and, where that leaves it open, a range that it may lie in. No value is of a throughput that a paper
// or a measurement of whole collectives says.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "message/config.h"

namespace t3sim::message {

enum class Mover : std::uint8_t {
  cus,      // kernels on CUs, as the machine's own channels
  network,  // network cards and copy engines; kernels of their own add up
  host,     // staged in the host's memory, added up by its CPU
};
constexpr auto names_of(Mover) {
  return std::array{Named{"cus", Mover::cus}, Named{"network", Mover::network}, Named{"host", Mover::host}};
}

enum class Progress : std::uint8_t {
  stream,  // a call is put into a stream, and the host goes on
  host,    // the host waits for what the call needs, and for its end
};
constexpr auto names_of(Progress) {
  return std::array{Named{"stream", Progress::stream}, Named{"host", Progress::host}};
}

// A value, and between what it may lie; not said: it is known.
struct Ranged {
  std::uint64_t value = 0;
  std::optional<std::uint64_t> low, high;
  std::string source;
  bool operator==(const Ranged&) const = default;
};

// What moves the bytes of a way. Times in picoseconds, rates in bytes a second, of a channel.
struct MoverConfig {
  Mover engine = Mover::cus;
  bool own = false;        // the machine's own endpoint: of all below only `channels` counts
  Ranged launch;           // of a call, until its first slice
  Ranged slice, rate;      // of a slice, and of its bytes
  Ranged add, add_rate;    // the same where it is added to what is there; 0: as others
  Ranged post;             // of a slice that is sent: a thread of the host's
  bool posts_all = false;  // also those within a node
  Ranged channels;         // 0: the machine's library's
  Ranged buffer;           // of a channel's FIFO; 0: the machine's
  bool operator==(const MoverConfig&) const = default;
};

// One way to do an operation. Of several, the library takes the fastest: its tuner is taken to choose right.
struct WayConfig {
  Kind kind = Kind::all_reduce;
  Algorithm algorithm = Algorithm::ring;
  ProtocolName protocol = ProtocolName::simple;
  std::string mover;
  std::optional<std::uint64_t> to;  // messages (message_bytes()) of more bytes never go this way
  Ranged rails{.value = 1,
               .low = {},
               .high = {},
               .source = {}};  // rings, each through another card of a node; 0: as many as it has
  bool operator==(const WayConfig&) const = default;
};

struct Backend {
  std::string name;
  Progress progress = Progress::stream;
  Ranged call;  // host's time of a call
  Ranged wait;  // host-ordered: what it costs that the host waits, before and after
  std::map<std::string, MoverConfig> movers;
  std::vector<WayConfig> ways;

  bool has(Kind kind) const;
  // Of a message of so many bytes. Throws InputError, with what there is, if the backend lacks the operation.
  std::vector<const WayConfig*> ways_of(Kind kind, std::uint64_t message) const;
  // That a call adds to what its way takes: a host that goes on makes it while the GPU is still at something else.
  std::uint64_t host_ps() const { return progress == Progress::host ? call.value + wait.value : 0; }
  bool operator==(const Backend&) const = default;
};

void describe(config::Visitor& v, Backend& b);

// Bytes of a message as benchmarks count them: of what goes from one GPU to another (all-to-all, gather, scatter, all-gather,
// reduce-scatter: a block), or of the array.
std::uint64_t message_bytes(Kind kind, std::uint64_t bytes, std::uint32_t gpus);

// Of configs/backends by name, or of a file (a name that ends in .yaml). Throws InputError with the nearest name.
Backend backend_named(const std::string& name);
std::vector<std::string> backend_names();

// All values that have a range, by a name such as "movers.gdr.post".
void for_each_ranged(Backend& backend, const std::function<void(const std::string& name, Ranged& value)>& f);

}  // namespace t3sim::message
