#include "model/backend_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/csv.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/number.h"
#include "config/units.h"

namespace t3sim::model {
namespace {

constexpr std::string_view kHeader = "machine,operation,world,bytes,backend,us,best";

std::string size_text(std::uint64_t bytes) { return config::format_quantity(config::kSize, bytes); }

// At `at` of the way from a to b.
double between(double a, double b, double at) {
  return std::exp(std::log(a) + at * (std::log(b) - std::log(a)));
}

}  // namespace

message::Kind kind_named(const std::string& name) {
  std::string plain = name;
  std::ranges::replace(plain, '_', '-');
  std::vector<std::string> names;
  for (const auto& named : names_of(message::Kind{})) {
    if (named.name == plain) return named.value;
    names.emplace_back(named.name);
  }
  const std::string near = nearest(plain, names);
  throw InputError(
      fmt::format("\"{}\" is no operation{}", name, near.empty() ? "" : "; did you mean " + near + "?"));
}

void BackendTable::add(message::Kind kind, std::uint32_t world, std::uint64_t bytes,
                       const std::string& backend, double us) {
  points_[{kind, world, bytes}][backend] = us;
}

const std::string& BackendTable::fastest(const Times& times) {
  return std::ranges::min_element(times, {}, [](const auto& t) { return t.second; })->first;
}

const std::string& BackendTable::best(message::Kind kind, std::uint32_t world, std::uint64_t bytes,
                                      bool extrapolate) const {
  const auto begin = points_.lower_bound({kind, world, 0}),
             end = points_.upper_bound({kind, world, ~std::uint64_t{0}});
  if (begin == end)
    throw InputError(
        fmt::format("the table of backends has no {} on {} GPUs: tune it", to_string(kind), world));
  const auto last = std::prev(end);
  const bool outside = bytes < begin->first.bytes || bytes > last->first.bytes;
  if (outside && !extrapolate)
    throw InputError(
        fmt::format("the table of backends has {} on {} GPUs from {} to {}, not {}: tune it, or say "
                    "--extrapolate",
                    to_string(kind), world, size_text(begin->first.bytes), size_text(last->first.bytes),
                    size_text(bytes)));
  const auto above = points_.lower_bound({kind, world, bytes});
  if (above == begin || above == end || above->first.bytes == bytes)
    return fastest((above == end ? last : above)->second);
  const auto below = std::prev(above);
  const double at = std::log(real(bytes) / real(below->first.bytes)) /
                    std::log(real(above->first.bytes) / real(below->first.bytes));
  const std::string* found = nullptr;
  double least = 0;
  for (const auto& [backend, us] : below->second) {
    const auto other = above->second.find(backend);
    if (other == above->second.end()) continue;
    const double here = between(us, other->second, at);
    if (!found || here < least) found = &backend, least = here;
  }
  return found ? *found : fastest(above->second);
}

const std::string& BackendTable::best_of_operation(message::Kind kind, std::uint32_t world) const {
  std::map<std::string, int> wins;
  const std::string* found = nullptr;
  for (auto p = points_.lower_bound({kind, world, 0}); p != points_.end(); ++p) {
    if (p->first.kind != kind || p->first.world != world) break;
    const std::string& best = fastest(p->second);
    if (++wins[best]; !found || wins[best] > wins[*found]) found = &best;
  }
  if (!found)
    throw InputError(
        fmt::format("the table of backends has no {} on {} GPUs: tune it", to_string(kind), world));
  return *found;
}

std::string BackendTable::csv() const {
  std::string csv(kHeader);
  csv += '\n';
  for (const auto& [point, times] : points_)
    for (const auto& [backend, us] : times)
      csv += fmt::format("{},{},{},{},{},{:.3f},{}\n", machine_, to_string(point.kind), point.world,
                         point.bytes, csv_field(backend), us, backend == fastest(times) ? 1 : 0);
  return csv;
}

BackendTable BackendTable::read(const std::string& path) {
  CsvTable file(path);
  file.expect(kHeader);
  BackendTable table("");
  while (file.next_row()) {
    if (!table.machine_.empty() && table.machine_ != file.text(0)) file.fail("is of two machines");
    table.machine_ = file.text(0);
    if (!(file.real(5) > 0)) file.fail("us: allowed: above 0");
    try {
      table.add(kind_named(file.text(1)), narrow<std::uint32_t>(file.number(2)), file.number(3), file.text(4),
                file.real(5));
    } catch (const InputError& e) {
      if (std::string_view(e.what()).find(path) != std::string_view::npos) throw;
      file.fail(e.what());
    }
  }
  if (table.points_.empty()) file.fail("has no rows");
  return table;
}

}  // namespace t3sim::model
