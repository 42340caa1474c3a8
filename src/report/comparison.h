// Two or more runs, or two or more sweeps, side by side: what differs in what was simulated and in what came out.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace t3sim::report {

// Of directories that `t3sim run -o` wrote:
// {"kind": "comparison", "schema": 1, "names": as given, "workloads": texts, "config": [{"key", "values"}] where they
// differ, "rows": [{"scheme", "group", "name", "unit", "values", "change"}], "limited_by": [{"scheme", "phase", "values"}]}
//
// rows: every number of results.json that some run has, null where one has not. group: "time", "bytes", "gap",
// "utilisation", "counters". change: against the first, as a part of it, and of parts of the gap the difference; null where
// it cannot be said.
//
// Where one of them holds the run of a program: the same, of columns that are programs and single schemes of runs
// ("out/run (t3)"). "scheme" is "", times and bytes of a program are means over its GPUs, and there are "commands":
// [{"stream", "kind", "command", "counts", "change", "values"}], values being the mean time in us of all commands that
// have this stream, kind and name but for numbers, which are written "#".
//
// Of directories of sweeps: {"kind": "sweep comparison", "schema": 1, "names", "config", "axes", "points": {"common",
// "only"}, "schemes": [{"scheme", "points", "mean", "least", "most"}], "rows": [{"axes", "scheme", "time_us"}]}
//
// points: those with the same values on all axes. mean: geometric, of the time over that of the first sweep; least
// and most likewise.
//
// Throws InputError where a directory is no complete result, or runs and sweeps are mixed.
nlohmann::ordered_json comparison_data(const std::vector<std::string>& directories);

// For a terminal. Rows that are the same everywhere are left out, unless `all`.
std::string comparison_text(const nlohmann::ordered_json& data, bool all);

}  // namespace t3sim::report
