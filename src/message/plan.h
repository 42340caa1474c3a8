// A collective as data: what every GPU loads, receives, adds, stores and sends, step by step.
//
// A GPU's memory is a row of slots, each a block of the collective. A *strand* is a sequence of steps one after the
// other; strands of a GPU run side by side. In a step a GPU may take what has come from another GPU, add its own
// slots to it, store the result and send it on. What is sent to a GPU under a tag is received in the order in which
// it was sent, so the outcome does not depend on time: values.h plays a plan through without any.
//
// A strand is run by several channels, each with its part of every block, and in rounds (schedule.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "message/collective.h"

namespace t3sim::message {

// A set of slots, in order: the i-th lies at `offset` + (`base` +- place) modulo `modulus`, where places are runs of
// `run` from `first` on, `stride` apart.
struct Slots {
  std::uint16_t offset = 0, base = 0, modulus = 1;
  std::uint16_t first = 0, run = 1, stride = 0;
  std::uint16_t count = 0;
  bool down = false;

  std::uint32_t at(std::uint32_t i) const {
    const std::uint32_t place = (first + i / run * stride + i % run) % modulus;
    return offset + (down ? base + modulus - place : base + place) % modulus;
  }
  bool operator==(const Slots&) const = default;
};
// Slots first, first + 1, ... around a ring of `modulus` that begins at `offset`.
Slots slots(std::uint32_t first, std::uint32_t count, std::uint32_t modulus, std::uint32_t offset = 0);

struct Step {
  static constexpr std::uint16_t kNobody = 0xffff;

  std::uint16_t from = kNobody, to = kNobody;
  std::uint8_t tag = 0;
  bool loads = false, stores = false;  // its own slots
  Slots read, write;  // as many of one as of the other; both said, whatever is done with them

  bool receives() const { return from != kNobody; }
  bool sends() const { return to != kNobody; }
  // What it does to memory and links, as a number below 16: the endpoint's rates are by this.
  std::uint32_t pass() const { return loads * 1U + receives() * 2U + stores * 4U + sends() * 8U; }
};
inline constexpr std::uint32_t kPasses = 16;

class Plan {
 public:
  Plan(std::uint32_t gpus, std::uint32_t slots_a_gpu) : slots_(slots_a_gpu), strands_of_{0} {
    strands_of_.reserve(gpus + 1);
    begins_.push_back(0);
  }

  // GPUs are made in order, a GPU's strands too.
  void end_strand() { begins_.push_back(static_cast<std::uint32_t>(steps_.size())); }
  void end_gpu() { strands_of_.push_back(static_cast<std::uint32_t>(begins_.size() - 1)); }
  void add(const Step& step) { steps_.push_back(step); }
  void reserve(std::size_t steps) { steps_.reserve(steps); }
  // Peers are served side by side, so they share the channels.
  void share_channels(std::uint32_t among) { sharing_ = among; }

  std::uint32_t gpus() const { return static_cast<std::uint32_t>(strands_of_.size() - 1); }
  std::uint32_t slots() const { return slots_; }
  // Of a GPU: numbers of its strands.
  std::uint32_t first_strand(std::uint32_t gpu) const { return strands_of_[gpu]; }
  std::uint32_t strands() const { return static_cast<std::uint32_t>(begins_.size() - 1); }
  std::span<const Step> steps(std::uint32_t strand) const {
    return {steps_.data() + begins_[strand], begins_[strand + 1] - begins_[strand]};
  }
  const std::vector<Step>& all_steps() const { return steps_; }
  // Parts into which that many channels cut every block.
  std::uint32_t parts(std::uint32_t channels) const { return channels > sharing_ ? channels / sharing_ : 1; }

 private:
  std::uint32_t slots_, sharing_ = 1;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> begins_;      // of each strand
  std::vector<std::uint32_t> strands_of_;  // of each GPU: its first
};

// Throws InputError as check() does.
Plan make_plan(const Collective& collective);
// All-to-all by rings: GPUs of a ring of the first dimension, and slots of one half of all blocks, behind which lie those of the
// other half.
std::uint32_t first_ring(const Collective& c);
std::uint32_t exchange_slots(const Collective& c);
inline std::uint32_t halves(const Collective& c) {
  return c.kind == Kind::all_to_all && c.algorithm == Algorithm::ring ? 2 : 1;
}
// Bytes of a slot in the memory of a GPU.
std::uint64_t slot_bytes(const Collective& c, std::uint32_t gpu, std::uint32_t slot);

}  // namespace t3sim::message
