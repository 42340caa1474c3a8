#include "runtime/collective_settings.h"

#include <algorithm>

#include "base/number.h"
#include "machine/config.h"
#include "program/views.h"

namespace t3sim {

using program::Collective;
using Kind = program::CollectiveKind;

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
