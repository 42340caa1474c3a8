// What leaves a GPU or a switch. Nothing crosses between GPUs in zero time: each item carries the tick at
// which the other end sees it, and is carried over after the window in which it was sent (fabric.h).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/request.h"
#include "sim/time.h"

namespace t3sim {

struct Outbox {
  struct Packet {
    Tick at;  // when its last byte is at the other end
    Request request;
  };
  // Space in a buffer is free again.
  struct Credit {
    Tick at;
    std::uint32_t bytes;
    std::uint16_t gpu;  // whose packets had filled it
  };
  std::vector<Packet> packets;
  std::vector<Credit> credits;

  void clear() {
    packets.clear();
    credits.clear();
  }
};

}  // namespace t3sim
