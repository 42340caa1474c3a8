// What a sweep needs to know of the configuration's keys: which exist, what kind they are, what they hold.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "machine/config.h"

namespace t3sim::sweep {

class Keys {
 public:
  static const Keys& all();

  // The key, or nullptr. Elements of lists and maps ("gpus.overrides.3.clock") are keys.
  const config::KeyHelp* find(std::string_view path) const;
  // Whether a key's column is called so.
  bool has_column(std::string_view column) const;
  // "unknown key "workload.x"; did you mean workload.k?"
  std::string unknown(const std::string& path) const;

 private:
  Keys();
  std::vector<config::KeyHelp> keys_;
};

// The quantity that values of a kind ("bandwidth", "time", …) measure; nullptr for those without units.
const config::Quantity* quantity_of_kind(std::string_view kind);
bool is_whole_number_kind(std::string_view kind);

// A value as a column of a table shows it: "topology.latency" with "500 ns" is 500 in topology_latency_ns.
std::string column_name(const std::string& path);
std::string column_value(const std::string& path, const std::string& text);

// The values of some keys as config.yaml would write them; keys without a value are left out.
using KeyValues = std::map<std::string, std::string, std::less<>>;
KeyValues values_of(const Config& config, const std::set<std::string, std::less<>>& paths);

}  // namespace t3sim::sweep
