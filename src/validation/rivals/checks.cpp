#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "validation/rivals/rivals.h"

namespace t3sim::rivals {
namespace {

constexpr double kBelowBound = 0.02, kBytesApart = 0.01, kPartsApart = 0.01;

std::string name_of(const Row& row) {
  return fmt::format("{} {} {}", machine_text(row), row.shape, row.method);
}

// Nothing is faster than its GEMM on the machine's CUs, whole or in a method's pieces, and than its data over the links.
void check_bound(const Row& row, std::vector<std::string>& broken) {
  if (row.us + row.sample_error_us < (1 - kBelowBound) * row.bound_us())
    broken.push_back(fmt::format("{} takes {:.1f} us, less than its bound of {:.1f} us", name_of(row), row.us,
                                 row.bound_us()));
}

// What is moved is the same, whoever moves it: signals aside.
void check_bytes(const std::vector<Row>& rows, const Row& row, std::vector<std::string>& broken) {
  const Row* sequential = sequential_of(rows, row);
  if (!sequential) return;
  const double apart = real(row.link_bytes) / real(sequential->link_bytes) - 1;
  if (std::abs(apart) > kBytesApart)
    broken.push_back(fmt::format("{} puts {:+.1f} % of bytes on its links, against sequential", name_of(row),
                                 100 * apart));
}

void check_parts(const Row& row, std::vector<std::string>& broken) {
  if (!row.parts) return;
  const double apart = row.ideal_us() + row.parts->sum_us() - row.us;
  if (std::abs(apart) > kPartsApart * row.us)
    broken.push_back(
        fmt::format("{}: parts of the gap are off by {:+.1f} us of {:.1f}", name_of(row), apart, row.us));
}

}  // namespace

std::string machine_text(const Row& row) {
  return row.links == 1 ? row.system : fmt::format("{} links x{}", row.system, row.links);
}

const Row* sequential_of(const std::vector<Row>& rows, const Row& row) {
  const auto it = std::ranges::find_if(
      rows, [&](const Row& r) { return r.beside(row) && r.method == "sequential" && r.refused.empty(); });
  return it == rows.end() ? nullptr : &*it;
}

std::vector<std::string> broken_checks(const std::vector<Row>& rows) {
  std::vector<std::string> broken;
  for (const Row& row : rows) {
    if (row.alone() || !row.refused.empty()) continue;
    check_bound(row, broken);
    check_bytes(rows, row, broken);
    check_parts(row, broken);
  }
  return broken;
}

}  // namespace t3sim::rivals
