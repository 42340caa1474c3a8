// The directory of a sweep, shared by all who work on it.
//
//   plan.jsonl           the points (plan.h); workers need nothing else
//   results.csv, .sqlite all points that are done, in the order of the plan; rewritten as points finish
//   points/KEY           result of a point (point_result.h): done if, and only if, it verifies
//   points/KEY.failed    why a point failed
//   points/KEY.claim     locked by the process that runs the point
//   driver               locked by a `sweep run`
//   tables               locked while results.csv and results.sqlite are written
//   slurm/               scripts, lists of tasks and logs of job arrays
//
// Results are named by what decides them, so that a changed sweep keeps every point it still has, and a point
// that is run twice is written twice with the same rows.
#pragma once

#include <optional>
#include <string>

#include "sweep/files.h"
#include "sweep/plan.h"
#include "sweep/point_result.h"

namespace t3sim::sweep {

class Store {
 public:
  // Of a directory that a sweep was planned in. Throws InputError if `path` is none.
  static Store open(const std::string& path);
  // Makes the directory. Throws InputError if it cannot be written or holds something that is not a sweep's.
  static Store make(const std::string& path);

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  // Throws InputError if the plan is damaged; nothing if there is none yet.
  std::optional<Plan> plan() const;
  void write_plan(const Plan& plan) const;

  std::optional<PointResult> result(const Point& point) const;
  void write_result(const Point& point, const PointResult& result) const;

  // Why a point failed; nothing if it did not.
  std::optional<std::string> failure(const Point& point) const;
  void write_failure(const Point& point, const std::string& why) const;
  void forget_failure(const Point& point) const;

  // The right to run a point; nothing while another process has it.
  std::optional<FileLock> claim(const Point& point) const;
  bool claimed(const Point& point) const;

  // What killed processes left behind. Only what is older than an hour goes unless `all`.
  void clean(bool all) const;

 private:
  explicit Store(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace t3sim::sweep
