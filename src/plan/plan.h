// The output address space configuration (section 4.4, Figures 11 and 12): a collective, written as data.
//
// A collective works on `arrays` arrays of the output's shape on every GPU: array 0 is the output itself,
// array a > 0 receives what GPU (rank + a) modulo gpus sends, where data must not be added up (all-to-all).
// Each array is cut into the same chunks (chunk_map.h). Every GPU has a ChunkPlan for each chunk of each
// array: who writes it, when it is complete, and where it goes then. Tracker, DMA table, store routing,
// checks and --explain are all made from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/number.h"
#include "sim/request.h"

namespace t3sim {

// Where stores (remote_map) or a DMA command (dma_map) put a chunk: the same chunk of an array of GPU `gpu`.
struct Transfer {
  std::uint16_t gpu = 0;
  std::uint8_t array = 0;
  Op op = Op::update;  // update or write
  bool operator==(const Transfer&) const = default;
};

// What becomes of one chunk of one array on one GPU: a line of Figure 12.
struct ChunkPlan {
  enum class Producer : std::uint8_t {
    none,    // no kernel produces it in this phase
    local,   // its stores go to local memory
    remote,  // remote_map: its stores go straight to `remote`
  };
  Producer producer = Producer::none;
  Op op = Op::update;    // of local stores: update or write
  Transfer remote;       // of remote stores
  bool present = false;  // its data is in memory before the phase: complete at the start
  std::uint16_t stores_in =
      0;  // GPUs whose remote stores come here: each once an element, or once a part of split-K
  std::uint16_t dma_in = 0;   // DMA transfers that come here: each once an element
  std::vector<Transfer> dma;  // dma_map: forwarded once complete

  // Updates an element gets before the chunk is complete here; the Tracker's threshold a wavefront tile is
  // this times its size (4.2.1; split-K: 7.7).
  std::uint32_t updates(std::uint32_t split_k) const {
    return (std::uint32_t{producer == Producer::local} + stores_in) * split_k + dma_in;
  }
  bool operator==(const ChunkPlan&) const = default;
};

struct GpuPlan {
  std::vector<ChunkPlan> chunks;  // array * number of chunks + chunk
  std::vector<std::uint32_t>
      order;  // the chunks of array 0 that this GPU's kernel produces, as it does (staggered)
  bool operator==(const GpuPlan&) const = default;
};

// What a collective leaves behind; `custom` promises nothing.
enum class CollectiveKind : std::uint8_t { reduce_scatter, all_gather, all_to_all, custom };

// A collective over all GPUs.
struct CollectivePlan {
  std::string name;
  CollectiveKind kind = CollectiveKind::custom;
  std::uint32_t chunks = 0;  // of an array
  std::uint32_t arrays = 1;
  std::vector<GpuPlan> gpus;
  std::uint32_t tiles_per_block = 0;  // wavefront tiles a DMA block; 0: as dma.tiles_per_block says

  const ChunkPlan& at(std::uint32_t gpu, std::uint32_t array, std::uint32_t chunk) const {
    return gpus[gpu].chunks[array * chunks + chunk];
  }
  ChunkPlan& at(std::uint32_t gpu, std::uint32_t array, std::uint32_t chunk) {
    return gpus[gpu].chunks[array * chunks + chunk];
  }
  bool operator==(const CollectivePlan&) const = default;
};

// Fills in stores_in and dma_in of every chunk from the producers and transfers of all GPUs.
void count_arrivals(CollectivePlan& plan);
// Updates that an element of a chunk gets in a GPU's memory; stores, which overwrite, not counted.
struct MemoryUpdates {
  std::uint32_t own = 0;       // of the GPU's own kernel
  std::uint32_t arriving = 0;  // over links
};
// Of all chunks of all arrays of a GPU, as GpuPlan::chunks. With split-K all stores of a kernel are updates.
std::vector<MemoryUpdates> memory_updates(const CollectivePlan& plan, std::uint32_t gpu,
                                          std::uint32_t split_k);
// For a kernel with split-K, which stores every element once a part: its stores become updates, so that the
// parts add up. (Memory that gets one store and no update is zero before; see plan_check.h.)
void add_up_parts(CollectivePlan& plan);
// Is what GPU r does with chunk c what GPU 0 does with chunk c - r? Only then can one GPU stand for all
// (mirror).
bool rotation_invariant(const CollectivePlan& plan);

// Ring: GPU r sends to its neighbour r - 1, as in Figure 7.
inline std::uint16_t ring_next(std::uint32_t gpus, std::uint32_t gpu) {
  return narrow<std::uint16_t>((gpu + gpus - 1) % gpus);
}

// The array in which GPU `to` keeps apart what GPU `from` sends: the same for all pairs at the same distance.
inline std::uint8_t receive_array(std::uint32_t gpus, std::uint32_t from, std::uint32_t to) {
  return narrow<std::uint8_t>((from + gpus - to) % gpus);
}

// GEMM fused with ring reduce-scatter (Figure 7): GPU r produces chunks r, r + 1, ...; the first goes
// straight to the neighbour, the last stays. From the library (plan_library.h), as all collectives.
CollectivePlan fused_ring_reduce_scatter(std::uint32_t gpus);
// Ring reduce-scatter of data that is already in memory, driven by DMA, reduced near memory (Ideal-RS+NMC).
CollectivePlan dma_ring_reduce_scatter(std::uint32_t gpus);

// The plan as --explain prints it: what each GPU does step by step (as Figure 7), then the address space
// configuration (as Figure 12). Beyond 8 GPUs only the first ones are shown, or GPU 0 alone if the others do
// the same. Needs a plan that check_plan() accepts.
std::string describe(const CollectivePlan& plan);
// The address space configuration of one GPU.
std::string describe_gpu(const CollectivePlan& plan, std::uint32_t gpu);

}  // namespace t3sim
