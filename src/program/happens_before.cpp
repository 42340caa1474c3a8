#include "program/happens_before.h"

#include <algorithm>

namespace t3sim::program {

HappensBefore::HappensBefore(const Steps& steps, const Progress& progress)
    : steps_(steps),
      width_((steps.size() + 63) / 64),
      bits_(width_ * steps.size()),
      setters_(steps.words()),
      place_(steps.size()),
      resets_(steps.words()) {
  std::uint32_t place = 0;
  for (const std::uint32_t step : progress.order()) {
    place_[step] = place++;
    for (const StepSet& set : steps[step].sets) setters_[set.word].push_back({step, set});
    for (const StepWait& wait : steps[step].waits)
      if (wait.resets > 0) resets_[wait.word] = true;
  }
  for (const std::uint32_t step : progress.order()) {
    for (const std::uint32_t before : steps[step].after) add(step, before);
    for (const StepWait& wait : steps[step].waits) add_waits(wait, step);
  }
}

void HappensBefore::add(std::uint32_t step, std::uint32_t before) {
  std::uint64_t* to = row(step);
  const std::uint64_t* from = row(before);
  for (std::size_t i = 0; i < width_; ++i) to[i] |= from[i];
  to[before / 64] |= std::uint64_t{1} << (before % 64);
}

void HappensBefore::add_waits(const StepWait& wait, std::uint32_t step) {
  const std::uint64_t initial = steps_.initial(wait.word);
  if (wait.resets == 0 && initial >= wait.value) return;
  const std::vector<Setter>& setters = setters_[wait.word];
  const auto adds = std::ranges::count_if(setters, [](const Setter& s) { return s.set.add; });
  if (adds == static_cast<std::ptrdiff_t>(setters.size()))
    add_additions(setters, wait.value * (wait.resets + 1) - initial, step);
  else if (adds == 0)
    add_stores(setters, wait, step);
}

void HappensBefore::add_additions(const std::vector<Setter>& setters, std::uint64_t needed,
                                  std::uint32_t step) {
  std::uint64_t total = 0;
  for (const Setter& s : setters) total += s.set.value;
  for (const Setter& s : setters)
    if (total - s.set.smallest < needed && place_[s.step] < place_[step]) add(step, s.step);
}

void HappensBefore::add_stores(const std::vector<Setter>& setters, const StepWait& wait, std::uint32_t step) {
  std::vector<std::uint32_t> candidates;
  bool in_order = true;
  for (const Setter& s : setters) {
    if (s.set.value < wait.value || place_[s.step] >= place_[step]) continue;
    if (!candidates.empty()) in_order = in_order && before(candidates.back(), s.step);
    candidates.push_back(s.step);
  }
  if (candidates.empty()) return;
  if (resets_[wait.word] || wait.resets > 0) {
    if (in_order && wait.resets < candidates.size()) add(step, candidates[wait.resets]);
    return;
  }
  if (in_order) return add(step, candidates.front());
  std::uint64_t* to = row(step);
  for (std::size_t i = 0; i < width_; ++i) {
    std::uint64_t common = ~std::uint64_t{0};
    for (const std::uint32_t candidate : candidates) common &= row(candidate)[i];
    to[i] |= common;
  }
}

}  // namespace t3sim::program
