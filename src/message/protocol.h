// How payload becomes messages: NCCL's three protocols, as its sources (2.28) have them.
//
//   Simple  slices of up to a quarter of the FIFO, a flag beside them: no byte of the payload is lost, but every slice
//           waits for a barrier, a fence and the flag
//   LL      lines of 16 B, 8 B of them flags: half of the wire; data is its own flag
//   LL128   lines of 128 B, 8 B of them a flag: 15/16 of the wire; a warp's stores must not be torn. A warp loads its 16 lines
//           until all flags are right, and then all of them again (prims_ll128.h, recvReduceSendCopy(), since 2.19)
#pragma once

#include <cstdint>

#include "message/collective.h"

namespace t3sim::message {

inline constexpr std::uint32_t kMostSlots = 8;

struct Protocol {
  ProtocolName name = ProtocolName::simple;
  std::uint64_t payload = 1, wire = 1;  // so many bytes of payload take so many on the wire
  std::uint64_t slice_bytes = 1 << 20;  // of payload, in a slot of the FIFO
  std::uint32_t slots = 4;              // of a FIFO
  std::uint32_t slices = 2;             // a step goes through before it waits for another GPU
  // Every line says that it has come, so a slice is taken as its lines come. Else: when all of it is there.
  bool by_line = false;
  // Lines that have come are loaded until their flags are right, and then all of them once more.
  bool loads_twice = false;

  std::uint64_t wire_bytes(std::uint64_t bytes) const { return (bytes * wire + payload - 1) / payload; }
  std::uint64_t chunk_bytes() const { return slice_bytes * slices; }
};

// `fifo_bytes`: of Simple, on the wire, a channel (NCCL_BUFFSIZE). Its slices are a quarter of that, two a step; of kinds
// that are made of sends and receives, and of broadcast, an eighth, one a step.
Protocol protocol(ProtocolName name, std::uint64_t fifo_bytes, Kind kind = Kind::all_reduce);

}  // namespace t3sim::message
