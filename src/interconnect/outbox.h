// What leaves a GPU or a switch. Nothing crosses between GPUs in zero time: each item carries the tick at
// which the other end sees it, and is carried over after the window in which it was sent (fabric.h).
#pragma once

#include <cstdint>
#include <vector>

#include "interconnect/network_card.h"
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
  // A put that a network card is to carry out, from tick `at` on.
  struct Posted {
    Tick at;
    Put put;
  };
  std::vector<Packet> packets;
  std::vector<Credit> credits;
  std::vector<Posted> puts;

  void clear() {
    packets.clear();
    credits.clear();
    puts.clear();
  }
};

}  // namespace t3sim
