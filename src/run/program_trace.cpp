#include "run/program_trace.h"

#include <fmt/format.h>

#include "base/number.h"
#include "run/program_report.h"

namespace t3sim {
namespace {

TraceTracks tracks_of(const program::GpuCommands& gpu, const std::vector<CommandTimes>& times,
                      TrackCollector collector, const TimeBase& time) {
  for (std::size_t c = 0; c < times.size(); ++c) {
    const program::Command& command = gpu.commands[c];
    const std::uint32_t number =
        host_carries_out(command.action) ? 0 : command.stream + 1;  // the host comes first
    collector.slice(collector.track(TraceGrain::stages, stream_of(gpu, command), number), command.name,
                    times[c].begun, times[c].done, time.to_us(times[c].issued));
  }
  return collector.take();
}

}  // namespace

PerfettoTrace program_trace(const program::Program& program, const ProgramResult& result,
                            const TraceOptions& options, const TimeBase& time) {
  std::vector<TraceProcess> processes;
  std::set<std::string> known;
  for (std::size_t g = 0; g < result.gpus.size(); ++g)
    processes.push_back({fmt::format("GPU {}", g),
                         tracks_of(program.gpus[g], result.gpus[g].times, {options, time, known}, time)});
  return encode_trace(processes, options, known);
}

}  // namespace t3sim
