// Who moves which bytes when: a plan's blocks cut into parts, a channel each, these into rounds, and a step's share of
// a round into slices.
//
// In a round every step of a strand moves its share of its blocks, so a slice is never longer than a slot of the
// protocol's FIFO and what is under way between two GPUs never more than it holds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "message/plan.h"
#include "message/protocol.h"

namespace t3sim::message {

inline constexpr std::uint64_t kLine = 128;

// The `i`-th of `n` parts of so many bytes, in whole lines.
struct Cut {
  std::uint64_t from, to;
  std::uint64_t bytes() const { return to - from; }
};
inline Cut cut(std::uint64_t bytes, std::uint64_t i, std::uint64_t n) {
  if (n == 1) return {0, bytes};
  const std::uint64_t share = ((bytes + n - 1) / n + kLine - 1) / kLine * kLine;
  return {std::min(bytes, i * share), std::min(bytes, (i + 1) * share)};
}

class Schedule {
 public:
  // All three must outlive the schedule.
  Schedule(const Collective& collective, const Plan& plan, const Protocol& protocol, std::uint32_t channels);

  std::uint32_t channels() const { return channels_; }
  std::uint32_t parts() const { return parts_; }
  std::uint32_t rounds() const { return rounds_; }
  // Bytes of payload that a step of GPU `gpu` moves.
  std::uint64_t bytes(std::uint32_t gpu, const Step& step, std::uint32_t part, std::uint32_t round) const;
  // Slices of so many bytes; none of nothing.
  std::uint32_t slices(std::uint64_t bytes) const;
  std::uint64_t slice_bytes(std::uint64_t bytes, std::uint32_t slice) const {
    return cut(bytes, slice, slices(bytes)).bytes();
  }
  const Plan& plan() const { return plan_; }
  const Collective& collective() const { return collective_; }
  const Protocol& protocol() const { return protocol_; }

 private:
  template <class F>
  std::uint64_t sum(std::uint32_t gpu, const Slots& slots, F&& of_slot) const;
  std::uint64_t longest_step() const;

  const Collective& collective_;
  const Plan& plan_;
  const Protocol& protocol_;
  bool alike_;  // all blocks
  std::uint32_t channels_, parts_, rounds_ = 1;
};

}  // namespace t3sim::message
