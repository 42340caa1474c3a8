// What leaves a GPU or a switch. Nothing crosses between GPUs in zero time: each item carries the tick at
// which the other end sees it, and is carried over after the step in which it was sent (fabric.h).
#pragma once

#include <cstdint>
#include <vector>

#include "interconnect/network_card.h"
#include "sim/request.h"
#include "sim/time.h"

namespace t3sim {

// From the command processor of one GPU to that of another (runtime/): its meaning is theirs.
struct Message {
  std::uint16_t from = 0, to = 0;
  std::uint32_t kind = 0, number = 0;
};

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
  struct Posting {
    Tick at;
    Message message;
  };
  std::vector<Packet> packets;
  std::vector<Credit> credits;
  std::vector<Posted> puts;
  std::vector<Posting> messages;

  void clear() {
    packets.clear();
    credits.clear();
    puts.clear();
    messages.clear();
  }
};

}  // namespace t3sim
