// Every counter of stats.csv with unit and meaning: docs/counters.md, which a test holds against what components say, is in
// the program. Also how rows of one kind of component become one value.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/results.h"

namespace t3sim {

struct CounterInfo {
  std::string component;  // its kind: "link.out", "cu[...]"
  std::string name;
  std::string unit;
  std::string meaning;

  // "link.out.busy", "cu.busy": as people write it.
  std::string spoken() const;
};

// In the order of docs/counters.md.
const std::vector<CounterInfo>& counter_list();

// The kind of a component: "cu[...]" of "cu[12]".
std::string kind_of(std::string_view component);

// How values of alike parts (all CUs, all GPUs) become one.
enum class Fold : std::uint8_t {
  sum,   // bytes and plain numbers
  mean,  // times, cycles, shares, means
  most,  // peaks
};
// Of parts that count at the same time.
Fold fold_of_parts(const CounterInfo& counter);
// Of phases, one after the other: times add up too.
Fold fold_of_phases(const CounterInfo& counter);

// The counter of such a name, with its nearest if there is none: throws InputError that starts with `where`.
const CounterInfo& counter_named(std::string_view where, const std::string& spoken);

// A counter of one kind of component in one phase of a scheme, of all its rows.
struct FoldedStat {
  std::string scheme, phase;
  const CounterInfo* counter = nullptr;
  std::size_t rows = 0;
  double sum = 0, least = 0, most = 0;

  double mean() const { return sum / static_cast<double>(rows); }
  double value() const;  // as fold_of_parts() says
};

// In the order in which the rows name them. Rows whose counter is not in the list are left out.
std::vector<FoldedStat> fold(std::span<const StatRow> rows);

// One value of a counter for a scheme: over all its phases, or of one ("" all; "fused" is "fused (mca)" too). No
// value where there is no row.
std::optional<double> value_of(const std::vector<FoldedStat>& stats, const CounterInfo& counter,
                               std::string_view scheme, std::string_view phase);

}  // namespace t3sim
