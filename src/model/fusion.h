// Tensor fusion: calls of a kind that come one by one wait in a buffer, and go as one call (section V.E of MCR-DL).
//
//   a tensor comes --> its buffer --(B bytes, or the first has waited T)--> queue --> one call, whose end is that of all
//
// A buffer is of one kind, group, backend and set of GPUs. Calls begin in the order in which buffers closed. One that closed
// full fills the links, and runs beside no other; of those that closed for their wait, each of another backend, several may
// run at a time, if the rule says so.
#pragma once

#include <vector>

#include "model/collective_costs.h"
#include "model/graph.h"

namespace t3sim::model {

// What a call of so many tensors takes on idle links, copies into the buffer and out of it among it.
class FusedCosts {
 public:
  virtual ~FusedCosts() = default;
  virtual const CollectiveCost& of_fused(const Call& call, std::size_t tensors) = 0;
};

struct FusedCall {
  Call call;  // of all bytes
  std::uint32_t set = 0;
  std::vector<std::uint32_t> operations;
  bool full = false;                     // had B bytes
  Picoseconds first = 0;                 // when the first tensor came
  const CollectiveCost* cost = nullptr;  // known when it begins
  Picoseconds begin = 0, end = 0;
};

class FusionBuffers {
 public:
  FusionBuffers(const Graph& graph, FusedCosts* costs);

  void add(std::uint32_t operation, Picoseconds now);
  // Of the open buffer that closes first; the largest number if there is none.
  Picoseconds deadline() const;
  void close_due(Picoseconds now);
  // Calls that begin now, by their numbers, in order.
  std::vector<std::uint32_t> begin_all(Picoseconds now);
  void end(std::uint32_t call, Picoseconds now);
  const std::vector<FusedCall>& calls() const { return calls_; }

 private:
  bool belongs(const FusedCall& buffer, const Operation& o) const;
  void close(std::size_t buffer);
  bool share_gpus(const FusedCall& a, const FusedCall& b) const;
  bool may_begin(std::uint32_t call) const;

  const Graph& graph_;
  FusedCosts* costs_;
  std::vector<FusedCall> open_, calls_;  // calls_: closed, in order
  std::vector<std::uint32_t> queue_, running_;
};

}  // namespace t3sim::model
