// Collectives that run on CUs, the baseline (Figures 3 and 10a): what the kernel of each GPU does, step by
// step.
#pragma once

#include <cstdint>
#include <vector>

namespace t3sim {

// Reads the copies of a chunk that some arrays hold, adds them and writes the sum. Array 0 is the output;
// arrays from 1 on receive what other GPUs send.
struct KernelStep {
  static constexpr std::uint32_t kNoWait = ~0U;

  std::uint32_t chunk = 0;
  std::vector<std::uint8_t> reads;    // arrays; none: writes zeros
  std::uint16_t gpu = 0;              // that it is written to
  std::uint8_t array = 0;             // of that GPU
  bool update = false;                // adds to what is there, near memory (section 4.3)
  std::uint8_t announces = 0;         // what a write to another GPU counts as when it arrives there
  std::uint32_t waits_for = kNoWait;  // announcement: that of this chunk's data must all have arrived
  bool operator==(const KernelStep&) const = default;
};

struct KernelPlan {
  std::uint32_t arrays = 1;
  std::uint32_t chunks = 0;                   // of an array
  std::vector<std::vector<KernelStep>> gpus;  // in order
};

// Ring: GPU r ends a reduce-scatter, and begins an all-gather, with chunk r - behind (1: as in Figure 7).
KernelPlan kernel_ring_reduce_scatter(std::uint32_t gpus, std::uint32_t behind = 1);
KernelPlan kernel_ring_all_gather(std::uint32_t gpus, std::uint32_t behind = 1);
// Two rings, each with half of the data: chunks 0 to n - 1 go to GPU r - 1 and end with (begin at) the owner
// of chunk r - 1; chunks n to 2n - 1 go to GPU r + 1 and end with the owner of chunk n + r + 1.
KernelPlan kernel_bidirectional_reduce_scatter(std::uint32_t gpus);
KernelPlan kernel_bidirectional_all_gather(std::uint32_t gpus);
// Direct: GPU r owns chunk r.
KernelPlan kernel_direct_reduce_scatter(std::uint32_t gpus);
KernelPlan kernel_direct_all_gather(std::uint32_t gpus);
// Of any chunks: chunk c is with GPU owners[c].
KernelPlan kernel_direct_all_gather(std::uint32_t gpus, const std::vector<std::uint32_t>& owners);
// Chunk c of GPU r goes to GPU c, into its receive_array() for r. The own chunk stays where it is.
KernelPlan kernel_all_to_all(std::uint32_t gpus);

}  // namespace t3sim
