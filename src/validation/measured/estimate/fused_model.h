// A GEMM whose epilogue stores every tile straight into the GPU that owns its rows.
//
// All GPUs are simulated, a tile at a time: a CU takes the next tile of its GPU's order, computes, and holds
// the tile until it is stored. A tile for another GPU passes the link out of its own GPU and the link into
// the owner, each one tile after the other. So where all GPUs go through the rows in the same order, all but
// one wait at the link into the same owner.
#pragma once

#include "validation/measured/gemm_kernel.h"
#include "validation/measured/machine.h"

namespace t3sim {

enum class TileOrder : std::uint8_t {
  naive,    // the same on all GPUs
  shifted,  // begins, on each GPU, at the rows that the GPU itself owns
};

// From the first workgroup's start to the last tile's arrival, on the slowest GPU. No launch, no barrier.
double fused_store_seconds(const MeasuredMachine& machine, const LibraryGemm& kernel, std::uint32_t gpus,
                           TileOrder order);

}  // namespace t3sim
