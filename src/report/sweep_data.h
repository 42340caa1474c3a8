// What the page of a sweep is drawn from: results.csv as it stands, and the points of the plan.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace t3sim::report {

// True if a sweep was planned in the directory.
bool is_sweep(const std::string& directory);

// {"kind": "sweep", "name", "axes": names of columns, "columns": of results.csv, "rows": its cells (numbers
// as such, null where empty), "phases": keys by scheme, "points": [{"values", "label", "command",
// "failed"?}], "config": lines of the first point's configuration, "differs": [{line: text}] for each point,
// "about"}. Throws InputError that says why, if points are missing, something changed since it was written,
// or all of it was written by another version of t3sim.
nlohmann::ordered_json sweep_data(const std::string& directory);

}  // namespace t3sim::report
