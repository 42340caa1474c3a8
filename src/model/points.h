// Runs at cycle level that figures and models are made of: asked for first, then run together on all cores, each configuration
// once. What has been run is kept on disk by program and configuration, and not run again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine/config.h"
#include "model/kept_runs.h"
#include "results/results.h"
#include "run/program_parts.h"
#include "runtime/sampling.h"

namespace t3sim::model {

// What is kept of a run.
struct PointResult {
  std::map<std::string, SchemeResult> schemes;
  // DRAM traffic over time.
  std::vector<SeriesRow> dram_series;
  double sample_error_us = 0;          // of a program of which parts were simulated (runtime/sampling.h)
  std::vector<double> gpu_us;          // of a program: until the last command of each GPU is done
  std::optional<Contention> together;  // of a program with run.sampling: phases
  double held_cus = 0;  // of a program: that a library's collectives hold, in the mean over time and GPUs
  std::map<std::string, double> kernel_us;  // of a scheme's fused stage: until the GEMM has ended on all GPUs

  bool asked_parts = false;           // with PointOptions::with_parts
  std::optional<ProgramParts> parts;  // of a program that has them

  const SchemeResult& scheme(const std::string& id) const;  // it must have been asked for
  double time_us(const std::string& id) const { return scheme(id).time_us; }
  double speedup(const std::string& id) const {
    return scheme(id).speedup;
  }                                                                        // if sequential has been asked for
  double phase_us(const std::string& id, const std::string& phase) const;  // "gemm_us", …
  std::uint64_t dram(const std::string& id, const std::string& kind) const;  // "gemm_read", …
};

using PointId = std::size_t;

struct PointOptions {
  unsigned jobs = 2;
  std::string cache;  // folder; empty: none
  bool quiet = false;
  const KeptRuns* committed = nullptr;  // looked in before `cache`
  // What `committed` has of other sources is taken over, all of a GPU's, if a tenth of it, drawn by hashes, and one
  // run of each GEMM come out the same.
  bool adopt = false;
  bool with_parts = false;  // of programs, a run more of each; what is kept without is run again
};

class Points {
 public:
  // A configuration with its schemes, or with its program. Asking twice for the same gives the same id.
  PointId add(const Config& config);
  std::size_t size() const { return points_.size(); }
  bool is_kept(PointId id, const KeptRuns& kept) const;

  // Runs what has not been run, several at a time; progress and time left go to standard error. Throws what
  // the first failed run threw, after the others under way have ended.
  void run(const PointOptions& options);

  const PointResult& operator[](PointId id) const { return points_[id].result; }
  std::size_t reused() const { return reused_; }  // points found on disk
  // For KeptRuns: a line for each distinct point that is done. By sources, not by program: any build of them takes it.
  std::string kept_lines() const;

 private:
  struct Point {
    Config config;
    std::string name;      // what progress calls it
    std::string resolved;  // what decides the result: the configuration, and the program's file
    double cost = 0;       // estimated_cost() of what is to be run
    bool done = false;
    PointResult result;
    std::string ran_with;  // other sources that the result was taken over from; empty: none
  };
  bool suffices(Point& point, const PointOptions& options);
  bool take(Point& point, const std::string& json, const PointOptions& options);
  bool is_in_cache(Point& point, const PointOptions& options);
  bool take_kept(Point& point, const PointOptions& options);
  std::vector<Point*> missing(const PointOptions& options);
  void simulate_all(std::vector<Point*> to_run, const PointOptions& options);
  void adopt(const PointOptions& options);
  void adopt_of_one_gpu(std::vector<Point*> points, const PointOptions& options);
  void finish(Point& point, const std::string& json, const PointOptions& options);

  std::vector<Point> points_;
  std::size_t reused_ = 0;
};

// A result as a text, and back. Throws std::exception if it cannot be read.
std::string point_json(const RunReport& report, const PointResult& more = {});
// Without what varies over time and what only a page shows.
std::string short_point_json(const PointResult& result);
PointResult parse_point(const std::string& json);

// Of this program: the same one and the same configuration give the same result.
std::string program_hash();
// Throws InputError where there can be none.
void make_folder_of_kept(const std::string& folder);
// Whole or not at all: several programs may write the same result.
void write_kept(const std::string& path, const std::string& text);

// What a run costs, in units of its own, to order runs and to tell the time left.
double estimated_cost(const Config& config);

}  // namespace t3sim::model
