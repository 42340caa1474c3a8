// What a phase has cost on a GPU: its counters, named, its series over time, and where its time went.
#pragma once

#include <functional>
#include <string>

#include "machine/gpu.h"
#include "machine/phase_use.h"
#include "sim/stats.h"

namespace t3sim {

// Of a finished phase.
void visit_stats(const Gpu& gpu, StatsSink& sink);

// f(component, name, unit, series, divisor): what an interval sums is divided by the last, if that is not 0.
using SeriesVisitor = std::function<void(const std::string& component, const std::string& name,
                                         const std::string& unit, const Series&, std::uint64_t divisor)>;
void visit_series(const Gpu& gpu, const SeriesVisitor& f);

// Where its time went. Of a finished phase.
PhaseAccount account_of(const Gpu& gpu);
// What its parts have counted, for the limits. Of a finished phase.
PhaseUse use_of(const Gpu& gpu);
// Throws CheckError when a conservation rule does not hold. Of a finished phase.
void check_conservation(const Gpu& gpu);

// Local stores that had to wait for the Tracker.
std::uint64_t stalled_stores(const Gpu& gpu);
// Of the Tracker's entries, as the phase has needed them.
TrackerEntryBits tracker_entry_bits(const RunningCollective& collective);

}  // namespace t3sim
