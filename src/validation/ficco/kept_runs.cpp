#include "validation/ficco/kept_runs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <numeric>
#include <optional>
#include <sstream>

#include "base/number.h"
#include "base/sha256.h"
#include "results/progress.h"
#include "run/program_point.h"
#include "runtime/configured_run.h"
#include "validation/measured/in_parallel.h"

namespace t3sim::ficco {
namespace {

namespace fs = std::filesystem;

std::string own_hash() {
  static const std::string hash = [] {
    std::ifstream file("/proc/self/exe", std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return sha256_hex(text.str());
  }();
  return hash;
}

fs::path place_of(const Config& config, const KeepOptions& options) {
  return fs::path(options.folder) / (sha256_hex(own_hash() + config::write(config)) + ".txt");
}

std::optional<Timed> kept(const Config& config, const KeepOptions& options) {
  if (options.folder.empty()) return std::nullopt;
  std::ifstream file(place_of(config, options));
  Timed timed;
  if (file >> timed.us >> timed.sample_error_us) return timed;
  return std::nullopt;
}

// Whole or not at all.
void keep(const Config& config, const Timed& timed, const KeepOptions& options) {
  if (options.folder.empty()) return;
  const fs::path place = place_of(config, options);
  const std::string temporary = place.string() + fmt::format(".{}", ::getpid());
  std::ofstream(temporary) << fmt::format("{:.17g} {:.17g}\n", timed.us, timed.sample_error_us);
  std::error_code ignored;
  fs::rename(temporary, place, ignored);
}

// Sampled runs are cut to some length, but not below what the launches have of tiles.
double cost_of(const Config& config) {
  return program_work(config) / real(config.program.parameters.at("k"));
}

// Lines "3 of 20 runs done (g5 serial), about 4 min left".
class Tally {
 public:
  Tally(std::size_t runs, double cost, bool quiet) : runs_(runs), left_(cost), quiet_(quiet) {}
  void done(const std::string& name, double cost) {
    const std::lock_guard lock(mutex_);
    ++done_;
    spent_ += cost;
    left_ -= cost;
    if (quiet_) return;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    fmt::print(stderr, "{} of {} runs done ({}), about {} left\n", done_, runs_, name,
               spoken_seconds(elapsed.count() * std::max(left_, 0.0) / spent_));
  }

 private:
  std::mutex mutex_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::size_t runs_, done_ = 0;
  double left_, spent_ = 0;
  bool quiet_;
};

}  // namespace

std::vector<Timed> run_kept(const std::vector<Config>& configs, const KeepOptions& options) {
  if (!options.folder.empty()) fs::create_directories(options.folder);
  std::vector<Timed> times(configs.size());
  std::vector<std::size_t> todo;
  for (std::size_t i = 0; i < configs.size(); ++i)
    if (const auto one = kept(configs[i], options))
      times[i] = *one;
    else
      todo.push_back(i);
  if (!options.quiet)
    fmt::print(stderr, "{} runs are there already, {} to be made, {} at a time\n",
               configs.size() - todo.size(), todo.size(), options.jobs);
  std::vector<double> costs(configs.size());
  for (const std::size_t i : todo) costs[i] = cost_of(configs[i]);
  std::ranges::stable_sort(todo, std::greater(), [&](std::size_t i) { return costs[i]; });
  Tally tally(todo.size(), std::accumulate(costs.begin(), costs.end(), 0.0), options.quiet);
  in_parallel(todo.size(), options.jobs, [&](std::size_t t) {
    const Config& config = configs[todo[t]];
    const ConfiguredRun run = run_configured(config);
    times[todo[t]] = {run.result.time_us, run.sample ? run.sample->error_us : 0};
    keep(config, times[todo[t]], options);
    tally.done(config.workload.name, costs[todo[t]]);
  });
  return times;
}

}  // namespace t3sim::ficco
