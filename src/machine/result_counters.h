// The counters that results.json has: those that components put there (Counter::place_in_results).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/stats.h"

namespace t3sim {

// Of a component, in its order.
using CounterBlock = std::vector<std::pair<std::string, CounterValue>>;
// By component: "tracker", "l2", ...
using CounterBlocks = std::vector<std::pair<std::string, CounterBlock>>;

// Collects them of one GPU. A component of which there are several, as "l2[12]", is one: their sums.
class ResultCounters final : public StatsSink {
 public:
  void add(const Counter& counter, CounterValue value) override;
  const CounterBlocks& blocks() const { return blocks_; }

 private:
  CounterBlocks blocks_;
};

// The sums of both.
void add_counters(CounterBlocks& to, const CounterBlocks& from);

}  // namespace t3sim
