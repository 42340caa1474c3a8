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
  p.by_line = true;
  p.slice_bytes = fifo_bytes / kSteps * payload / wire;
  return p;
}

// NCCL's ALLREDUCE_SLICESTEPS and its like; BROADCAST_SLICESTEPS; sends and receives are ProtoSimple<1, 1>.
bool two_steps_a_slice(Kind kind) {
  return kind == Kind::all_reduce || kind == Kind::reduce_scatter || kind == Kind::all_gather;
}

}  // namespace

Protocol protocol(ProtocolName name, std::uint64_t fifo_bytes, Kind kind) {
  switch (name) {
    case ProtocolName::ll:  // 512 threads, 8 lines of 16 B, a step
      return by_lines(name, 8, 16, 8ULL * 512 * 8 * 16);
    case ProtocolName::ll128: {  // 640 threads, 120 elements of 8 B, a step
      Protocol p = by_lines(name, 15, 16, 8ULL * 640 * 120 * 8);
      p.loads_twice = true;
      return p;
    }
    case ProtocolName::simple:
      break;
  }
  Protocol p;
  const std::uint32_t steps_a_slice = two_steps_a_slice(kind) ? 2 : 1;
  p.slices = steps_a_slice;
  p.slice_bytes = fifo_bytes / kSteps * steps_a_slice;
  p.slots = kSteps / steps_a_slice;
  return p;
}

}  // namespace t3sim::message
