#include "results/timeline/trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace t3sim {
namespace {

class GpuTracks : public TrackCollector {
 public:
  using TrackCollector::TrackCollector;
  void add(const GpuTimeline& gpu, Tick start);

 private:
  void add_kernel(const GpuTimeline& gpu, Tick start);
  void add_tracker(const GpuTimeline& gpu, Tick start);
  void add_transfers(const GpuTimeline& gpu, Tick start);
  void add_counters(const GpuTimeline& gpu, Tick start);
};

void GpuTracks::add_kernel(const GpuTimeline& gpu, Tick start) {
  if (gpu.group_track.empty()) return;
  slice(track(TraceGrain::stages, "kernel"), "kernel", start + gpu.kernel_start, start + gpu.kernel_end);
  TraceTrack* groups = track(TraceGrain::stages, gpu.group_track);
  for (const TimelineSlice& s : gpu.groups) slice(groups, s.name, start + s.start, start + s.end);
  for (std::size_t w = 0; w < gpu.workgroups.size(); ++w) {
    const WorkgroupTimes& times = gpu.workgroups[w];
    TraceTrack* place = track(TraceGrain::workgroups, fmt::format("cu {} place {}", times.cu, times.slot),
                              times.cu * 256U + times.slot);
    slice(place, fmt::format("workgroup {}", w), start + times.dispatched, start + times.retired);
  }
}

void GpuTracks::add_tracker(const GpuTimeline& gpu, Tick start) {
  if (gpu.triggers.empty()) return;
  TraceTrack* chunks = track(TraceGrain::stages, "tracker");
  for (const TimelineSlice& s : triggers_by_chunk(gpu)) slice(chunks, s.name, start + s.start, start + s.end);
  TraceTrack* triggers = track(TraceGrain::triggers, "tracker triggers");
  if (!triggers) return;
  for (const Trigger& t : gpu.triggers)
    if (const std::uint64_t at = ns(start + t.at); in_window(at))
      triggers->instants.push_back({at, 0, gpu.chunk_names[gpu.chunk_of[t.tile]]});
}

void GpuTracks::add_transfers(const GpuTimeline& gpu, Tick start) {
  for (const DmaTransfer& t : gpu.transfers) {
    TraceTrack* engine = track(TraceGrain::transfers, fmt::format("dma engine {}", t.engine), t.engine);
    slice(engine, gpu.chunk_names[gpu.chunk_of[t.tile]] + to_gpu(gpu, t.gpu), start + t.start, start + t.end);
  }
  for (const GpuTimeline::Link& link : gpu.links) {
    TraceTrack* way = track(TraceGrain::links, link.track(), link.to);
    for (const BusyIntervals::Interval& busy : link.busy)
      slice(way, fmt::format("{} bytes", busy.amount), start + busy.start, start + busy.end);
  }
}

void GpuTracks::add_counters(const GpuTimeline& gpu, Tick start) {
  for (const GpuTimeline::Counter& c : gpu.counters) {
    const bool channel = c.component.starts_with("channel");
    TraceTrack* counter = track(channel ? TraceGrain::channels : TraceGrain::counters,
                                c.component + " " + c.name, c.number, c.unit);
    if (!counter) continue;
    for (std::size_t i = 0; i < c.values.size() && i * c.interval < gpu.end; ++i)
      if (const std::uint64_t at = ns(start + i * c.interval); in_window(at))
        counter->counters.push_back({at, c.values[i], ""});
    const std::uint64_t end = ns(start + std::min(c.values.size() * c.interval, gpu.end));
    if (in_window(end)) counter->counters.push_back({end, 0, ""});
  }
}

void GpuTracks::add(const GpuTimeline& gpu, Tick start) {
  add_kernel(gpu, start);
  add_tracker(gpu, start);
  add_transfers(gpu, start);
  add_counters(gpu, start);
}

}  // namespace

PerfettoTrace perfetto_trace(const std::vector<TraceScheme>& schemes, const TraceOptions& options,
                             const TimeBase& time) {
  std::vector<TraceProcess> processes;
  std::set<std::string> known;
  for (const TraceScheme& scheme : schemes)
    for (std::size_t g = 0; g < scheme.phases.front().gpus->size(); ++g) {
      GpuTracks tracks(options, time, known);
      for (const TracePhase& phase : scheme.phases) tracks.add((*phase.gpus)[g], phase.start);
      processes.push_back({fmt::format("{}: GPU {}", scheme.name, g), tracks.take()});
    }
  return encode_trace(processes, options, known);
}

}  // namespace t3sim
