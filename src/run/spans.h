// Times that something took, and how long they are together.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/time.h"

namespace t3sim {

// Spans of time, made disjoint and ordered by settle().
class Spans {
 public:
  void add(Tick from, Tick to) {
    if (to > from) spans_.emplace_back(from, to);
  }
  void settle() {
    std::ranges::sort(spans_);
    std::vector<std::pair<Tick, Tick>> apart;
    for (const auto& [from, to] : spans_)
      if (!apart.empty() && from <= apart.back().second)
        apart.back().second = std::max(apart.back().second, to);
      else
        apart.emplace_back(from, to);
    spans_ = std::move(apart);
  }
  Tick length() const {
    Tick sum = 0;
    for (const auto& [from, to] : spans_) sum += to - from;
    return sum;
  }
  // Of it, what is in the other ones, too; both are settled.
  Tick length_with(const Spans& other) const {
    Tick sum = 0;
    for (const auto& [from, to] : spans_)
      for (const auto& [other_from, other_to] : other.spans_) {
        const Tick start = std::max(from, other_from), end = std::min(to, other_to);
        if (end > start) sum += end - start;
      }
    return sum;
  }

 private:
  std::vector<std::pair<Tick, Tick>> spans_;
};

}  // namespace t3sim
