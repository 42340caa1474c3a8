#include "model/points.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "base/number.h"
#include "base/sha256.h"
#include "model/time_left.h"
#include "program/library.h"
#include "results/progress.h"
#include "run/program_point.h"
#include "run/program_report.h"
#include "run/run_schemes.h"
#include "runtime/configured_run.h"

namespace t3sim::model {
namespace {

namespace fs = std::filesystem;

std::string read_whole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

fs::path cache_file(const std::string& cache, const std::string& resolved) {
  return fs::path(cache) / (sha256_hex(program_hash() + resolved) + ".json");
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TimeLeft::Kind kind_of(const Config& config) {
  return config.program.file.empty() ? TimeLeft::Kind::schemes : TimeLeft::Kind::program;
}

// Lines "17 of 40 runs done (its name), about 3 min left".
class Tally {
 public:
  Tally(std::size_t runs, TimeLeft left, const PointOptions& options)
      : runs_(runs), left_(std::move(left)), options_(options) {}

  void done(const std::string& name, TimeLeft::Kind kind, double cost, double seconds) {
    const std::lock_guard lock(mutex_);
    ++done_;
    left_.done(kind, cost, seconds);
    if (options_.quiet) return;
    fmt::print(stderr, "{} of {} runs done ({}){}\n", done_, runs_, name, done_ == runs_ ? taken() : still());
  }

 private:
  std::string taken() const { return ", " + spoken_seconds(seconds_since(start_)); }
  std::string still() const {
    const auto seconds = left_.seconds(options_.jobs);
    return seconds ? fmt::format(", about {} left", spoken_seconds(*seconds)) : std::string();
  }

  std::mutex mutex_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::size_t runs_, done_ = 0;
  TimeLeft left_;
  const PointOptions& options_;
};

// Calls work(0) to work(count - 1), `jobs` of them at a time. Throws what the first failed one threw, after those
// under way have ended.
void for_each_at_once(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work) {
  std::mutex mutex;
  std::size_t next = 0;
  std::exception_ptr failure;
  const auto take = [&]() -> std::optional<std::size_t> {
    const std::lock_guard lock(mutex);
    if (next == count || failure) return std::nullopt;
    return next++;
  };
  const auto worker = [&] {
    while (const auto i = take()) {
      try {
        work(*i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < std::min<std::size_t>(jobs, count); ++i) workers.emplace_back(worker);
  for (std::thread& thread : workers) thread.join();
  if (failure) std::rethrow_exception(failure);
}

// What the progress calls a point.
std::string name_of(const Config& config) {
  if (config.program.file.empty())
    return fmt::format("{} of {} on {}", fmt::join(config.schemes, ", "), config.workload.name,
                       config.gpu.name);
  std::string name = fmt::format("{} on {}", config.program.file, config.gpu.name);
  for (const auto& [parameter, value] : config.program.parameters)
    name += fmt::format(" {}={}", parameter, value);
  return name;
}

// What a change may move in one run and not in another: the GEMM.
std::string gemm_of(const Config& config) {
  if (config.program.file.empty()) return config.workload.name;
  std::string gemm;
  for (const auto& [parameter, value] : config.program.parameters)
    if (parameter == "m" || parameter == "n" || parameter == "k")
      gemm += fmt::format("{}={} ", parameter, value);
  return gemm;
}

// And who runs it.
std::string method_of(const Config& config) {
  return config.program.file.empty() ? fmt::format("{}", fmt::join(config.schemes, ", "))
                                     : config.program.file;
}

double mean_held_cus(const ConfiguredRun& run) {
  double sum = 0;
  for (std::size_t g = 0; g < run.result.gpus.size(); ++g)
    sum += metrics_of(run.program.gpus[g], run.result.gpus[g].times, run.config).held_cus;
  return sum / real(run.result.gpus.size());
}

// Of stats.csv: when the kernel of each scheme's fused stage ended, on the GPU where it did last.
std::map<std::string, double> kernel_ends(const RunReport& report) {
  std::map<std::string, double> ends;
  for (const StatRow& row : report.stats) {
    if (row.component != "kernel" || row.name != "end" || !row.phase.starts_with("fused")) continue;
    const double end = std::visit([](auto v) { return static_cast<double>(v); }, row.value);
    ends[row.scheme] = std::max(ends[row.scheme], end);
  }
  return ends;
}

std::vector<double> ends_of(const ConfiguredRun& run) {
  const TimeBase time = time_base(run.config);
  std::vector<double> ends;
  for (const ProgramResult::OneGpu& gpu : run.result.gpus) {
    Tick last = 0;
    for (const CommandTimes& times : gpu.times) last = std::max(last, times.done);
    ends.push_back(time.to_us(last));
  }
  return ends;
}

std::string simulate(const Config& config, bool with_parts) {
  if (!config.program.file.empty()) {
    const ConfiguredRun run = run_configured(config);
    PointResult more;
    more.sample_error_us = run.sample ? run.sample->error_us : 0;
    if (run.sample) more.together = run.sample->together;
    more.gpu_us = ends_of(run);
    more.held_cus = mean_held_cus(run);
    more.asked_parts = with_parts;
    if (with_parts) more.parts = parts_of(run);
    return point_json(program_report(run), more);
  }
  RunOptions without_baseline;  // unless it is asked for
  without_baseline.with_baseline = false;
  const RunReport report = run_point(config, without_baseline);
  PointResult more;
  more.kernel_us = kernel_ends(report);
  return point_json(report, more);
}

}  // namespace

std::string program_hash() {
  static const std::string hash = sha256_hex(read_whole("/proc/self/exe"));
  return hash;
}

void make_folder_of_kept(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw InputError(fmt::format("{}: finished runs cannot be kept there: {}", folder, error.message()));
}

void write_kept(const std::string& path, const std::string& text) {
  const fs::path temporary = path + fmt::format(".{}", ::getpid());
  std::ofstream file(temporary, std::ios::binary);
  file << text;
  file.close();
  std::error_code ignored;
  if (file)
    fs::rename(temporary, path, ignored);
  else
    fs::remove(temporary, ignored);  // a full disk: the run is repeated another time
}

const SchemeResult& PointResult::scheme(const std::string& id) const { return schemes.at(id); }

double PointResult::phase_us(const std::string& id, const std::string& phase) const {
  for (const auto& [key, value] : scheme(id).phases)
    if (key == phase) return value;
  return 0;
}

std::uint64_t PointResult::dram(const std::string& id, const std::string& kind) const {
  for (const auto& [key, value] : scheme(id).dram_bytes)
    if (key == kind) return value;
  return 0;
}

// Of a program its bytes; of schemes load sectors of a GEMM for each fused or isolated run of it, and the collectives' bytes.
double estimated_cost(const Config& config) {
  if (!config.program.file.empty()) return program_work(config);
  const WorkloadConfig& w = config.workload;
  const double output = real(w.m) * w.n;
  double cost = 0;
  for (const std::string& scheme : config.schemes) {
    if (scheme != shipped::ideal_overlap && scheme != shipped::ideal_rs_nmc) cost += output * w.k;
    if (scheme != shipped::kernel && scheme != shipped::ideal_overlap) cost += output * 800;
  }
  return cost;
}

PointId Points::add(const Config& config) {
  std::string resolved = config::write(config);
  if (program_library::is_file(config.program.file)) resolved += read_whole(config.program.file);
  for (const std::string& scheme : config.schemes)
    if (program_library::is_file(scheme)) resolved += read_whole(scheme);
  for (std::size_t i = 0; i < points_.size(); ++i)
    if (points_[i].resolved == resolved) return i;
  points_.push_back({config, name_of(config), std::move(resolved), 0, false, {}, {}});
  return points_.size() - 1;
}

bool Points::is_kept(PointId id, const KeptRuns& kept) const {
  return kept.find(KeptRuns::hash(points_[id].resolved)) != nullptr;
}

bool Points::suffices(Point& point, const PointOptions& options) {
  point.done = !options.with_parts || point.config.program.file.empty() || point.result.asked_parts;
  return point.done;
}

// Takes the text of a result, unless it is not whole, or parts are asked for that it was made without.
bool Points::take(Point& point, const std::string& json, const PointOptions& options) {
  try {
    point.result = parse_point(json);
  } catch (const std::exception&) {
    return false;
  }
  return suffices(point, options);
}

bool Points::is_in_cache(Point& point, const PointOptions& options) {
  return !options.cache.empty() &&
         take(point, read_whole(cache_file(options.cache, point.resolved)), options);
}

bool Points::take_kept(Point& point, const PointOptions& options) {
  const std::string* committed =
      options.committed ? options.committed->find(KeptRuns::hash(point.resolved)) : nullptr;
  const bool there = (committed && take(point, *committed, options)) || is_in_cache(point, options);
  if (there) ++reused_;
  return there;
}

std::vector<Points::Point*> Points::missing(const PointOptions& options) {
  std::vector<Point*> to_run;
  for (Point& point : points_)
    if (!point.done && !take_kept(point, options)) to_run.push_back(&point);
  return to_run;
}

void Points::run(const PointOptions& options) {
  if (!options.cache.empty()) make_folder_of_kept(options.cache);
  if (options.adopt && options.committed) adopt(options);
  const std::vector<Point*> to_run = missing(options);
  if (!options.quiet && reused_ > 0) fmt::print(stderr, "{} runs are there already\n", reused_);
  simulate_all(to_run, options);
}

// The longest first, so that no long one is left for the end.
void Points::simulate_all(std::vector<Point*> to_run, const PointOptions& options) {
  if (!options.quiet) fmt::print(stderr, "{} runs, {} at a time\n", to_run.size(), options.jobs);
  for (Point* point : to_run) point->cost = estimated_cost(point->config);
  std::ranges::stable_sort(to_run, std::greater(), &Point::cost);
  TimeLeft left;
  for (const Point* point : to_run) left.add(kind_of(point->config), point->cost);
  Tally tally(to_run.size(), std::move(left), options);
  for_each_at_once(to_run.size(), options.jobs, [&](std::size_t i) {
    Point& point = *to_run[i];
    const auto start = std::chrono::steady_clock::now();
    // Another process that keeps its runs in the same folder may have made it by now.
    if (!is_in_cache(point, options)) finish(point, simulate(point.config, options.with_parts), options);
    tally.done(point.name, kind_of(point.config), point.cost, seconds_since(start));
  });
}

void Points::adopt(const PointOptions& options) {
  std::map<std::pair<std::string, std::string>, std::vector<Point*>>
      by_gpu;  // and by the sources that ran it
  for (Point& point : points_) {
    if (point.done || is_kept(static_cast<PointId>(&point - points_.data()), *options.committed)) continue;
    if (const auto other = options.committed->find_other(point.resolved))
      by_gpu[{point.config.gpu.name, other->sources}].push_back(&point);
  }
  for (const auto& [gpu, points] : by_gpu) adopt_of_one_gpu(points, options);
}

void Points::adopt_of_one_gpu(std::vector<Point*> points, const PointOptions& options) {
  constexpr std::size_t kShare = 10, kFewest = 4;
  std::ranges::sort(points, {}, [](const Point* point) { return KeptRuns::hash(point->resolved); });
  std::set<std::string> gemms, methods;  // one run of each comes first
  const auto others = std::ranges::stable_partition(points, [&](const Point* point) {
    const bool gemm = gemms.insert(gemm_of(point->config)).second;
    return methods.insert(method_of(point->config)).second || gemm;
  });
  const std::size_t share = std::max(kFewest, (points.size() + kShare - 1) / kShare);
  const std::size_t drawn = std::min(points.size(), std::max(share, points.size() - others.size()));
  const std::vector<Point*> sample(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(drawn));
  simulate_all(sample, options);
  for (const Point* point : sample)
    if (short_point_json(point->result) !=
        short_point_json(parse_point(*options.committed->find_other(point->resolved)->result))) {
      fmt::print(stderr, "{}: {} is another result: nothing is taken over\n", point->config.gpu.name,
                 point->name);
      return;
    }
  std::size_t taken = 0;
  for (Point* point : points) {
    if (point->done) continue;
    const auto other = options.committed->find_other(point->resolved);
    point->result = parse_point(*other->result);
    if (suffices(*point, options)) point->ran_with = other->ran_with, ++taken, ++reused_;
  }
  fmt::print(stderr, "{}: {} runs are the same, {} are taken over\n", points.front()->config.gpu.name, drawn,
             taken);
}

std::string Points::kept_lines() const {
  std::map<std::string, std::string> lines;  // in an order that does not depend on the runs'
  for (const Point& point : points_) {
    const std::string run = KeptRuns::hash(point.resolved);
    if (point.done)
      lines[point.name + run] =
          KeptRuns::line(run, point.name, short_point_json(point.result), point.ran_with);
  }
  std::string text;
  for (const auto& [key, line] : lines) text += line;
  return text;
}

void Points::finish(Point& point, const std::string& json, const PointOptions& options) {
  if (!options.cache.empty()) write_kept(cache_file(options.cache, point.resolved), json);
  point.result = parse_point(json);
  point.done = true;
}

}  // namespace t3sim::model
