#include "runtime/collective_settings.h"

#include <algorithm>
#include <numeric>

#include "base/number.h"
#include "machine/config.h"
#include "program/views.h"

namespace t3sim {

using program::Collective;
using Kind = program::CollectiveKind;

// A library takes what links it finds: on a mesh, a ring for each way around that meets every GPU, the same seen from all. On
// eight GPUs these are four of seven links (RCCL's lists of rings have all seven).
static std::vector<std::uint32_t> ring_strides(const Config& config) {
  if (config.topology.kind != TopologyKind::fully_connected) return {1};
  std::vector<std::uint32_t> strides{1};
  for (std::uint32_t stride = 2; stride < config.gpus.count; ++stride)
    if (std::gcd(stride, config.gpus.count) == 1) strides.push_back(stride);
  return strides;
}

ChannelOp channel_op(Kind kind) {
  return kind == Kind::all_gather       ? ChannelOp::all_gather
         : kind == Kind::reduce_scatter ? ChannelOp::reduce_scatter
         : kind == Kind::all_reduce     ? ChannelOp::all_reduce
                                        : ChannelOp::all_to_all;
}

std::uint32_t channels_of(const Config& config, const Collective& collective) {
  const ChannelConfig& library = config.execution.channel;
  const std::uint64_t usual =
      collective.kind == Kind::all_to_all ? library.p2p_channels : library.ring_channels;
  const std::uint64_t channels = collective.channels != 0 ? collective.channels : usual;
  return narrow<std::uint32_t>(std::min(channels, config.gpu.cus));
}

ChannelSettings channel_settings(const Config& config, const Collective& collective) {
  constexpr std::uint64_t kLowLatencyFifo = 8ULL * 512 * 8 * 8;  // payload of eight steps
  ChannelSettings settings;
  settings.fifo_bytes = collective.low_latency ? kLowLatencyFifo : config.execution.channel.buffer_bytes;
  settings.channels = channels_of(config, collective);
  settings.first_loops = collective.first_loops;
  settings.strides = ring_strides(config);
  return settings;
}

std::uint64_t array_bytes(const program::Program& program, const Collective& collective) {
  return std::max(bytes_of(program, collective.in), bytes_of(program, collective.out));
}

std::uint64_t loops_of(const Config& config, const program::Program& program, const Collective& collective) {
  return loops_of(channel_op(collective.kind), program.gpu_count, array_bytes(program, collective),
                  channel_settings(config, collective));
}

}  // namespace t3sim
