#include "system/validation/measured/execution_config.h"

namespace t3sim {

using config::Visitor;

static void describe(Visitor& v, ChannelConfig& c) {
  v.count("ring_channels", c.ring_channels, {1, 1024}, "thread blocks of a ring collective");
  v.count("p2p_channels", c.p2p_channels, {1, 1024}, "thread blocks of an all-to-all");
  v.size("buffer", c.buffer_bytes, {4096, 1ULL << 32}, "FIFO between two GPUs, a channel");
  v.size("bytes_in_flight", c.bytes_in_flight, {32, 1 << 24}, "that a block's loads have outstanding");
  v.real("store_bytes_per_cycle", c.store_bytes_per_cycle, {0.1, 1e6}, "store path of a block's CU");
  v.time("slice_sync", c.slice_sync_ps, {0, config::kMs}, "of a slice: barrier, fence and flag");
  v.time("flag_latency", c.flag_latency_ps, {0, config::kMs}, "until the neighbour sees a flag");
  v.time("launch", c.launch_ps, {0, config::kMs}, "of a collective, before its first load");
  v.size("copy_packet", c.copy_engine_packet, {32, 1 << 20}, "payload of a copy engine's packet");
  v.time("copy_launch", c.copy_engine_launch_ps, {0, config::kMs}, "of a copy");
}

static void describe(Visitor& v, GemmExecutionConfig& c) {
  v.time("launch", c.launch_ps, {0, config::kMs}, "of a kernel, as events around it see it");
  v.time("tile_overhead", c.tile_overhead_ps, {0, config::kMs},
         "of a tile: the start and the end that its K loop does not hide");
  v.real("tile_bytes_per_cycle", c.tile_bytes_per_cycle, {0.1, 1e6}, "at which a CU stores a finished tile");
  v.real("matrix_efficiency", c.matrix_efficiency, {0.01, 1}, "of a K loop whose data is at hand");
}

static void describe(Visitor& v, PowerConfig& c) {
  v.real("idle_share", c.idle_share, {0, 1},
         "of the power limit, of a kernel that leaves the matrix units idle");
  v.real("matrix_share", c.matrix_share, {0, 10}, "of the power limit, that all matrix units at boost add");
}

void describe(Visitor& v, ExecutionConfig& c) {
  v.section("channel", c.channel, "thread blocks that move data for collectives; copy engines");
  v.section("gemm", c.gemm, "GEMM kernels of libraries");
  v.section("power", c.power, "the clock under load");
}

}  // namespace t3sim
