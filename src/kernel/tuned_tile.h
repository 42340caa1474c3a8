// The tile of a library that is tuned for each shape and whose kernels have no names here (hipBLASLt): the one, with its split of
// K, that an estimate gives the fewest cycles. Nothing measured enters it.
#pragma once

#include <cstdint>

#include "kernel/gemm.h"

namespace t3sim {

// Of a CU.
struct TileRates {
  std::uint32_t cus = 1;
  double flops_per_cycle = 0;
  double load_bytes_per_cycle = 0;  // from the L2 when all CUs load
  double launch_cycles = 0;         // of the kernel that adds up the parts of a split K
  std::uint64_t lds_bytes = 0;      // two K steps of a tile have to fit
};

struct TunedTile {
  TileShape tile;
  std::uint32_t split_k = 1;

  bool operator==(const TunedTile&) const = default;
};

// Whole waves of tiles, each as long as its products or its loads, or somewhat longer where both take as long, and its store; of those
// alike the largest tile, and the fewest parts of K.
TunedTile tuned_tile(const GemmShape& shape, DataType type, const TileRates& rates);

}  // namespace t3sim
