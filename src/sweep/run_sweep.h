// t3sim sweep run: plans, hands the points to workers, watches, and collects the results.
#pragma once

#include <string>
#include <vector>

#include "sweep/store.h"
#include "sweep/sweep_progress.h"
#include "sweep/tables.h"

namespace t3sim::sweep {

struct SweepRunOptions {
  std::string sweep_file;
  std::string directory;
  unsigned jobs = 1;
  bool resume = false;
  bool quiet = false;
  bool slurm = false;
  bool detach = false;              // with slurm: submit and leave
  std::vector<std::string> sbatch;  // with slurm: further arguments of sbatch
  double task_seconds = 120;        // with slurm: that a task should take
};

// One sweep under way: what the two ways of running it share.
class SweepRun {
 public:
  // Takes the directory. Throws InputError if it is another sweep's, or this one's without `resume`.
  SweepRun(const SweepRunOptions& options, Plan plan);

  const SweepRunOptions& options() const { return options_; }
  const Store& store() const { return store_; }
  const Plan& plan() const { return plan_; }
  Results& results() { return results_; }
  SweepProgress& progress() { return progress_; }

  // Points that are neither done nor failed.
  std::vector<std::size_t> missing() const;
  void note_done(std::size_t point, std::uint64_t events);
  void note_failed(std::size_t point, const std::string& why);
  // Looks at the files for what others finished.
  void look_around();
  // Progress, and the tables when it is time.
  void tick(std::size_t running);
  // Tables and summary; returns the exit status.
  int finish(bool interrupted);

 private:
  void take_directory();
  void refuse_or_join(const std::optional<Plan>& before);

  SweepRunOptions options_;
  Plan plan_;
  Store store_;
  std::optional<FileLock> lock_;
  Results results_;
  SweepProgress progress_;
  std::vector<bool> failed_;
  std::size_t failures_ = 0;
  std::size_t done_before_ = 0;
  double work_before_ = 0;
  double work_all_ = 0;
  double events_ = 0;
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_tables_ = Clock::now();
  std::size_t in_tables_ = 0;
};

// Returns the exit status. Throws InputError, StorageError.
int run_sweep(const SweepRunOptions& options);

// Runs the missing points in `options().jobs` processes. Returns false if it was interrupted or a worker
// could not go on.
bool run_locally(SweepRun& run);
// Hands the missing points to Slurm and waits for them, unless detached. The same.
bool run_on_slurm(SweepRun& run);

}  // namespace t3sim::sweep
