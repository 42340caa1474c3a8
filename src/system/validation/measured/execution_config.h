// What a real GPU's software and power supply add to the machine: launches, the collective library's
// channels, the copy engines, the clock under load (section `execution` of a configuration).
//
// One set of values describes one machine; none may depend on the row that is predicted. Where each comes
// from is said in the configuration files: data sheet, documents, microbenchmark, or calibrated and on which
// rows.
#pragma once

#include <cstdint>

#include "sim/config/config.h"

namespace t3sim {

// A channel of a ring collective or of send/receive is one thread block, so one CU moves its data.
struct ChannelConfig {
  std::uint64_t ring_channels = 24;           // of a collective that is not limited to fewer
  std::uint64_t p2p_channels = 32;            // of all-to-all, shared by its peers
  std::uint64_t buffer_bytes = 4 << 20;       // FIFO between two GPUs, a channel
  std::uint64_t bytes_in_flight = 32 << 10;   // that a block's loads have outstanding
  double load_bytes_per_cycle = 170;          // a CU's load path
  double store_bytes_per_cycle = 32;          // a CU's store path, local and remote
  std::uint64_t slice_sync_ps = 1'000'000;    // of a slice: barrier, fence, flag
  std::uint64_t flag_latency_ps = 1'000'000;  // until the neighbour sees a flag
  std::uint64_t launch_ps = 14'000'000;       // of a collective, until its first load
  std::uint64_t copy_engine_packet = 256;     // payload of a copy engine's packet
  std::uint64_t copy_engine_launch_ps = 6'000'000;
};

// How GEMM kernels of the libraries run on the matrix units.
struct GemmExecutionConfig {
  std::uint64_t launch_ps = 5'000'000;  // of a kernel, as events before and after it see
  std::uint64_t tile_overhead_ps =
      1'500'000;                     // prologue and epilogue of a tile that its K loop does not hide
  double tile_bytes_per_cycle = 64;  // at which a CU's finished tile leaves
  double matrix_efficiency = 0.9;    // of the K loop, data at hand
};

// The clock is lowered until the power fits: a share of the matrix units' peak rate costs matrix_power of
// power_limit, everything else idle_power.
struct PowerConfig {
  double idle_share = 0.3;    // of the limit, when a kernel runs but no matrix unit does
  double matrix_share = 1.1;  // of the limit, more, when all matrix units run at the boost clock
};

struct ExecutionConfig {
  ChannelConfig channel;
  GemmExecutionConfig gemm;
  PowerConfig power;
};

void describe(config::Visitor& v, ExecutionConfig& c);

}  // namespace t3sim
