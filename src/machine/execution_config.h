// What a real GPU's software and power supply add to the machine: launches, the collective library's
// channels, the clock under load (section `execution` of a configuration); and what only estimates read (`estimate`).
//
// One set of values describes one machine; none may depend on the row that is predicted. Where each comes
// from is said in the configuration files: data sheet, documents, microbenchmark, or calibrated and on which
// rows.
#pragma once

#include <cstdint>
#include <optional>

#include "config/config.h"

namespace t3sim {

// A channel of a ring collective or of send/receive is one thread block, so one CU moves its data.
struct ChannelConfig {
  std::uint64_t ring_channels = 24;                    // of a collective that is not limited to fewer
  std::uint64_t p2p_channels = 32;                     // of all-to-all, shared by its peers
  std::uint64_t buffer_bytes = 4 << 20;                // FIFO between two GPUs, a channel
  std::uint64_t slice_sync_ps = 1'000'000;             // of a slice: barrier, fence, flag
  std::uint64_t flag_latency_ps = 1'000'000;           // until the neighbour sees a flag
  std::uint64_t launch_ps = 14'000'000;                // of a collective, until its first load
  std::optional<std::uint64_t> low_latency_launch_ps;  // of one by LL; none: as a kernel's
  std::uint64_t barrier_ps = 5'000'000;                // of all GPUs, over symmetric memory
};

// How GEMM kernels of libraries run.
struct GemmExecutionConfig {
  std::uint64_t launch_ps = 3'000'000;         // of a kernel, as events before and after it see
  std::uint64_t tile_fill_ps = 1'200'000;      // from a tile's first load to its first matrix operation
  std::uint64_t workgroup_start_ps = 270'000;  // from a workgroup's end to the next one's start on its CU
  double tile_bytes_per_cycle = 25;            // at which a CU stores a finished tile
  double matrix_efficiency = 0.8;              // of the K loop of the vendor's kernels, data at hand
  double compiled_efficiency = 0.96;           // of Triton's, tiles of up to 128x128 by four wavefronts,
  double compiled_pair_efficiency =
      0.87;  // and larger ones by two groups of four, up to three K steps in flight
  std::uint64_t compiled_launch_ps = 16'000'000;  // of a Triton kernel that is launched alone, not in a row
  std::uint64_t library_launch_ps = 12'000'000;   // of a call of the vendor's library, all that is not tiles
  double library_tile_bytes_per_cycle = 44;       // at which its kernels store a finished tile
  double local_sum_share =
      0.53;                  // of the memory's peak that a library's sum of a few arrays reaches, by estimate
  double dram_share = 0.93;  // of the memory's peak that streams reach
};

// The clock is lowered until the power fits the limit: what runs without matrix units takes idle_share of it,
// all matrix units busy at the boost clock matrix_share more, with the square of the clock (voltage follows
// it).
struct PowerConfig {
  double idle_share = 0.3;
  double matrix_share = 1.1;
  double zeros_share = 1;                    // of that, where A is all zeros
  double transfer_share = 0.1;               // links busy, by copy engines or CUs
  std::uint64_t window_ps = 50'000'000'000;  // after a rest, until the limit acts
};

struct ExecutionConfig {
  ChannelConfig channel;
  GemmExecutionConfig gemm;
  PowerConfig power;
};

// What stands, in the analytic estimates of measured rows (src/validation/measured, --estimate), for what the machine
// simulates. No run reads it.
struct EstimateConfig {
  std::uint64_t channel_window = 32 << 10;  // that a channel's loads have outstanding
  double channel_load = 128;                // bytes a cycle that a channel loads
  double channel_store = 32;                // bytes a cycle that a channel stores, local and remote
  double tile_link_share = 0.9;       // of the links, that tiles stored by GPUs which do not keep step reach
  double busy_latency = 4;            // of a load while a GEMM keeps the L2 busy, in loads of an idle machine
  std::uint64_t l2_bytes = 50 << 20;  // as the driver reports it
  std::uint64_t raster_band = 1024;   // elements of C: width of the bands in which tiles are ordered
  double merged_per_miss = 1;         // requests that wait for a block on its way instead of reading it
};

void describe(config::Visitor& v, ExecutionConfig& c);
void describe(config::Visitor& v, EstimateConfig& c);

}  // namespace t3sim
