#include "validation/measured/pairs.h"

#include <fmt/format.h>

#include <map>

namespace t3sim {
namespace {

constexpr double kDifference = 1.1;  // of the slower to the faster

// The question that a case is one answer to, and which group of answers it competes in. Empty: none.
struct Choice {
  std::string question, group;
};

Choice choice(const CollectiveRow& row) {
  return {"channels", fmt::format("{} {} {}", row.op, row.world, row.bytes)};
}
template <class Row>
Choice choice(const Row&) {
  return {};
}

// Of the fused kernels and of the sequences: those that leave the same result.
Choice choice(const FusedRow& row) {
  const bool summed = row.op == "seq_rs" || row.op.ends_with("then_reduce");
  return {"order and fusion",
          fmt::format("{} {} {} {} {} {}", summed, row.world, row.tp, row.shape.m, row.shape.n, row.shape.k)};
}

void compare(const std::string& question, const MeasuredCase& a, const MeasuredCase& b,
             std::vector<MeasuredPair>& pairs) {
  const bool a_faster = a.measured < b.measured;
  const MeasuredCase &faster = a_faster ? a : b, &slower = a_faster ? b : a;
  const double ratio = slower.measured / faster.measured;
  if (ratio <= kDifference) return;
  pairs.push_back({question, faster.id, slower.id, ratio, slower.ours / faster.ours});
}

}  // namespace

std::vector<MeasuredPair> measured_pairs(const std::vector<MeasuredCase>& cases) {
  std::map<std::pair<std::string, std::string>, std::vector<const MeasuredCase*>> groups;
  for (const MeasuredCase& c : cases) {
    const Choice found = std::visit([](const auto& row) { return choice(row); }, c.row);
    if (!found.question.empty()) groups[{found.question, found.group}].push_back(&c);
  }
  std::vector<MeasuredPair> pairs;
  for (const auto& [key, members] : groups)
    for (std::size_t i = 0; i < members.size(); ++i)
      for (std::size_t j = i + 1; j < members.size(); ++j)
        if (members[i]->id != members[j]->id) compare(key.first, *members[i], *members[j], pairs);
  return pairs;
}

}  // namespace t3sim
