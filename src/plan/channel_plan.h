// Collectives as a library's kernel runs them (NCCL over its Simple protocol): channels, each a thread block,
// that pass slices on through FIFOs of a few slots.
//
// A pass takes one slice of a connection: it waits for the slice (if it receives) and for a free slot at the
// next GPU (if it sends), loads its own operand, the slot or both, and stores the result to its own array,
// into the next GPU's slot or both. Then it gives the slot back. What is sent q-th on a connection is
// received q-th.
#pragma once

#include <cstdint>
#include <vector>

namespace t3sim {

inline constexpr std::uint32_t kNoConnection = ~0U;

struct ChannelPass {
  std::uint64_t operand = 0;  // offset of what it loads of its own array, if it does
  std::uint64_t result = 0;   // offset of what it stores to its own array, if it does
  std::uint32_t bytes = 0;
  bool loads_own = false, stores_own = false;
  std::uint32_t receives = kNoConnection, sends = kNoConnection;
  std::uint32_t received = 0, sent = 0;  // how many slices came, went before on the connection
};

// One way between two GPUs, with a FIFO at the receiver. Every GPU has it, as sender and as receiver.
struct ChannelConnection {
  std::uint16_t to = 0, from = 0;
  std::uint32_t slices = 0;  // that go over it
  bool operator==(const ChannelConnection&) const = default;
};

// What one GPU does. Blocks that share a channel lie a multiple of `channels` apart.
struct ChannelPlan {
  std::uint32_t channels = 0;  // CUs that are used
  std::uint32_t slots = 4;     // of a FIFO
  std::uint64_t slot_bytes = 0;
  std::uint64_t array_bytes = 0;
  std::vector<ChannelConnection> connections;
  std::vector<std::vector<ChannelPass>> blocks;

  // Slices of one connection at most: connection c, slice q is number c * longest() + q.
  std::uint32_t longest() const;
};

// The library's settings. NCCL's: a FIFO of 8 steps, slices of 2 of them, chunks of 2 slices.
struct ChannelSettings {
  std::uint32_t channels = 24;
  std::uint64_t fifo_bytes = 4 << 20;
  // Of what a channel does over and over, only so much, and what is beyond its last whole loop. A short run that stands for
  // a long one is at the addresses of the long one.
  std::uint64_t first_loops = ~std::uint64_t{0};
  // Channel c's ring goes from GPU r to r + strides[c], beginning again after the last; each has no factor in common with
  // the number of GPUs. On a mesh, rings of different strides have links of their own.
  std::vector<std::uint32_t> strides{1};
};

enum class ChannelOp : std::uint8_t { all_gather, reduce_scatter, all_reduce, all_to_all };

// GPU `rank` of `gpus`; `bytes`: the full array on each GPU.
ChannelPlan ring_channels(ChannelOp op, std::uint32_t rank, std::uint32_t gpus, std::uint64_t bytes,
                          const ChannelSettings& settings);
// Each part goes straight to its owner: as many channels a peer as all can have alike. Warps of a channel's
// block share its parts, half of a part's send and half receive (NCCL's kernel for send and receive): here a
// block each.
ChannelPlan all_to_all_channels(std::uint32_t rank, std::uint32_t gpus, std::uint64_t bytes,
                                const ChannelSettings& settings);

// How many whole loops a channel makes of `bytes`: chunks of a ring, steps of an all-to-all.
std::uint64_t loops_of(ChannelOp op, std::uint32_t gpus, std::uint64_t bytes,
                       const ChannelSettings& settings);

}  // namespace t3sim
