#include "results/timeline/trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/number.h"
#include "results/timeline/perfetto.h"

namespace t3sim {
namespace {

struct Slice {
  std::string name;
  std::uint64_t start, end;  // ns
};
struct Point {
  std::uint64_t at;  // ns
  double value;      // of counters
  std::string name;  // of instants
};

// What one track of a GPU shows, over all phases of a scheme.
struct Track {
  std::string unit;  // of a counter
  std::vector<Slice> slices;
  std::vector<Point> instants, counters;
};

// From coarse to fine.
enum class Grain : std::uint8_t { stages, links, counters, channels, workgroups, transfers, triggers };

struct TrackName {
  Grain grain;
  std::uint32_t number;  // e.g. of a CU: 10 comes after 9
  std::string name;
  auto operator<=>(const TrackName&) const = default;
};

using Tracks = std::map<TrackName, Track>;

// Collects a GPU's tracks, cut to the window.
class Collector {
 public:
  Collector(const TraceOptions& options, const TimeBase& time, std::set<std::string>& known)
      : options_(options), time_(time), known_(known) {}

  void add(const GpuTimeline& gpu, Tick start);
  Tracks take() { return std::move(tracks_); }

 private:
  // Null if it is not asked for.
  Track* track(Grain grain, const std::string& name, std::uint32_t number = 0, const std::string& unit = "");
  void slice(Track* track, const std::string& name, Tick start, Tick end) const;
  bool in_window(std::uint64_t ns) const {
    return ns >= options_.from_ps / 1000 && ns <= options_.to_ps / 1000;
  }
  std::uint64_t ns(Tick at) const;
  void add_kernel(const GpuTimeline& gpu, Tick start);
  void add_tracker(const GpuTimeline& gpu, Tick start);
  void add_transfers(const GpuTimeline& gpu, Tick start);
  void add_counters(const GpuTimeline& gpu, Tick start);

  const TraceOptions& options_;
  const TimeBase& time_;
  std::set<std::string>& known_;
  Tracks tracks_;
};

// Rounded down, so that what ends with one tick and begins with it still does.
std::uint64_t Collector::ns(Tick at) const { return static_cast<std::uint64_t>(time_.to_ns(at) + 1e-6); }

Track* Collector::track(Grain grain, const std::string& name, std::uint32_t number, const std::string& unit) {
  known_.insert(name);
  const auto fits = [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  };
  if (!options_.tracks.empty() && std::ranges::none_of(options_.tracks, fits)) return nullptr;
  Track& track = tracks_[{grain, number, name}];
  track.unit = unit;
  return &track;
}

void Collector::slice(Track* track, const std::string& name, Tick start, Tick end) const {
  if (!track) return;
  const std::uint64_t from = std::max(ns(start), options_.from_ps / 1000);
  const std::uint64_t to = std::min(ns(end), options_.to_ps / 1000);
  if (from <= to) track->slices.push_back({name, from, to});
}

void Collector::add_kernel(const GpuTimeline& gpu, Tick start) {
  if (gpu.group_track.empty()) return;
  slice(track(Grain::stages, "kernel"), "kernel", start + gpu.kernel_start, start + gpu.kernel_end);
  Track* groups = track(Grain::stages, gpu.group_track);
  for (const TimelineSlice& s : gpu.groups) slice(groups, s.name, start + s.start, start + s.end);
  for (std::size_t w = 0; w < gpu.workgroups.size(); ++w) {
    const WorkgroupTimes& times = gpu.workgroups[w];
    Track* place = track(Grain::workgroups, fmt::format("cu {} place {}", times.cu, times.slot),
                         times.cu * 256U + times.slot);
    slice(place, fmt::format("workgroup {}", w), start + times.dispatched, start + times.retired);
  }
}

void Collector::add_tracker(const GpuTimeline& gpu, Tick start) {
  if (gpu.triggers.empty()) return;
  Track* chunks = track(Grain::stages, "tracker");
  for (const TimelineSlice& s : triggers_by_chunk(gpu)) slice(chunks, s.name, start + s.start, start + s.end);
  Track* triggers = track(Grain::triggers, "tracker triggers");
  if (!triggers) return;
  for (const Trigger& t : gpu.triggers)
    if (const std::uint64_t at = ns(start + t.at); in_window(at))
      triggers->instants.push_back({at, 0, gpu.chunk_names[gpu.chunk_of[t.tile]]});
}

void Collector::add_transfers(const GpuTimeline& gpu, Tick start) {
  for (const DmaTransfer& t : gpu.transfers) {
    Track* engine = track(Grain::transfers, fmt::format("dma engine {}", t.engine), t.engine);
    slice(engine, gpu.chunk_names[gpu.chunk_of[t.tile]] + to_gpu(gpu, t.gpu), start + t.start, start + t.end);
  }
  for (const GpuTimeline::Link& link : gpu.links) {
    Track* way = track(Grain::links, link.track(), link.to);
    for (const BusyIntervals::Interval& busy : link.busy)
      slice(way, fmt::format("{} bytes", busy.amount), start + busy.start, start + busy.end);
  }
}

void Collector::add_counters(const GpuTimeline& gpu, Tick start) {
  for (const GpuTimeline::Counter& c : gpu.counters) {
    const bool channel = c.component.starts_with("channel");
    Track* counter =
        track(channel ? Grain::channels : Grain::counters, c.component + " " + c.name, c.number, c.unit);
    if (!counter) continue;
    for (std::size_t i = 0; i < c.values.size() && i * c.interval < gpu.end; ++i)
      if (const std::uint64_t at = ns(start + i * c.interval); in_window(at))
        counter->counters.push_back({at, c.values[i], ""});
    const std::uint64_t end = ns(start + std::min(c.values.size() * c.interval, gpu.end));
    if (in_window(end)) counter->counters.push_back({end, 0, ""});
  }
}

void Collector::add(const GpuTimeline& gpu, Tick start) {
  add_kernel(gpu, start);
  add_tracker(gpu, start);
  add_transfers(gpu, start);
  add_counters(gpu, start);
}

// Slices that overlap need lanes of their own: the first one that is free.
std::vector<std::vector<Slice>> lanes_of(std::vector<Slice> slices) {
  std::ranges::stable_sort(slices, {}, &Slice::start);
  std::vector<std::vector<Slice>> lanes;
  for (Slice& slice : slices) {
    const auto free = std::ranges::find_if(
        lanes, [&](const std::vector<Slice>& lane) { return lane.back().end <= slice.start; });
    if (free == lanes.end())
      lanes.push_back({std::move(slice)});
    else
      free->push_back(std::move(slice));
  }
  return lanes;
}

// A track of the trace: the lanes of its slices, its instants, its counter.
class Encoder {
 public:
  std::string encode(std::uint64_t process, const std::string& name, const Track& track) {
    std::string bytes;
    perfetto::Writer writer(bytes);
    unsigned number = 0;
    for (const auto& lane : lanes_of(track.slices)) {
      const std::string of_lane = number++ == 0 ? name : fmt::format("{} ({})", name, number);
      writer.track(++last_id_, process, of_lane);
      for (const Slice& s : lane) writer.slice(last_id_, s.name, s.start, s.end);
    }
    if (!track.instants.empty()) {
      writer.track(++last_id_, process, name);
      for (const Point& p : track.instants) writer.instant(last_id_, p.name, p.at);
    }
    if (!track.counters.empty()) {
      writer.counter_track(++last_id_, process, name, track.unit);
      for (const Point& p : track.counters) writer.counter(last_id_, p.at, p.value);
    }
    return bytes;
  }
  std::uint64_t process(std::string& bytes, const std::string& name) {
    perfetto::Writer(bytes).process(++last_id_, ++last_pid_, name);
    return last_id_;
  }

 private:
  std::uint64_t last_id_ = 0;
  std::int32_t last_pid_ = 0;
};

struct Process {
  std::uint64_t id = 0;
  Tracks tracks;
};

}  // namespace

PerfettoTrace perfetto_trace(const std::vector<TraceScheme>& schemes, const TraceOptions& options,
                             const TimeBase& time) {
  PerfettoTrace trace;
  Encoder encoder;
  std::vector<Process> processes;
  std::set<std::string> known;
  for (const TraceScheme& scheme : schemes)
    for (std::size_t g = 0; g < scheme.phases.front().gpus->size(); ++g) {
      Collector collector(options, time, known);
      for (const TracePhase& phase : scheme.phases) collector.add((*phase.gpus)[g], phase.start);
      processes.push_back(
          {encoder.process(trace.bytes, fmt::format("{}: GPU {}", scheme.name, g)), collector.take()});
    }
  std::set<TrackName> all;
  for (const Process& process : processes)
    for (const auto& [name, track] : process.tracks) all.insert(name);
  std::uint64_t left_out = 0;
  for (const TrackName& name : all)
    for (const Process& process : processes) {
      const auto found = process.tracks.find(name);
      if (found == process.tracks.end()) continue;
      const std::string bytes = encoder.encode(process.id, name.name, found->second);
      if (trace.bytes.size() + bytes.size() <= options.limit_bytes)
        trace.bytes += bytes;
      else
        ++left_out;
    }
  if (left_out != 0)
    trace.notes.push_back(fmt::format(
        "timeline: {} tracks left out, the finest, to stay below {} MB: choose a --timeline-window or "
        "--timeline-tracks",
        left_out, options.limit_bytes / 1'000'000));
  for (const std::string& pattern : options.tracks)
    if (std::ranges::none_of(
            known, [&](const std::string& n) { return ::fnmatch(pattern.c_str(), n.c_str(), 0) == 0; }))
      trace.notes.push_back(
          fmt::format("timeline: no track is called \"{}\"; tracks: {}", pattern, fmt::join(known, ", ")));
  return trace;
}

}  // namespace t3sim
