#include "validation/measured/simulated/transfer_runs.h"

#include <fmt/format.h>

#include <charconv>

#include "validation/measured/simulated/row_machine.h"

namespace t3sim {
namespace {

constexpr std::string_view kLimited = "ring_simple_ch";

ChannelPlan plan_of(ChannelOp op, std::uint32_t world, std::uint64_t bytes, const ChannelSettings& settings) {
  return op == ChannelOp::all_to_all ? all_to_all_channels(0, world, bytes, settings)
                                     : ring_channels(op, 0, world, bytes, settings);
}

}  // namespace

ChannelOp collective_op(const CollectiveRow& row) {
  return row.op == "all_gather"       ? ChannelOp::all_gather
         : row.op == "reduce_scatter" ? ChannelOp::reduce_scatter
         : row.op == "all_reduce"     ? ChannelOp::all_reduce
                                      : ChannelOp::all_to_all;
}

std::uint32_t collective_channels_of(const CollectiveRow& row) {
  std::uint32_t channels = 0;
  if (row.tag.starts_with(kLimited))
    std::from_chars(row.tag.data() + kLimited.size(), row.tag.data() + row.tag.size(), channels);
  return channels;
}

double collective_run_seconds(const MeasuredMachine& machine, ChannelOp op, std::uint32_t world,
                              std::uint64_t bytes, std::uint32_t channels, MachineRuns& runs) {
  const ChannelConfig& library = machine.config.execution.channel;
  ChannelSettings settings;
  settings.fifo_bytes = library.buffer_bytes;
  settings.channels = static_cast<std::uint32_t>(channels != 0                 ? channels
                                                 : op == ChannelOp::all_to_all ? library.p2p_channels
                                                                               : library.ring_channels);
  MachineRun run{row_machine(machine, world),
                 {},
                 fmt::format("channels {} {} {}", static_cast<int>(op), bytes, settings.channels)};
  run.phase.channels = std::make_shared<std::vector<ChannelPlan>>(
      1, plan_of(op, world, bytes, settings));  // mirror: GPU 0 alone
  run.config.gpu.kernel_launch_cycles = 0;
  return runs.get(run).seconds + static_cast<double>(library.launch_ps) * 1e-12;
}

}  // namespace t3sim
