// Time and traffic of a library's GEMM kernel: waves of tiles over the CUs, the K loop at the clock that the
// power allows, and blocks of the operands through the L2 in the order of the tiles.
#pragma once

#include "system/validation/measured/gemm_kernel.h"
#include "system/validation/measured/machine.h"

namespace t3sim {

struct GemmTraffic {
  double dram_read = 0;  // bytes
  double l2_read = 0;    // bytes that the L2's partitions served, to CUs and to each other
};

// All CUs of a wave go from K step to K step together; the L2 is empty at the start.
GemmTraffic gemm_traffic(const MeasuredMachine& machine, const LibraryGemm& kernel);

// What surrounds the kernel.
struct GemmSurroundings {
  double pause_s = 0;           // between two calls, with the matrix units idle
  std::uint32_t cus = 0;        // that the kernel may use; 0: all
  double transfer_power = 0;    // share of the power limit that transfers beside it take
  bool launched_alone = false;  // not in a row of launches that hide each other
};

struct GemmTiming {
  double seconds = 0;      // with the launch
  double clock_share = 1;  // of the boost clock
  double tile_s = 0;       // of one tile on a CU, all of it
  double k_loop_s = 0;     // of it, the K loop
  double waves = 0;
};

GemmTiming gemm_timing(const MeasuredMachine& machine, const LibraryGemm& kernel,
                       const GemmSurroundings& surroundings = {});

}  // namespace t3sim
