#include "message/protocol.h"

namespace t3sim::message {
namespace {

constexpr std::uint32_t kSteps = 8;  // of a FIFO (NCCL_STEPS)

// Each step of the FIFO is a slot. Its FIFO: lines that its threads write at a time, eight times over, a step.
Protocol by_lines(ProtocolName name, std::uint64_t payload, std::uint64_t wire, std::uint64_t fifo_bytes) {
  Protocol p;
  p.name = name;
  p.payload = payload;
  p.wire = wire;
  p.slots = kSteps;
  p.slices = 1;
  p.slice_bytes = fifo_bytes / kSteps * payload / wire;
  return p;
}

}  // namespace

Protocol protocol(ProtocolName name, std::uint64_t fifo_bytes) {
  switch (name) {
    case ProtocolName::ll:  // 512 threads, 8 lines of 16 B, a step
      return by_lines(name, 8, 16, 8ULL * 512 * 8 * 16);
    case ProtocolName::ll128:  // 640 threads, 120 elements of 8 B, a step
      return by_lines(name, 15, 16, 8ULL * 640 * 120 * 8);
    case ProtocolName::simple:
      break;
  }
  Protocol p;
  constexpr std::uint32_t kStepsASlice = 2;
  p.slice_bytes = fifo_bytes / kSteps * kStepsASlice;
  p.slots = kSteps / kStepsASlice;
  return p;
}

}  // namespace t3sim::message
