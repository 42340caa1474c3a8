// What the page of a run is drawn from: the numbers of its files as they stand there, nothing added.
#pragma once

#include <nlohmann/json.hpp>

#include "report/result_files.h"

namespace t3sim::report {

// {"kind": "run", "results": results.json, "config": {key: text}, "stats": [...], "series": [...],
// "time_line":
// {...} or null, "about": from manifest.json, and of explicit GPUs "links": [...], "pictures": {scheme: SVG}}. Throws InputError where a file is not what t3sim writes.
//
// stats: [gpu, component, name, value, unit, scheme, phase] a row of stats.csv, without the components of
// which a
//   GPU has dozens (CUs, L2 slices, channels).
// series: an object a counter of series.csv, with "start_us", "interval_us" and all "values".
// links: [scheme, link, GB/s, bytes, share of the time busy] a row of links.csv.
// time_line: timeline.csv by columns, texts by their place in "texts".
nlohmann::ordered_json run_data(const ResultFiles& files);

// Of it alone: results.json, and config.yaml by key ("gpu.clock": "1.4 GHz").
nlohmann::ordered_json results_of(const ResultFiles& files);
nlohmann::ordered_json config_of(const ResultFiles& files);
// The same of a configuration's text; `name` is what messages call it.
nlohmann::ordered_json config_by_key(const std::string& text, const std::string& name);
// Of manifest.json: version, commit and hashes of the files.
nlohmann::ordered_json about_of(const ResultFiles& files);

}  // namespace t3sim::report
