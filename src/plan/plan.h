// The output address space configuration (section 4.4, Figures 11 and 12): a collective, written as data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memctrl/request.h"

namespace t3sim {

// What becomes of one chunk on one GPU: a line of Figure 12.
struct ChunkPlan {
  enum class Producer : std::uint8_t {
    none,    // no kernel produces it in this phase
    local,   // its stores update local memory
    remote,  // remote_map: its stores go straight to `destination`
  };
  Producer producer = Producer::none;
  std::uint16_t destination = 0;   // GPU that remote stores and DMA go to
  std::uint8_t local_updates = 0;  // an element, before the chunk is complete here
  std::uint8_t remote_updates = 0;
  bool dma = false;             // dma_map: forwarded once complete
  bool ready_at_start = false;  // its DMA commands come from a stream, not from the Tracker
  Op op = Op::update;           // of local stores, remote stores and DMA: update or store
  std::uint8_t updates() const { return static_cast<std::uint8_t>(local_updates + remote_updates); }
};

// By chunk. `order` lists the chunks as the GPU produces them (staggered, section 4.4).
struct GpuPlan {
  std::vector<ChunkPlan> chunks;
  std::vector<std::uint32_t> order;
};

// One step of a collective that runs on CUs (Figure 3): read one or two copies of a chunk, add, write.
struct KernelStep {
  enum class Destination : std::uint8_t { neighbour_received, neighbour_output, own_output };
  std::uint32_t chunk = 0;
  bool add_received = false;  // reads the copy received from the other neighbour too, and adds
  Destination destination = Destination::neighbour_received;
  bool waits = false;  // for the tiles that arrive with step - 1
};

// Ring: GPU r sends to its neighbour r - 1, as in Figure 7.
inline std::uint16_t ring_next(std::uint32_t gpus, std::uint32_t gpu) {
  return static_cast<std::uint16_t>((gpu + gpus - 1) % gpus);
}

// A collective over `gpus` GPUs, as GPU `gpu` sees it.
using PlanFunction = GpuPlan (*)(std::uint32_t gpus, std::uint32_t gpu);

// GEMM fused with ring reduce-scatter (Figure 7): GPU r produces chunks r, r + 1, ...; the first goes
// straight to the neighbour, the last stays.
GpuPlan fused_ring_reduce_scatter(std::uint32_t gpus, std::uint32_t gpu);
// Ring reduce-scatter of data that is already in memory, driven by DMA, reduced near memory (Ideal-RS+NMC).
GpuPlan dma_ring_reduce_scatter(std::uint32_t gpus, std::uint32_t gpu);
// The baseline's kernels (Figures 3 and 10a). After a reduce-scatter GPU r owns chunk r - 1.
std::vector<KernelStep> kernel_ring_reduce_scatter(std::uint32_t gpus, std::uint32_t gpu);
std::vector<KernelStep> kernel_ring_all_gather(std::uint32_t gpus, std::uint32_t gpu);

// The plan as text, chunk by chunk in the order of production: what --explain prints.
std::string describe(const GpuPlan& plan, std::uint32_t gpu);

}  // namespace t3sim
