// The result of one point as a file that proves itself.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/results.h"
#include "sweep/further_columns.h"

namespace t3sim::sweep {

struct PointResult {
  std::vector<SchemeResult> schemes;
  double host_seconds = 0;  // what it cost; in no table
  std::uint64_t events = 0;
};

// With the values of `counters` as counters of its schemes (further_columns.h).
PointResult point_result(const RunReport& report, const std::vector<std::string>& counters = {});

// A scheme's columns in the results, with their values: "scheme", "time_us", "speedup", "gemm_us", ...,
// "dram_gemm_read_bytes", "link_bytes", "tracker_peak_entries". Then those that the sweep asks for. The one place that decides them.
nlohmann::ordered_json columns_of(const SchemeResult& scheme, const FurtherColumns& further = {});

// A line that names schema, point and the hash of what follows; then JSON.
std::string result_text(const std::string& key, const PointResult& result);
// Nothing unless `text` is whole, of this schema, and the result of `key`.
std::optional<PointResult> parse_result(const std::string& text, const std::string& key);

}  // namespace t3sim::sweep
