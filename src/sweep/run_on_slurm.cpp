// A sweep as a job array: tasks are workers on a shared directory, and the files say what is done. Slurm is
// only asked whether anything may still come.
#include <fmt/format.h>

#include <thread>

#include "sweep/run_sweep.h"
#include "sweep/slurm.h"
#include "sweep/slurm_queue.h"

namespace t3sim::sweep {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr double kSecondsPerWork = 2e-10;  // of a core of 2024, before any point was measured
constexpr auto kLookEvery = 1s;
constexpr auto kAskEvery = 5s;  // a controller has other users
constexpr auto kFilesAppearWithin = 5s;

double measured_seconds_per_work(SweepRun& run) {
  double seconds = 0, work = 0;
  for (const Point& point : run.plan().points) {
    if (!run.results().done(point.index)) continue;
    seconds += run.results().of(point.index).host_seconds;
    work += point.work;
  }
  return work > 0 && seconds > 0 ? seconds / work : kSecondsPerWork;
}

// Until all points are settled or Slurm has nothing left that could settle them.
void watch(SweepRun& run, const std::string& job) {
  SlurmQueue queue(job, [&](const std::string& text) { run.progress().say(text); });
  auto next = Clock::now() + kAskEvery;
  while (!run.missing().empty()) {
    std::this_thread::sleep_for(kLookEvery);
    run.look_around();
    run.tick(queue.running());
    if (Clock::now() < next) continue;
    if (!queue.ask()) break;
    next = Clock::now() + kAskEvery;
  }
  // What a node wrote last may be seen late over a network.
  for (const auto end = Clock::now() + kFilesAppearWithin; !run.missing().empty() && Clock::now() < end;) {
    std::this_thread::sleep_for(kLookEvery);
    run.look_around();
  }
}

}  // namespace

bool run_on_slurm(SweepRun& run) {
  const SweepRunOptions& options = run.options();
  const std::vector<TaskPoints> tasks =
      cut_into_tasks(run.plan(), run.missing(), options.task_seconds, measured_seconds_per_work(run));
  const std::string job = submit_array(run.store(), run.plan().sweep, tasks, options.sbatch);
  run.progress().say(
      fmt::format("{} points in {} tasks: Slurm job {}", run.missing().size(), tasks.size(), job));
  if (options.detach)
    fmt::print("{}\n", job);
  else
    watch(run, job);
  return true;
}

}  // namespace t3sim::sweep
