#include "machine/execution_config.h"

namespace t3sim {

using config::Visitor;

static void describe(Visitor& v, ChannelConfig& c) {
  v.count("ring_channels", c.ring_channels, {1, 1024}, "thread blocks of a ring collective");
  v.count("p2p_channels", c.p2p_channels, {1, 1024}, "thread blocks of an all-to-all");
  v.size("buffer", c.buffer_bytes, {4096, 1ULL << 32}, "FIFO between two GPUs, a channel");
  v.time("slice_sync", c.slice_sync_ps, {0, config::kMs}, "of a slice: barrier, fence and flag");
  v.time("flag_latency", c.flag_latency_ps, {0, config::kMs}, "until the neighbour sees a flag");
  v.time("launch", c.launch_ps, {0, config::kMs}, "of a collective, before its first load");
  v.time("low_latency_launch", c.low_latency_launch_ps, {0, config::kMs},
         "of a collective by LL; unless said, it is launched like a kernel");
  v.time("barrier", c.barrier_ps, {0, config::kMs}, "of all GPUs, over symmetric memory");
}

static void describe(Visitor& v, GemmExecutionConfig& c) {
  v.time("launch", c.launch_ps, {0, config::kMs}, "of a kernel, as events around it see it");
  v.time("tile_fill", c.tile_fill_ps, {0, config::kMs},
         "from a tile's first load to its first matrix operation");
  v.time("workgroup_start", c.workgroup_start_ps, {0, config::kMs},
         "from a workgroup's end to the next one's start");
  v.real("tile_bytes_per_cycle", c.tile_bytes_per_cycle, {0.1, 1e6}, "at which a CU stores a finished tile");
  v.real("matrix_efficiency", c.matrix_efficiency, {0.01, 1},
         "of a K loop of the vendor's library, data at hand");
  v.real("compiled_efficiency", c.compiled_efficiency, {0.01, 1},
         "of a K loop of a Triton kernel, tiles of up to 128x128");
  v.real(
      "compiled_pair_efficiency", c.compiled_pair_efficiency, {0.01, 1},
      "the same of larger tiles, which two groups of wavefronts share, with up to three K steps in flight");
  v.time("compiled_launch", c.compiled_launch_ps, {0, config::kMs}, "of a Triton kernel launched alone");
  v.time("library_launch", c.library_launch_ps, {0, config::kMs},
         "of a call of the vendor's library: all that is not tiles");
  v.real("library_tile_bytes_per_cycle", c.library_tile_bytes_per_cycle, {0.1, 1e6},
         "at which a CU stores a finished tile of the vendor's library");
  v.real("local_sum_share", c.local_sum_share, {0.01, 1},
         "of the memory's peak that a sum of arrays reaches");
  v.real("dram_share", c.dram_share, {0.01, 1}, "of the memory's peak that streams reach");
}

static void describe(Visitor& v, PowerConfig& c) {
  v.real("idle_share", c.idle_share, {0, 1},
         "of the power limit, of a kernel that leaves the matrix units idle");
  v.real("transfer_share", c.transfer_share, {0, 1}, "of the power limit, that busy links add");
  v.real("matrix_share", c.matrix_share, {0, 10}, "of the power limit, that all matrix units at boost add");
  v.time("window", c.window_ps, {0, 1000 * config::kMs}, "of work after a rest, until the limit acts");
  v.real("zeros_share", c.zeros_share, {0, 1}, "of that, where A is all zeros");
}

void describe(Visitor& v, ExecutionConfig& c) {
  v.section("channel", c.channel, "thread blocks that move data for collectives");
  v.section("gemm", c.gemm, "GEMM kernels of libraries");
  v.section("power", c.power, "the clock under load");
}

void describe(Visitor& v, EstimateConfig& c) {
  v.size("channel_window", c.channel_window, {32, 1 << 24}, "that a channel's loads have outstanding");
  v.real("channel_load", c.channel_load, {0.1, 1e6}, "bytes a cycle that a channel loads");
  v.real("channel_store", c.channel_store, {0.1, 1e6}, "bytes a cycle that a channel stores");
  v.real("tile_link_share", c.tile_link_share, {0.01, 1}, "of the links, that stores of tiles reach");
  v.real("busy_latency", c.busy_latency, {1, 100},
         "of a load while a GEMM runs, in loads of an idle machine");
  v.size("l2", c.l2_bytes, {1 << 20, 1ULL << 40}, "L2 as the driver reports it, both partitions");
  v.count("raster_band", c.raster_band, {1, 1 << 24}, "elements of C across a band of tiles");
  v.real("merged_per_miss", c.merged_per_miss, {0, 100},
         "reads of a block that wait for it while it is on its way");
}

}  // namespace t3sim
