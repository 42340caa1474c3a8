#include "sweep/slurm_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace t3sim::sweep {

bool SlurmQueue::ask(Clock::time_point now) {
  const QueueState before = std::exchange(state_, queue_state(job_));
  say_news(before.why);
  if (!state_.known) return true;
  release_held(now);
  const bool hope =
      std::ranges::any_of(state_.held, [&](const auto& task) { return !holds_[task].given_up; });
  return state_.running + state_.waiting > 0 || hope;
}

void SlurmQueue::say_news(const std::string& why_before) {
  if (answers_ && !state_.known) say_("Slurm does not answer; waiting");
  if (!answers_ && state_.known) say_("Slurm answers again");
  answers_ = state_.known;
  if (state_.running == 0 && state_.why != why_before && !state_.why.empty())
    say_(fmt::format("{} tasks wait: {}", state_.waiting, state_.why));
}

void SlurmQueue::release_held(Clock::time_point now) {
  std::vector<std::string> tasks;
  for (const std::string& task : state_.held) {
    Hold& hold = holds_[task];
    if (hold.given_up || now < hold.next) continue;
    if (hold.releases == kMostReleases) {
      give_up(task, hold);
      continue;
    }
    tasks.push_back(task);
    hold.next = now + kPause * (1 << hold.releases++);
  }
  if (tasks.empty()) return;
  const std::string trouble = release(tasks);
  say_(fmt::format("held by Slurm after a failed start, {}: {}",
                   trouble.empty() ? "released" : "not released",
                   trouble.empty() ? fmt::format("{}", fmt::join(tasks, " ")) : trouble));
}

void SlurmQueue::give_up(const std::string& task, Hold& hold) const {
  hold.given_up = true;
  say_(fmt::format("task {}: Slurm still holds it after {} releases; scontrol show job {} says more", task,
                   hold.releases, task));
}

}  // namespace t3sim::sweep
