// What a sweep needs of Slurm: job arrays in, their state out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sweep/store.h"

namespace t3sim::sweep {

// Points of one task of a job array.
using TaskPoints = std::vector<std::size_t>;

// Cuts `missing` into tasks of about `task_seconds`, so that starting a task (about half a second) does not
// matter; at most `kMostTasks`. `seconds_per_work` turns Point::work into seconds of one core.
inline constexpr std::size_t kMostTasks = 1000;  // a job array of Slurm's default size
std::vector<TaskPoints> cut_into_tasks(const Plan& plan, const std::vector<std::size_t>& missing,
                                       double task_seconds, double seconds_per_work);

// Writes DIR/slurm/NUMBER.tasks and NUMBER.sh and submits the array; `more` goes to sbatch. Returns the job's
// number. Throws std::runtime_error with what sbatch says.
std::string submit_array(const Store& store, const std::string& sweep, const std::vector<TaskPoints>& tasks,
                         const std::vector<std::string>& more);

struct QueueState {
  bool known = false;  // false: Slurm does not answer
  std::size_t waiting = 0;
  std::size_t running = 0;
  std::string why;  // Slurm's word for why tasks wait: "Resources", "JobHeldUser", …
  // Tasks ("1_14") that Slurm itself holds, as their start failed; not those that a person holds.
  std::vector<std::string> held;
};
QueueState queue_state(const std::string& job);
// Lets held tasks go. Returns what Slurm has against it; empty if nothing.
std::string release(const std::vector<std::string>& tasks);

}  // namespace t3sim::sweep
