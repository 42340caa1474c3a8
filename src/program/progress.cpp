#include "program/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/messages.h"
#include "program/views.h"

namespace t3sim::program {

Progress::Progress(const Steps& steps)
    : steps_(steps),
      done_(steps.size()),
      missing_(steps.size()),
      successors_(steps.size()),
      words_(steps.words()) {
  for (std::uint32_t word = 0; word < steps.words(); ++word) {
    words_[word].highest = steps.initial(word);
    words_[word].times = words_[word].highest > 0;
  }
  for (std::uint32_t step = 0; step < steps.size(); ++step) {
    missing_[step] = static_cast<std::uint32_t>(steps[step].after.size());
    for (const std::uint32_t before : steps[step].after) successors_[before].push_back(step);
    if (missing_[step] == 0) (steps[step].waits.empty() ? ready_ : waiting_).push_back(step);
  }
  run();
}

void Progress::run() {
  while (true) {
    for (std::size_t i = 0; i < ready_.size(); ++i) carry_out(ready_[i]);
    ready_.clear();
    std::erase_if(waiting_, [&](std::uint32_t step) {
      if (!satisfied(steps_[step])) return false;
      ready_.push_back(step);
      return true;
    });
    if (ready_.empty()) return;
  }
}

void Progress::carry_out(std::uint32_t step) {
  done_[step] = true;
  order_.push_back(step);
  for (const StepSet& set : steps_[step].sets) {
    Word& word = words_[set.word];
    if (set.add)
      word.added += set.value;
    else
      word.highest = std::max(word.highest, set.value);
    ++word.times;
  }
  for (const std::uint32_t next : successors_[step])
    if (--missing_[next] == 0) (steps_[next].waits.empty() ? ready_ : waiting_).push_back(next);
}

bool Progress::satisfied(const StepWait& wait) const {
  const Word& word = words_[wait.word];
  if (word.added > 0 || wait.resets == 0) return word.highest + word.added >= wait.value + wait.reset_away;
  return word.highest >= wait.value && word.times > wait.resets;
}
bool Progress::satisfied(const Step& step) const {
  return std::ranges::all_of(step.waits, [&](const StepWait& wait) { return satisfied(wait); });
}

std::uint32_t Progress::blocker(std::uint32_t step) const {
  for (const std::uint32_t before : steps_[step].after)
    if (!done_[before]) return before;
  const auto wait =
      std::ranges::find_if(steps_[step].waits, [&](const StepWait& w) { return !satisfied(w); });
  for (std::uint32_t other = 0; other < steps_.size(); ++other)
    if (!done_[other] &&
        std::ranges::any_of(steps_[other].sets, [&](const StepSet& s) { return s.word == wait->word; }))
      return other;
  return step;
}

void Progress::check() const {
  if (complete()) return;
  std::uint32_t step = 0;
  while (done_[step]) ++step;
  std::vector<bool> seen(steps_.size());
  while (!seen[step] && blocker(step) != step) {
    seen[step] = true;
    step = blocker(step);
  }
  refuse(step);
}

void Progress::refuse_word(std::uint32_t step, const StepWait& wait) const {
  const Word& word = words_[wait.word];
  const std::string name = to_text(steps_.program(), steps_.signal_word(wait.word), steps_[step].gpu);
  const bool initially = steps_.initial(wait.word) > 0;
  std::string why;
  if (word.times == (initially ? 1U : 0U))
    why = fmt::format("nothing sets {}, which is {}{}", name, word.highest, near_word(wait.word));
  else if (word.added == 0 && word.highest >= wait.value)
    why = fmt::format("{} is set {} times, and {} waits before this one have reset it", name, word.times,
                      wait.resets);
  else
    why = fmt::format("{} never becomes {}: all that sets it makes it {}", name, wait.value + wait.reset_away,
                      word.highest + word.added);
  throw error_at(steps_.command(step).place, fmt::format("{}: {}", steps_.text(step), why));
}

std::string Progress::near_word(std::uint32_t word) const {
  const std::uint32_t signals = steps_.signal_word(word).signals;
  for (std::uint32_t step = 0; step < steps_.size(); ++step)
    for (const StepSet& set : steps_[step].sets)
      if (steps_.signal_word(set.word).signals == signals)
        return fmt::format("; {} (line {}) sets another word of that name", steps_.text(step),
                           steps_.command(step).place.line);
  return "";
}

// Hosts that block, and collectives that are met in another order.
bool Progress::takes_time_to_show(std::uint32_t step) const {
  if (steps_[step].command == Step::kNoCommand) return false;
  const Action& action = steps_.command(step).action;
  const auto* barrier = std::get_if<Barrier>(&action);
  return std::holds_alternative<SyncEvent>(action) || std::holds_alternative<SyncStream>(action) ||
         std::holds_alternative<SyncSignal>(action) || std::holds_alternative<Collective>(action) ||
         (barrier && barrier->host);
}

// `step` is on a ring of waiters, or waits for what nobody does.
void Progress::refuse(std::uint32_t step) const {
  if (blocker(step) == step)
    refuse_word(step,
                *std::ranges::find_if(steps_[step].waits, [&](const StepWait& w) { return !satisfied(w); }));
  std::vector<std::string> ring;
  std::uint32_t first = step;
  bool in_time = false;
  for (std::uint32_t at = step; ring.empty() || at != step; at = blocker(at)) {
    in_time = in_time || takes_time_to_show(at);
    if (steps_[at].command == Step::kNoCommand) {
      ring.emplace_back("all GPUs meet");
      continue;
    }
    if (steps_[first].command == Step::kNoCommand) first = at;
    ring.push_back(fmt::format("{} (line {})", steps_.text(at), steps_.command(at).place.line));
  }
  const InputError error =
      error_at(steps_.command(first).place,
               fmt::format("these wait for each other, each for the next: {}", fmt::join(ring, "; ")));
  if (in_time) throw NoProgressError(error.what());
  throw error;
}

}  // namespace t3sim::program
