// A job array of ours in Slurm's queue.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sweep/slurm.h"

namespace t3sim::sweep {

// Says what the user should know, once, and frees tasks that would wait for ever.
//
// Slurm holds a task that a node did not start, be it the node's fault (a full disk) or the controller's
// (killed before it saved its state, it starts anew what a node still runs). Another try mends most of it, if
// not at once, then when someone has seen to the node. What a person holds stays held.
class SlurmQueue {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr unsigned kMostReleases = 5;      // of one task
  static constexpr std::chrono::minutes kPause{1};  // before the second; doubled before each further one

  SlurmQueue(std::string job, std::function<void(const std::string&)> say)
      : job_(std::move(job)), say_(std::move(say)) {}

  // Of the last answer.
  std::size_t running() const { return state_.running; }

  // False if nothing is left there that could settle a point.
  bool ask(Clock::time_point now = Clock::now());

 private:
  struct Hold {
    unsigned releases = 0;
    Clock::time_point next;
    bool given_up = false;
  };

  void say_news(const std::string& why_before);
  void release_held(Clock::time_point now);
  void give_up(const std::string& task, Hold& hold) const;

  std::string job_;
  std::function<void(const std::string&)> say_;
  QueueState state_;
  bool answers_ = true;
  std::map<std::string, Hold> holds_;
};

}  // namespace t3sim::sweep
