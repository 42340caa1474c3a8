// What a graph's collectives take on idle links: run as messages (docs/messages.md), each shape once.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "interconnect/topology.h"
#include "machine/config.h"
#include "model/graph.h"

namespace t3sim::model {

// Of a collective on idle links: links, and the share of the time that each is busy.
using LinkShares = std::vector<std::pair<std::uint32_t, double>>;

// Bytes of an array whose shares are alike on all GPUs: up to the next multiple, where they do not divide.
std::uint64_t padded(std::uint64_t bytes, std::uint64_t gpus);

struct CollectiveCost {
  Picoseconds time = 0;
  LinkShares shares;
  std::uint64_t sent_bytes = 0;  // by all GPUs, with what the protocol adds
  std::string source;
  Picoseconds overhead = 0;  // of `time`: the framework's (call_overhead.h)
  // Time in which its links are idle.
  void add(Picoseconds more);
};

class CollectiveCosts {
 public:
  explicit CollectiveCosts(const Config& machine);

  // All groups begin at the same time. Throws InputError where a plan cannot be, and what the messages throw.
  const CollectiveCost& of(const Call& call, const Grouping& groups);
  std::uint64_t events() const { return events_; }
  std::size_t runs() const { return runs_; }

 private:
  CollectiveCost longer(const Call& call, const Grouping& groups);
  CollectiveCost run(const Call& call, const Grouping& groups);

  const Config& machine_;
  std::shared_ptr<const Topology> topology_;
  std::vector<std::pair<Call, std::unique_ptr<CollectiveCost>>> known_;
  std::uint64_t events_ = 0;
  std::size_t runs_ = 0;
};

}  // namespace t3sim::model
