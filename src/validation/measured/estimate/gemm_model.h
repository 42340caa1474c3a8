// Time and traffic of a library's GEMM kernel: waves of tiles over the CUs, the K loop at the clock that the
// power allows, and blocks of the operands through the L2 in the order of the tiles.
#pragma once

#include "validation/measured/gemm_kernel.h"
#include "validation/measured/machine.h"
#include "validation/measured/rows.h"

namespace t3sim {

struct GemmTraffic {
  double dram_read = 0;  // bytes
  double l2_read = 0;    // bytes that the L2's partitions served, to CUs and to each other
};

// All CUs of a wave go from K step to K step together; the L2 is empty at the start.
GemmTraffic gemm_traffic(const MeasuredMachine& machine, const LibraryGemm& kernel);

// How a kernel is called over and over.
struct CallSeries {
  double pause_s = 0;            // between two calls, with the matrix units idle
  std::uint32_t since_rest = 0;  // calls from a rest to the end of the reading; 0: on and on
};

// Of a row's readings. A rest that is shorter than the power limit's window is none: what ran before still counts.
CallSeries series_of(const MeasuredMachine& machine, const GemmTimeRow& row, bool cold);
CallSeries series_of(const MeasuredMachine& machine, const TimelineCaseRow& row);
// The power limit has not acted yet when the series of calls of `seconds` ends.
bool at_boost(const MeasuredMachine& machine, const CallSeries& series, double seconds);

// What surrounds the kernel.
struct GemmSurroundings {
  CallSeries series;
  std::uint32_t held_cus = 0;   // that another kernel holds when this one starts
  double held_s = 0;            // for so long
  double link_Bps = 0;          // bytes a second that transfers beside it move, each way
  double clock_share = 0;       // of the boost clock; 0: what the power limit allows
  bool launched_alone = false;  // not in a row of launches that hide each other
};

struct GemmTiming {
  double seconds = 0;      // with the launch
  double clock_share = 1;  // of the boost clock
  double tile_s = 0;       // of one tile on a CU, all of it
  double k_loop_s = 0;     // of it, the K loop
  double waves = 0;        // with all CUs
};

// The clock, in shares of boost, at which `busy` of all matrix units' work at boost and transfers of
// `link_Bps` take no more power than allowed.
double clock_at(const MeasuredMachine& machine, double busy, double link_Bps);

// Share of the work of all matrix units at boost, if the kernel takes `seconds`.
double matrix_busy(const MeasuredMachine& machine, const LibraryGemm& kernel, double seconds);

GemmTiming gemm_timing(const MeasuredMachine& machine, const LibraryGemm& kernel,
                       const GemmSurroundings& surroundings = {});

}  // namespace t3sim
