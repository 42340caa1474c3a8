#include "program/happens_before.h"

#include <algorithm>

namespace t3sim::program {

HappensBefore::HappensBefore(const Steps& steps, const Progress& progress)
    : steps_(steps),
      width_((steps.size() + 63) / 64),
      bits_(width_ * steps.size(), ~std::uint64_t{0}),
      next_(width_),
      setters_(steps.words()),
      known_(steps.size()) {
  for (const std::uint32_t step : progress.order())
    for (const StepSet& set : steps[step].sets) setters_[set.word].push_back({step, set});
  pass(progress.order());
  if (!ahead_) return;
  while (pass(progress.order())) {
  }
}

bool HappensBefore::pass(const std::vector<std::uint32_t>& order) {
  bool changed = false;
  for (const std::uint32_t step : order) {
    std::ranges::fill(next_, 0);
    for (const std::uint32_t before : steps_[step].after) add(before);
    for (const StepWait& wait : steps_[step].waits) add_wait(wait);
    changed = changed || !std::equal(next_.begin(), next_.end(), row(step));
    std::ranges::copy(next_, row(step));
    known_[step] = true;
  }
  return changed;
}

void HappensBefore::add(std::uint32_t before) {
  const std::uint64_t* from = row(before);
  for (std::size_t i = 0; i < width_; ++i) next_[i] |= from[i];
  next_[before / 64] |= std::uint64_t{1} << (before % 64);
}

void HappensBefore::add(const Setter& setter) {
  if (setter.set.fence) add(setter.step);
}

void HappensBefore::add_wait(const StepWait& wait) {
  const std::vector<Setter>& setters = setters_[wait.word];
  const auto adds = std::ranges::count_if(setters, [](const Setter& s) { return s.set.add; });
  if (adds == static_cast<std::ptrdiff_t>(setters.size()))
    add_additions(setters, wait);
  else if (adds == 0)
    add_stores(setters, wait);
}

void HappensBefore::add_additions(const std::vector<Setter>& setters, const StepWait& wait) {
  const std::uint64_t needed = wait.value + wait.reset_away, initial = steps_.initial(wait.word);
  if (initial >= needed) return;
  std::uint64_t total = initial;
  for (const Setter& s : setters) {
    total += s.set.value;
    ahead_ = ahead_ || !known_[s.step];
  }
  for (const Setter& s : setters)
    if (total - s.set.smallest < needed) add(s);
  add_common(setters);
}

void HappensBefore::add_stores(const std::vector<Setter>& setters, const StepWait& wait) {
  const bool initially = steps_.initial(wait.word) >= wait.value;
  if (initially && wait.resets == 0) return;
  std::vector<Setter> candidates;
  bool in_order = true;
  for (const Setter& s : setters) {
    if (s.set.value < wait.value) continue;
    ahead_ = ahead_ || !known_[s.step];
    if (!candidates.empty()) in_order = in_order && before(candidates.back().step, s.step);
    candidates.push_back(s);
  }
  // Each wait before that asked for as much, and reset, has taken one of them, or what was there initially.
  const std::size_t index = wait.as_large - (initially && wait.as_large > 0 ? 1 : 0);
  if (in_order && index < candidates.size()) return add(candidates[index]);
  if (!candidates.empty()) add_common(candidates);
}

// What is before each of them.
void HappensBefore::add_common(const std::vector<Setter>& setters) {
  if (!std::ranges::all_of(setters, [](const Setter& s) { return s.set.fence; })) return;
  for (std::size_t i = 0; i < width_; ++i) {
    std::uint64_t common = ~std::uint64_t{0};
    for (const Setter& s : setters) {
      const std::uint64_t self = s.step / 64 == i ? std::uint64_t{1} << (s.step % 64) : 0;
      common &= row(s.step)[i] | self;
    }
    next_[i] |= common;
  }
}

}  // namespace t3sim::program
