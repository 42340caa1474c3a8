// What a run yields, as plain values: the only thing that the files and the terminal report are made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/load.h"

namespace t3sim {

using Number = std::variant<std::uint64_t, double>;
using Value = std::variant<std::uint64_t, double, std::string>;
// Keys in the order in which they are written.
template <class T>
using Ordered = std::vector<std::pair<std::string, T>>;

struct WorkloadInfo {
  std::string name;
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t k = 0;
  std::uint64_t gpus = 0;
  Ordered<Value> more;  // further keys of results.json
};

// Why a fused scheme takes longer than the ideal overlap (system/gap.h). In picoseconds: the parts add up.
struct GapResult {
  std::string bound_by;  // "gemm" or "collective": which takes longer alone
  std::int64_t gap_ps = 0;
  Ordered<std::int64_t> parts_ps;  // the last one: "unexplained"

  // What is unexplained, of the sum of all parts' sizes.
  double unexplained_share() const;
};

// How much of each part a phase uses, and what it waits for most (run/limits.h). Of the GPU that took longest,
// over the phase's time; DRAM until what the L2 writes back after it is written.
struct PhaseLimits {
  double tflops = 0;
  double matrix_share = 0;      // of the matrix units' peak
  double link_share = 0;        // busy, of the port that was busiest
  std::string link_idle_cause;  // the largest one of the same port, as stats.csv names it
  double dram_GBps = 0;
  double dram_share = 0;              // of the DRAM's peak
  std::optional<double> l2_hit_rate;  // of what is read; none where nothing is
  double cus_busy = 0;                // mean; a CU by the share of its places that have a workgroup
  std::string limited_by;
  double limited_share = 0;  // of the phase's time that is spent for it
  // Of all GPUs' links and what lies between: "socket0>socket1". Empty where links have no names.
  std::string fullest_link;
  double fullest_link_share = 0;  // busy

  bool operator==(const PhaseLimits&) const = default;
};

struct SchemeResult {
  std::string name;
  double time_us = 0;
  double speedup = 0;                 // against sequential
  Ordered<double> phases;             // "gemm_us", "rs_us", "ag_us", "fused_us"
  Ordered<std::uint64_t> dram_bytes;  // of a GPU: "gemm_read", "gemm_write", …
  std::uint64_t link_bytes = 0;       // a GPU sends
  // Those that components put into results.json, by component: "tracker" has "peak_entries", ...
  Ordered<Ordered<Number>> counters;
  std::optional<GapResult> gap;  // of fused schemes
  std::string no_gap;            // of fused schemes without: why
  Ordered<PhaseLimits> limits;   // by phase: "gemm", "rs", …
  // What the run cost on this host, for manifest.json only: a phase that schemes share counts for the first.
  double host_seconds = 0;
  std::uint64_t events = 0;

  // The counters of a component; none if it has none.
  const Ordered<Number>& of(std::string_view component) const;
};

struct FunctionalResult {
  std::uint64_t elements = 0;
  std::uint64_t errors = 0;

  FunctionalResult& operator+=(const FunctionalResult& more) {
    elements += more.elements;
    errors += more.errors;
    return *this;
  }
};

// A line of stats.csv: one counter of one component.
struct StatRow {
  std::string scheme;
  std::string phase;
  std::uint64_t gpu = 0;
  std::string component;
  std::string name;
  Number value;
  std::string unit;
};

// A line of series.csv: what a counter gained in one interval, or the mean of a level.
struct SeriesRow {
  std::string scheme;
  std::string phase;
  std::uint64_t gpu = 0;
  std::string component;
  std::string name;
  double start_us = 0;  // of the interval, since the start of the phase
  double interval_us = 0;
  Number value;
  std::string unit;
};

// A line of timeline.csv: something that a part of a GPU was at, since the start of the phase.
struct TimelineRow {
  std::string scheme;
  std::string phase;
  std::uint64_t gpu = 0;
  std::string track;
  std::string name;
  double start_us = 0;
  double end_us = 0;
};

struct RunReport {
  WorkloadInfo workload;
  std::string exchange = "rs";        // what is overlapped with the GEMM, as in "rs_us": rs, ag or a2a
  std::vector<SchemeResult> schemes;  // in the order in which they are shown
  std::optional<FunctionalResult> functional;
  std::vector<StatRow> stats;
  std::vector<SeriesRow> series;
  std::vector<TimelineRow> timeline;
  Ordered<std::string> more_files;    // name, content: e.g. a trace
  std::vector<std::string> warnings;  // lines for people: what of the configuration slows the machine down
  std::string gpu_model;              // gpus.model: auto: which GPUs were simulated, and why
  std::vector<std::string> notes;     // lines for people: what such a file leaves out
  std::vector<config::InputFile> inputs;  // read besides the configuration, e.g. a trace
  // What was simulated, phases that schemes share counted once.
  double host_seconds = 0;
  std::uint64_t events = 0;
};

}  // namespace t3sim
