// How long collectives of a library take whose channels are thread blocks (NCCL's ring and send/receive over
// the Simple protocol).
//
// A channel is one thread block, so one CU: in every pass it loads a slice (from its own array, from the FIFO
// that the previous GPU writes, or both), stores it (to its own array, into the next GPU's FIFO, or both),
// and then raises a flag. Between two GPUs a channel has a FIFO of `buffer_bytes`; a sender waits for room in
// it. All channels of all GPUs do the same at the same time, so one channel of one GPU is simulated, slice by
// slice: what it sends is what it receives, a flag's latency later, and it has its share of the link.
#pragma once

#include <cstdint>

#include "machine/execution_config.h"
#include "plan/channel_plan.h"

namespace t3sim {

using CollectiveOp = ChannelOp;

// What the channels have to work with, from the machine's configuration.
struct ChannelMachine {
  ChannelConfig channel;
  double window_bytes = 32 << 10;    // that a channel's loads have outstanding
  double load_bytes_per_cycle = 92;  // of a CU
  double store_bytes_per_cycle = 32;
  double clock_hz = 0;
  double load_latency_s = 0;  // of a load that misses the L2
  double link_Bps = 0;        // payload of a CU's remote stores, a GPU, each way
};

// Seconds of one call, with its launch. `bytes`: the full array on each GPU. `channels`: 0 for as many as the
// library takes.
double collective_seconds(const ChannelMachine& machine, CollectiveOp op, std::uint32_t world,
                          std::uint64_t bytes, std::uint32_t channels);

// Payload bytes that a GPU sends.
double collective_link_bytes(CollectiveOp op, std::uint32_t world, std::uint64_t bytes);

// Channels that move data at the same time, so CUs that are taken.
std::uint32_t collective_channels(const ChannelMachine& machine, CollectiveOp op, std::uint32_t channels);

}  // namespace t3sim
