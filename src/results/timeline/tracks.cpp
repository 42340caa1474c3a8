#include "results/timeline/tracks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>

#include "results/timeline/perfetto.h"

namespace t3sim {
namespace {

// Slices that overlap need lanes of their own: the first one that is free.
std::vector<std::vector<TraceSlice>> lanes_of(std::vector<TraceSlice> slices) {
  std::ranges::stable_sort(slices, {}, &TraceSlice::start);
  std::vector<std::vector<TraceSlice>> lanes;
  for (TraceSlice& slice : slices) {
    const auto free = std::ranges::find_if(
        lanes, [&](const std::vector<TraceSlice>& lane) { return lane.back().end <= slice.start; });
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
  std::string encode(std::uint64_t process, const std::string& name, const TraceTrack& track) {
    std::string bytes;
    perfetto::Writer writer(bytes);
    unsigned number = 0;
    for (const auto& lane : lanes_of(track.slices)) {
      const std::string of_lane = number++ == 0 ? name : fmt::format("{} ({})", name, number);
      writer.track(++last_id_, process, of_lane);
      for (const TraceSlice& s : lane) writer.slice(last_id_, s.name, s.start, s.end, s.issued_us);
    }
    if (!track.instants.empty()) {
      writer.track(++last_id_, process, name);
      for (const TracePoint& p : track.instants) writer.instant(last_id_, p.name, p.at);
    }
    if (!track.counters.empty()) {
      writer.counter_track(++last_id_, process, name, track.unit);
      for (const TracePoint& p : track.counters) writer.counter(last_id_, p.at, p.value);
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

}  // namespace

TraceTrack* TrackCollector::track(TraceGrain grain, const std::string& name, std::uint32_t number,
                                  const std::string& unit) {
  known_.insert(name);
  const auto fits = [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  };
  if (!options_.tracks.empty() && std::ranges::none_of(options_.tracks, fits)) return nullptr;
  TraceTrack& track = tracks_[{grain, number, name}];
  track.unit = unit;
  return &track;
}

void TrackCollector::slice(TraceTrack* track, const std::string& name, Tick start, Tick end,
                           std::optional<double> issued_us) const {
  if (!track) return;
  const std::uint64_t from = std::max(ns(start), options_.from_ps / 1000);
  const std::uint64_t to = std::min(ns(end), options_.to_ps / 1000);
  if (from <= to) track->slices.push_back({name, from, to, issued_us});
}

PerfettoTrace encode_trace(const std::vector<TraceProcess>& processes, const TraceOptions& options,
                           const std::set<std::string>& known) {
  PerfettoTrace trace;
  Encoder encoder;
  std::vector<std::uint64_t> ids;  // of processes
  std::set<TrackName> all;
  for (const TraceProcess& process : processes) {
    ids.push_back(encoder.process(trace.bytes, process.name));
    for (const auto& [name, track] : process.tracks) all.insert(name);
  }
  std::uint64_t left_out = 0;
  for (const TrackName& name : all)
    for (std::size_t p = 0; p < processes.size(); ++p) {
      const auto found = processes[p].tracks.find(name);
      if (found == processes[p].tracks.end()) continue;
      const std::string bytes = encoder.encode(ids[p], name.name, found->second);
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
