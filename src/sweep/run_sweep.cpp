#include "sweep/run_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/error.h"
#include "base/exit_status.h"
#include "base/number.h"

namespace t3sim::sweep {
namespace {

using namespace std::chrono_literals;

// Rewriting the tables must not cost more than a twentieth of the time.
constexpr auto kTablesEvery = 2s;
constexpr int kTablesShare = 20;
constexpr auto kPlanAppearsWithin = 10s;

}  // namespace

SweepRun::SweepRun(const SweepRunOptions& options, Plan plan)
    : options_(options),
      plan_(std::move(plan)),
      store_(Store::make(options.directory)),
      lock_(FileLock::take(store_.file("driver"), false, process_name())),
      results_(store_, plan_),
      progress_(Progress::mode_for(options.quiet)),
      failed_(plan_.points.size(), false) {
  take_directory();
  done_before_ = results_.refresh();
  for (const Point& point : plan_.points) {
    work_all_ += point.work;
    if (results_.done(point.index)) work_before_ += point.work;
    if (lock_) store_.forget_failure(point);
  }
  results_.write_tables();
}

// Only one process plans; a second one with the same plan may help it along.
void SweepRun::take_directory() {
  std::optional<Plan> before = store_.plan();
  for (auto waited = 0ms; !lock_ && !before && waited < kPlanAppearsWithin; waited += 50ms) {
    std::this_thread::sleep_for(50ms);
    before = store_.plan();
  }
  refuse_or_join(before);
  if (!lock_) return;
  store_.clean(false);
  if (!before || plan_text(*before) != plan_text(plan_)) store_.write_plan(plan_);
}

void SweepRun::refuse_or_join(const std::optional<Plan>& before) {
  const std::string& directory = options_.directory;
  if (!lock_) {
    const std::string who = FileLock::holder(store_.file("driver")).value_or("another process");
    if (!before || plan_text(*before) != plan_text(plan_))
      throw InputError(fmt::format("-o {}: another sweep is being run here by {}", directory, who));
    if (!options_.resume)
      throw InputError(
          fmt::format("-o {}: this sweep is being run here by {}; --resume helps it along", directory, who));
  }
  if (before && before->sweep != plan_.sweep)
    throw InputError(fmt::format("-o {}: holds another sweep, {}; name a new or empty directory for {}",
                                 directory, before->sweep, plan_.sweep));
  if (before && !options_.resume) {
    Results done(store_, *before);
    throw InputError(fmt::format("-o {}: holds a sweep with {} of {} points done; --resume goes on with it",
                                 directory, done.refresh(), before->points.size()));
  }
}

std::vector<std::size_t> SweepRun::missing() const {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < plan_.points.size(); ++i)
    if (!results_.done(i) && !failed_[i]) points.push_back(i);
  return points;
}

void SweepRun::note_done(std::size_t point, std::uint64_t events) {
  results_.look_at(point);
  events_ += real(events);
}

void SweepRun::note_failed(std::size_t point, const std::string& why) {
  if (failed_[point]) return;
  failed_[point] = true;
  ++failures_;
  progress_.say(fmt::format("point {} failed ({}): {}\n  to repeat it: {}", point, plan_.points[point].label,
                            why, plan_.points[point].command));
}

void SweepRun::look_around() {
  for (const std::size_t i : missing()) {
    results_.look_at(i);
    if (results_.done(i)) events_ += real(results_.of(i).events);
    if (results_.done(i)) continue;
    if (const std::optional<std::string> why = store_.failure(plan_.points[i])) note_failed(i, *why);
  }
}

void SweepRun::tick(std::size_t running) {
  const auto now = Clock::now();
  SweepState state;
  state.points = plan_.points.size();
  state.done = results_.done();
  state.running = running;
  state.failed = failures_;
  state.seconds = std::chrono::duration<double>(now - start_).count();
  state.events = events_;
  state.work_done = -work_before_;
  state.work_left = work_all_;
  for (const Point& point : plan_.points) {
    if (results_.done(point.index)) state.work_done += point.work;
    if (results_.done(point.index) || failed_[point.index]) state.work_left -= point.work;
  }
  progress_.show(state);
  if (now < next_tables_ || results_.done() == in_tables_) return;
  results_.write_tables();
  in_tables_ = results_.done();
  const auto took = Clock::now() - now;
  next_tables_ = Clock::now() + std::max<Clock::duration>(kTablesEvery, kTablesShare * took);
}

int SweepRun::finish(bool interrupted) {
  look_around();
  results_.write_tables();
  const std::size_t left = missing().size();
  if (left == 0 && lock_) store_.clean(true);
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  fmt::print("{}: {} of {} points done ({} of them before), {} failed, {} missing; {}\n", plan_.sweep,
             results_.done(), plan_.points.size(), done_before_, failures_, left, spoken_seconds(seconds));
  if (!plan_.invalid.empty())
    fmt::print("{} points cannot be run and are left out (invalid: skip); t3sim sweep status says why\n",
               plan_.invalid.size());
  fmt::print("Results: {}, {}\n", store_.file("results.csv"), store_.file("results.sqlite"));
  if (results_.done() == plan_.points.size())
    for (const std::string& name : results_.columns_without_values())
      fmt::print(stderr, "column {}: no row has what it is made of, so there is none\n", name);
  if (interrupted || left > 0 || failures_ > 0)
    fmt::print(stderr, "not complete: the same command with --resume goes on\n");
  return left == 0 && failures_ == 0 ? kDone : kFailed;
}

int run_sweep(const SweepRunOptions& options) {
  SweepRun run(options, make_plan(load_sweep(options.sweep_file)));
  bool whole = true;
  if (!run.missing().empty()) whole = options.slurm ? run_on_slurm(run) : run_locally(run);
  if (options.slurm && options.detach) return kDone;
  return run.finish(!whole);
}

}  // namespace t3sim::sweep
