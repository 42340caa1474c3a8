#include "runtime/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "runtime/load_program.h"
#include "runtime/products.h"
#include "runtime/sampled_lengths.h"

namespace t3sim {
namespace {

using program::Program;

class SampledProgram {
 public:
  SampledProgram(const Config& config, const Program& full, std::vector<SampledLength> lengths,
                 const std::function<void(double)>& progress, unsigned threads)
      : config_(config), full_(full), lengths_(std::move(lengths)), progress_(progress), threads_(threads) {}

  SampledRun run() {
    const std::size_t n = lengths_.size();
    for (std::size_t corner = 0; corner < (std::size_t{1} << n); ++corner) corners_.push_back(run_at(corner));
    for (std::size_t i = 0; i < n; ++i) between_.push_back(run_at(0, i));
    SampledRun made;
    made.runs = narrow<unsigned>(corners_.size() + between_.size());
    made.sample.emplace();
    made.sample->lengths = lengths_;
    made.sample->commands = commands_alike();
    made.result = extrapolated(made.sample->commands);
    made.sample->error_us = error_us();
    return made;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  // At the longer ones of the lengths whose bits are set, and the others' shorter ones; of `middle` between the two.
  ProgramResult run_at(std::size_t corner, std::size_t middle = kNone) {
    Config config = config_;
    std::optional<std::uint64_t> waves, loops;
    for (std::size_t i = 0; i < lengths_.size(); ++i) {
      const SampledLength& length = lengths_[i];
      const std::uint64_t at = i == middle              ? length.between
                               : (corner >> i & 1) != 0 ? length.longer
                                                        : length.shorter;
      if (length.what == kWaves)
        waves = at;
      else if (length.what == kLoops)
        loops = at;
      else
        config.program.parameters[length.what] = at;
    }
    Program program = load_program(config, config_);
    if (waves) program = with_waves(config, std::move(program), *waves);
    if (loops) program = with_loops(std::move(program), *loops);
    products_us_ = std::max(products_us_, least_products_us(config, program));
    return run_program(config, program, progress_, threads_);
  }

  // What `value` of the runs' results is at the full lengths; of `i`, if it is one, at its longer one.
  template <class Value>
  double line(Value&& value, std::size_t i = kNone) const {
    double sum = 0;
    for (std::size_t corner = 0; corner < corners_.size(); ++corner) {
      double weight = 1;
      for (std::size_t l = 0; l < lengths_.size(); ++l) {
        const SampledLength& length = lengths_[l];
        const double at = (real(l == i ? length.longer : length.full) - real(length.shorter)) /
                          (real(length.longer) - real(length.shorter));
        weight *= (corner >> l & 1) != 0 ? at : 1 - at;
      }
      if (weight != 0) sum += weight * value(corners_[corner]);
    }
    return sum;
  }
  template <class Count>
  std::uint64_t count(Count&& value) const {
    return static_cast<std::uint64_t>(
        std::llround(std::max(0.0, line([&](const ProgramResult& r) { return real(value(r)); }))));
  }

  bool commands_alike() const {
    return std::ranges::all_of(corners_, [&](const ProgramResult& r) {
      for (std::size_t g = 0; g < full_.gpus.size(); ++g)
        if (r.gpus[g].times.size() != full_.gpus[g].commands.size()) return false;
      return true;
    });
  }

  ProgramResult extrapolated(bool commands) const {
    ProgramResult all;
    all.time_us = line([](const ProgramResult& r) { return r.time_us; });
    all.ticks = count([](const ProgramResult& r) { return r.ticks; });
    for (const ProgramResult& r : corners_) all.events += r.events, all.host_seconds += r.host_seconds;
    for (const ProgramResult& r : between_) all.events += r.events, all.host_seconds += r.host_seconds;
    for (std::size_t g = 0; g < full_.gpus.size(); ++g) all.gpus.push_back(gpu(g, commands));
    return all;
  }

  ProgramResult::OneGpu gpu(std::size_t g, bool commands) const {
    ProgramResult::OneGpu gpu;
    for (std::size_t c = 0; commands && c < full_.gpus[g].commands.size(); ++c) {
      CommandTimes times;
      times.issued = count([&](const ProgramResult& r) { return r.gpus[g].times[c].issued; });
      times.begun = count([&](const ProgramResult& r) { return r.gpus[g].times[c].begun; });
      times.done = count([&](const ProgramResult& r) { return r.gpus[g].times[c].done; });
      const auto placed = [&](const ProgramResult& r) { return r.gpus[g].times[c].residence.all_placed; };
      if (placed(corners_[0]) != kNever) times.residence.all_placed = count(placed);
      gpu.times.push_back(times);
    }
    for (int t = 0; t < kTraffics; ++t) {
      const auto traffic = static_cast<Traffic>(t);
      gpu.dram.read(traffic) = count([&](const ProgramResult& r) { return r.gpus[g].dram.read(traffic); });
      gpu.dram.written(traffic) =
          count([&](const ProgramResult& r) { return r.gpus[g].dram.written(traffic); });
    }
    gpu.link_bytes = count([&](const ProgramResult& r) { return r.gpus[g].link_bytes; });
    return gpu;
  }

  double error_us() const {
    const auto time = [](const ProgramResult& r) { return r.time_us; };
    double error = 0;
    for (std::size_t i = 0; i < lengths_.size(); ++i) {
      const SampledLength& length = lengths_[i];
      const double first = corners_[0].time_us, middle = between_[i].time_us,
                   last = corners_[std::size_t{1} << i].time_us;
      const double before = (middle - first) / real(length.between - length.shorter);
      const double after = (last - middle) / real(length.longer - length.between);
      const double slope = (last - first) / real(length.longer - length.shorter);
      error += ratio(std::abs(after - before), slope) * (line(time) - line(time, i));
    }
    return std::max(error, products_left_us());
  }

  // By how much the line grows by less, from the longest run to the whole, than the products that the whole has more take at the
  // least: something else bounds the runs, and the line has a bend beyond them.
  double products_left_us() const {
    const double grows = extrapolated(false).time_us - corners_.back().time_us;
    return std::max(0.0, least_products_us(config_, full_) - products_us_ - grows);
  }

  const Config& config_;
  const Program& full_;
  std::vector<SampledLength> lengths_;
  const std::function<void(double)>& progress_;
  unsigned threads_;
  std::vector<ProgramResult> corners_, between_;
  double products_us_ = 0;  // least_products_us of the longest run
};

}  // namespace

std::string Sample::text() const {
  if (phases != 0)
    return fmt::format(
        "put together from short runs, phases of other kinds: {}; GEMMs alone +- {:.2f} us, as their samples "
        "say",
        phases, error_us);
  std::string text = "extrapolated from runs of";
  for (const SampledLength& l : lengths)
    text += fmt::format("{} {} {} and {} (of {})", &l == &lengths.front() ? "" : ",", l.what, l.shorter,
                        l.longer, l.full);
  text += fmt::format("; time +- {:.2f} us, as straight as the line is between them", error_us);
  if (!commands) text += "; times of single commands are not known";
  return text;
}

namespace {

// A line that bends, as where communication bounds the shorter runs and the CUs the longer ones, says nothing of what lies far
// beyond it: then longer runs take its place, until it is straight or little shorter than the whole.
constexpr double kRough = 0.05;
constexpr int kLonger = 4;
constexpr double kMostOfTheWhole = 0.6;  // else the whole does instead, of which nothing has to be guessed

// Four times as many bytes; where the fewest steps are more than that, four times as many of them, until the runs are others.
Effort longer(const Config& config, const Program& full, Effort effort,
              const std::vector<SampledLength>& before) {
  do {
    effort.short_run *= kLonger;
    if (lengths_of(config, full, effort) == before) effort.fewest_times *= narrow<std::uint64_t>(kLonger);
  } while (lengths_of(config, full, effort) == before);
  return effort;
}

// Of the whole's simulated bytes, by all runs together.
double share_of(const std::vector<SampledLength>& lengths) {
  double share = 1;
  for (const SampledLength& l : lengths) share *= real(l.shorter + l.between + l.longer) / real(l.full);
  return share;
}

}  // namespace

// Two GEMMs on an A800 came out 1.6 and 4.2 % too short, with an error of 3.1 and 0.2 % said.
std::string why_not_sampled(const Config& config) {
  if (config.gpu.scheduler != WavefrontScheduler::greedy) return {};
  return "workgroups of this machine's CUs (gpu.scheduler: greedy) drift apart for longer than short runs "
         "last";
}

SampledRun run_sampled(const Config& config, const Program& full, const std::function<void(double)>& progress,
                       unsigned threads, double short_run) {
  const bool automatic = config.run.sampling == SamplingChoice::automatic && !config.run.functional &&
                         why_not_sampled(config).empty();
  SampledRun made;
  made.runs = 0;
  Effort effort{short_run};
  while (automatic) {
    const std::vector<SampledLength> lengths = lengths_of(config, full, effort);
    if (lengths.empty() || (made.runs != 0 && share_of(lengths) > kMostOfTheWhole)) break;
    SampledRun tried = SampledProgram(config, full, lengths, progress, threads).run();
    tried.runs += made.runs;
    made = std::move(tried);
    if (made.sample->error_us <= kRough * made.result.time_us) return made;
    effort = longer(config, full, effort, lengths);
  }
  return {run_program(config, full, progress, threads), std::nullopt, made.runs + 1};
}

}  // namespace t3sim
