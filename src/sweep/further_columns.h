// Columns of a sweep's results beside those that every sweep has: what `collect` and `columns` of its file ask for.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/node.h"
#include "results/results.h"

namespace t3sim::sweep {

// columns: {link_share: link_out_busy / time_us}
struct DerivedColumn {
  std::string name;
  std::string text;  // over the other columns of the row, those before it included
  config::Location where{};
};

struct FurtherColumns {
  // "gap" (parts of the gap to the ideal), "limits" (utilisation of each phase), a counter ("link.out.busy"), a counter in
  // one phase ("link.out.busy@fused"). Alike parts and phases are put together as counter_list.h says.
  std::vector<std::string> collect;
  std::vector<DerivedColumn> derived;

  bool gap() const;
  bool limits() const;
  // Of `collect`, those that a point has to count.
  std::vector<std::string> counters() const;
  bool empty() const { return collect.empty() && derived.empty(); }
};

// The same to a database, which does not tell letters' cases apart.
bool same_column(std::string_view a, std::string_view b);
// What a column of `collect` is called in the table.
std::string column_of_counter(const std::string& collected);

// What a sweep file says; throw InputError with its place.
std::vector<std::string> read_collect(const config::Entry& collect);
std::vector<DerivedColumn> read_derived(const config::Entry& columns);

// The counters of a scheme, as a block of SchemeResult::counters makes columns of them: "link_out" has "busy_fused".
Ordered<Ordered<Number>> collected(const RunReport& report, const std::string& scheme,
                                   const std::vector<std::string>& counters);

// Gap and utilisation as columns: "gap_us", "gap_link_us", "fused_matrix_share", "fused_limited_by".
std::vector<std::pair<std::string, t3sim::Value>> gap_columns(const SchemeResult& scheme);
std::vector<std::pair<std::string, t3sim::Value>> limit_columns(const SchemeResult& scheme);

// The value of a derived column; nothing if a name has none. `value` gives the values of names.
std::optional<double> evaluate(const DerivedColumn& column,
                               const std::function<std::optional<double>(std::string_view)>& value);

}  // namespace t3sim::sweep
