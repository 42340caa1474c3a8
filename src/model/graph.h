// A step of a whole model as a graph of operations: what runs on which GPUs, in which stream, after what.
//
// GPUs that do the same are one set, and a collective says all groups of GPUs that do it at the same time, so a step of
// hundreds of GPUs has as many operations as one of its GPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "message/config.h"
#include "message/event_queue.h"

namespace t3sim::model {

using Picoseconds = message::Picoseconds;

using GpuSet = std::vector<std::uint32_t>;  // ascending
using Grouping = std::vector<GpuSet>;       // disjoint; a group's order is that of its ranks

// A collective of each group of a grouping, all at the same time.
struct Call {
  message::Kind kind = message::Kind::all_reduce;
  std::optional<message::Algorithm> algorithm;
  message::ProtocolName protocol = message::ProtocolName::simple;
  std::optional<std::uint64_t> channels;
  std::uint64_t bytes = 0;  // as `message.collectives` means them
  std::string backend;      // by which (message/backend.h); empty: the machine's own library
  std::uint32_t grouping = 0;
  bool operator==(const Call&) const = default;
};

struct Operation {
  std::string name;
  std::string kind;                   // for people: "gemm 8192x1024x4096", "all-reduce"
  std::string source;                 // of its time
  std::uint32_t set = 0, stream = 0;  // numbers of the graph's
  std::vector<std::uint32_t> after;   // other operations
  Picoseconds time = 0;               // of a call: alone on idle links
  std::optional<Call> call;
  double flops = 0;
  std::uint64_t bytes = 0;  // that a GPU moves: of its memory, or of a call's array
  bool fuse = false;        // of a call: in a buffer with others of its kind (fusion.h)
};

// Tensors of a kind of call wait for each other in a buffer, and go as one (section V.E of MCR-DL).
struct FusionRule {
  std::uint64_t bytes = 0;  // B: a buffer that has so many goes
  Picoseconds wait = 0;     // T: so does one whose first tensor has waited so long
  bool overlap = true;      // such a one beside those of other backends
  double copy_Bps = 0;      // of the memory, in which tensors are copied into the buffer and out
  // What these copies take: each tensor is read and written twice. One alone stays where it is.
  Picoseconds copies(std::uint64_t all_bytes, std::size_t tensors) const;
};

struct Graph {
  std::string name;
  std::uint32_t gpus = 0;
  bool in_order =
      true;  // streams: in the order of the operations; else by what can begin, the first of them first
  std::vector<GpuSet> sets;
  std::vector<Grouping> groupings;
  std::vector<std::string> streams;
  std::vector<Operation> operations;
  std::optional<FusionRule> fusion;

  // Their numbers, made if they are new.
  std::uint32_t set(const GpuSet& gpus);
  std::uint32_t grouping(const Grouping& groups);
  std::uint32_t stream(const std::string& stream_name);
  std::uint32_t add(Operation operation);
};

// Groups of `size` GPUs that lie `stride` apart, side by side until all of the set are in one. Throws InputError if the set
// cannot be divided so.
Grouping groups_of(const GpuSet& set, std::uint32_t size, std::uint32_t stride);
// Throws InputError: operations that wait for each other, all of them named.
void check_order(const Graph& graph);

}  // namespace t3sim::model
