#include "machine/result_counters.h"

#include <algorithm>

namespace t3sim {
namespace {

CounterBlock& block_of(CounterBlocks& blocks, std::string_view component) {
  for (auto& [name, block] : blocks)
    if (name == component) return block;
  return blocks.emplace_back(component, CounterBlock{}).second;
}

// Both of the same kind.
CounterValue sum(const CounterValue& a, const CounterValue& b) {
  if (const auto* whole = std::get_if<std::uint64_t>(&a)) return *whole + std::get<std::uint64_t>(b);
  return std::get<double>(a) + std::get<double>(b);
}

void add_value(CounterBlock& block, std::size_t place, std::string_view name, CounterValue value) {
  if (block.size() <= place) block.resize(place + 1);
  auto& [known, total] = block[place];
  total = known.empty() ? value : sum(total, value);
  known = name;
}

}  // namespace

void ResultCounters::add(const Counter& counter, CounterValue value) {
  if (counter.place_in_results == Counter::kNotInResults) return;
  const std::string_view component = counter.component.substr(0, counter.component.find('['));
  add_value(block_of(blocks_, component), counter.place_in_results, counter.name, value);
}

void add_counters(CounterBlocks& to, const CounterBlocks& from) {
  for (const auto& [component, values] : from)
    for (std::size_t i = 0; i < values.size(); ++i)
      add_value(block_of(to, component), i, values[i].first, values[i].second);
}

}  // namespace t3sim
