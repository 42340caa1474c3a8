// A collective over messages: what it does, by which algorithm, over which protocol, and what each GPU brings.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/names.h"

namespace t3sim::message {

enum class Kind : std::uint8_t {
  all_reduce,
  reduce_scatter,
  all_gather,
  all_to_all,
  broadcast,
  gather,
  scatter,
  send_receive,
};
constexpr auto names_of(Kind) {
  return std::array{Named{"all-reduce", Kind::all_reduce}, Named{"reduce-scatter", Kind::reduce_scatter},
                    Named{"all-gather", Kind::all_gather}, Named{"all-to-all", Kind::all_to_all},
                    Named{"broadcast", Kind::broadcast},   Named{"gather", Kind::gather},
                    Named{"scatter", Kind::scatter},       Named{"send-receive", Kind::send_receive}};
}

enum class Algorithm : std::uint8_t {
  ring,      // around a ring of all GPUs; broadcast: a chain; all-to-all: around rings, by dimension
  tree,      // binary tree; gather, scatter, broadcast: binomial
  direct,    // to all others at once
  pairwise,  // with one other at a time, at distance 1, 2, ...
  bruck,     // at distances 1, 2, 4, ... with blocks gathered up
  recursive_doubling,  // with the GPU whose number differs in one bit; reduce-scatter: halving
  hierarchical,        // within nodes, between nodes, within nodes
};
constexpr auto names_of(Algorithm) {
  return std::array{Named{"ring", Algorithm::ring},
                    Named{"tree", Algorithm::tree},
                    Named{"direct", Algorithm::direct},
                    Named{"pairwise", Algorithm::pairwise},
                    Named{"bruck", Algorithm::bruck},
                    Named{"recursive-doubling", Algorithm::recursive_doubling},
                    Named{"hierarchical", Algorithm::hierarchical}};
}

// How a message carries its payload (protocol.h).
enum class ProtocolName : std::uint8_t { simple, ll, ll128 };
constexpr auto names_of(ProtocolName) {
  return std::array{Named{"Simple", ProtocolName::simple}, Named{"LL", ProtocolName::ll},
                    Named{"LL128", ProtocolName::ll128}};
}

struct Collective {
  Kind kind = Kind::all_reduce;
  Algorithm algorithm = Algorithm::ring;
  std::uint32_t gpus = 2;
  std::uint32_t root = 0;  // broadcast, gather, scatter; send-receive: who sends
  std::uint32_t peer = 1;  // send-receive: who receives
  std::uint32_t node_size =
      1;  // hierarchical: GPUs a node; all-to-all by rings: those of the first dimension
  // The full array on each GPU; of gather, scatter and all-gather: what all GPUs bring together.
  std::uint64_t bytes = 0;
  // v-forms: bytes of each GPU's block; all-to-all: from GPU s to GPU d at s * gpus + d. Empty: equal ones.
  std::vector<std::uint64_t> counts;
  bool operator==(const Collective&) const = default;
};

// Bytes of what GPU `from` has for GPU `to` (all-to-all) or of block `to` (all others).
std::uint64_t block_bytes(const Collective& c, std::uint32_t from, std::uint32_t to);
// "all-reduce by ring, 8 GPUs, 64 MiB".
std::string describe(const Collective& c);
// Can there be such a collective? Throws InputError that says what is wrong and what is allowed.
void check(const Collective& c);
// The algorithms that a kind has, the default first.
std::vector<Algorithm> algorithms_of(Kind kind);

}  // namespace t3sim::message
