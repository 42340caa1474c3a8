// What a GPU's channel takes to go through a slice, by what it does with it: loads its own data, receives, stores,
// sends. A channel is a thread block of a collective's kernel; between two slices it has nothing to do but wait.
//
// The times are given at several lengths of slice and lie along straight lines between them; or two numbers, where
// a machine has no cycle level.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "message/collective.h"
#include "message/event_queue.h"
#include "message/plan.h"

namespace t3sim::message {

class Endpoint {
 public:
  struct Point {
    std::uint64_t bytes;
    Picoseconds time;
    bool operator==(const Point&) const = default;
  };
  // Of one pass (Step::pass()), by bytes, ascending.
  using Curve = std::vector<Point>;

  // `slice`: of each slice, whatever is done; then bytes at a rate, received ones as fast as others.
  static Endpoint by_rate(Picoseconds slice, std::uint64_t Bps);

  void set(std::uint32_t pass, const Curve& curve);
  // Of a pass over so many bytes.
  Picoseconds time(std::uint32_t pass, std::uint64_t bytes) const;

  // An L2 that is full writes lines back where others are loaded, which holds loads up: by so much a slice of `bytes`, where
  // one channel of the GPU loads from memory, and where `lanes` of them do.
  struct HeldUp {
    Picoseconds alone = 0, beside = 0;
    bool operator==(const HeldUp&) const = default;
  };
  struct WriteBacks {
    std::uint64_t l2_bytes = ~std::uint64_t{0};  // from when on
    std::uint64_t bytes = 1;
    std::uint32_t lanes = 2;
    HeldUp sends, receives;  // a pass that loads, and one that receives too
    bool operator==(const WriteBacks&) const = default;
  };
  WriteBacks write_backs;
  // Of a load of so many bytes, one of `lanes` at a time.
  Picoseconds held_up(std::uint32_t pass, std::uint64_t bytes, std::uint32_t lanes) const;

  // What the L2 holds: a slice that so much has come after is in memory.
  std::uint64_t l2_bytes = ~std::uint64_t{0};

  Picoseconds launch = 0;     // before the first slice
  Picoseconds step = 0;       // of each slice that has come, before anything of it is done
  Picoseconds deliver = 0;    // from a slice's last byte at the GPU until the channel sees it
  Picoseconds give_back = 0;  // the same, of a slot that is free again
  // Of a slice that is sent: a thread of the GPU's host posts one after the other. Those between two GPUs of a node only
  // with `posts_all`: kernels store them without a host.
  Picoseconds post = 0;
  bool posts_all = false;
  bool operator==(const Endpoint&) const = default;

 private:
  // From a point on: per byte, in ps times 2^32.
  struct Line {
    Point from;
    std::int64_t rise;
    bool operator==(const Line&) const = default;
  };
  std::array<std::vector<Line>, kPasses> lines_;
};

}  // namespace t3sim::message
