// The tracks of a Perfetto trace, before they are encoded: by process, cut to the window.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/timeline/trace_options.h"
#include "sim/time.h"

namespace t3sim {

struct TraceSlice {
  std::string name;
  std::uint64_t start = 0, end = 0;  // ns
  std::optional<double> issued_us;   // of a program's command: shown as an argument
};
struct TracePoint {
  std::uint64_t at;  // ns
  double value;      // of counters
  std::string name;  // of instants
};

// What one track of a process shows.
struct TraceTrack {
  std::string unit;  // of a counter
  std::vector<TraceSlice> slices;
  std::vector<TracePoint> instants, counters;
};

// From coarse to fine.
enum class TraceGrain : std::uint8_t { stages, links, counters, channels, workgroups, transfers, triggers };

struct TrackName {
  TraceGrain grain;
  std::uint32_t number;  // e.g. of a CU: 10 comes after 9
  std::string name;
  auto operator<=>(const TrackName&) const = default;
};
using TraceTracks = std::map<TrackName, TraceTrack>;

// Collects a process's tracks. All outlive it; `known` gets the names of those that nobody asked for too.
class TrackCollector {
 public:
  TrackCollector(const TraceOptions& options, const TimeBase& time, std::set<std::string>& known)
      : options_(options), time_(time), known_(known) {}

  // Null if it is not asked for.
  TraceTrack* track(TraceGrain grain, const std::string& name, std::uint32_t number = 0,
                    const std::string& unit = "");
  // Nothing where `track` is null or the slice is outside the window.
  void slice(TraceTrack* track, const std::string& name, Tick start, Tick end,
             std::optional<double> issued_us = {}) const;
  bool in_window(std::uint64_t ns) const {
    return ns >= options_.from_ps / 1000 && ns <= options_.to_ps / 1000;
  }
  // Rounded down, so that what ends with one tick and begins with it still does.
  std::uint64_t ns(Tick at) const { return static_cast<std::uint64_t>(time_.to_ns(at) + 1e-6); }
  TraceTracks take() { return std::move(tracks_); }

 private:
  const TraceOptions& options_;
  const TimeBase& time_;
  std::set<std::string>& known_;
  TraceTracks tracks_;
};

struct TraceProcess {
  std::string name;
  TraceTracks tracks;
};

struct PerfettoTrace {
  std::string bytes;
  std::vector<std::string> notes;  // lines for people: what was left out, and why
};

// Tracks are written from coarse to fine; one with which the trace would pass the limit is left out. `known`: the names
// of all tracks, for who asked for one that is not there.
PerfettoTrace encode_trace(const std::vector<TraceProcess>& processes, const TraceOptions& options,
                           const std::set<std::string>& known);

}  // namespace t3sim
