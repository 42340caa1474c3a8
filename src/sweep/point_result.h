// The result of one point as a file that proves itself.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "results/results.h"

namespace t3sim::sweep {

struct PointResult {
  nlohmann::ordered_json rows;  // an object a scheme: columns of the results with their values
  double host_seconds = 0;      // what it cost; in no table
  std::uint64_t events = 0;
};

// "time_us", "speedup", "gemm_us", …, "dram_gemm_read_bytes", "link_bytes", "tracker_peak_entries".
PointResult point_result(const RunReport& report);

// A line that names schema, point and the hash of what follows; then JSON.
std::string result_text(const std::string& key, const PointResult& result);
// Nothing unless `text` is whole, of this schema, and the result of `key`.
std::optional<PointResult> parse_result(const std::string& text, const std::string& key);

}  // namespace t3sim::sweep
