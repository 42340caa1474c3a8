// The files of a run as texts: the same report gives the same bytes.
#pragma once

#include <string>
#include <vector>

#include "results/results.h"

namespace t3sim {

// results.json, schema 1 (README, "Files").
std::string results_json(const RunReport& report);

// gpu,component,name,value,unit,scheme,phase
std::string stats_csv(const std::vector<StatRow>& rows);

// gpu,component,name,start_us,interval_us,value,unit,scheme,phase
std::string series_csv(const std::vector<SeriesRow>& rows);

// scheme,phase,gpu,track,name,start_us,end_us: times to the nanosecond
std::string timeline_csv(const std::vector<TimelineRow>& rows);

}  // namespace t3sim
