#include "runtime/sampled_lengths.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/number.h"
#include "program/views.h"
#include "runtime/launches.h"
#include "runtime/load_program.h"
#include "runtime/products.h"

namespace t3sim {
namespace {

using program::Program;

constexpr double kRunsOfALength = 1.875;   // in lengths of the longest
constexpr std::uint64_t kFewestWaves = 8;  // of the longest run
constexpr std::uint64_t kFewestLoops = 4;

// A longest run of so many of `steps` that all runs together are short; 0: the whole is no longer.
std::uint64_t longest(std::uint64_t steps, std::uint64_t fewest, double cost, double short_run) {
  const double fit = real(steps) * short_run / (kRunsOfALength * cost);
  const auto even = static_cast<std::uint64_t>(std::max(fit, real(fewest))) / 2 * 2;
  return even * 3 / 2 < steps ? even : 0;
}

// Far apart: what differs between two runs by chance, half a microsecond or so, grows with the line.
SampledLength along(std::string what, std::uint64_t full, std::uint64_t rest, std::uint64_t unit,
                    std::uint64_t steps) {
  return {std::move(what), full, rest + steps / 4 * unit, rest + steps * 5 / 8 * unit, rest + steps * unit};
}

std::uint64_t value_of(const Program& program, const std::string& parameter) {
  const auto found =
      std::ranges::find(program.parameters, parameter, &std::pair<std::string, std::int64_t>::first);
  return narrow<std::uint64_t>(std::max<std::int64_t>(0, found->second));  // below it there is no length
}

// Bytes of arrays on the GPU that has most.
double footprint(const Program& program) {
  double most = 0;
  for (std::uint32_t gpu = 0; gpu < program.gpu_count; ++gpu) {
    double bytes = 0;
    for (const program::Array& array : program.arrays)
      if (array.on[gpu]) bytes += real(array.copies) * real(array.stride_bytes);
    most = std::max(most, bytes);
  }
  return most;
}

// It adds to C, and that takes its memory longer than its products take.
bool waits_for_memory(const Config& config, const Program& full, const program::GemmBody& gemm) {
  const GemmSpec& spec = gemm.spec;
  const double added_to = 2. * spec.shape.m * spec.shape.n * spec.element_bytes();
  return gemm.accumulate &&
         1e6 * added_to / config.memory.peak_bytes_per_second() > least_products_us(config, full);
}

// No GPU has more than one GEMM, which waits for its matrix units rather than for memory.
bool is_one_gemm(const Config& config, const Program& full) {
  return std::ranges::all_of(full.gpus, [&](const program::GpuCommands& gpu) {
    if (gpu.commands.empty()) return true;
    const auto* launch = std::get_if<program::Launch>(&gpu.commands[0].action);
    const auto* gemm = launch ? std::get_if<program::GemmBody>(&launch->body) : nullptr;
    return gpu.commands.size() == 1 && gemm && launch->stores.empty() &&
           !waits_for_memory(config, full, *gemm);
  });
}

// What fits into a cache in a short run and does not in the whole would be read and written less.
double least_footprint(const Config& config, const Program& full) {
  constexpr double kTimesTheCache = 1.5;
  const double cache = real(std::max(config.l2.size_bytes, config.l2.memory_side.size_bytes));
  return is_one_gemm(config, full) ? 0 : std::min(kTimesTheCache * cache, footprint(full));
}

// A library's channels take so many bytes of every GPU's part at a time.
std::uint64_t loop_bytes(const Config& config, const program::Collective& collective) {
  constexpr std::uint64_t kChunksOfAFifo = 2;
  return channels_of(config, collective) * (config.execution.channel.buffer_bytes / kChunksOfAFifo);
}

std::uint64_t part_bytes(const Program& program, const program::Collective& collective) {
  return array_bytes(program, collective) / program.gpu_count;
}

template <class Visit>
void each_collective(const Program& program, Visit&& visit) {
  for (const program::GpuCommands& gpu : program.gpus)
    for (const program::Command& command : gpu.commands)
      if (const auto* c = std::get_if<program::Collective>(&command.action)) visit(*c);
}

// It cuts what does not fill the FIFOs of all channels into smaller slices.
bool fills_channels(const Config& config, const Program& program) {
  bool fills = true;
  each_collective(program, [&](const program::Collective& c) {
    fills = fills && part_bytes(program, c) >= loop_bytes(config, c);
  });
  return fills;
}

// How many units a shorter run must differ by from the whole, so that rows begin as they do there on
// banks and channels, and collectives end with a loop as full.
struct AlikeUnits {
  std::uint64_t rows = 1, loops = 1;
};

AlikeUnits alike_units(const Config& config, const Program& full, const program::SampledParameter& p) {
  constexpr std::uint64_t kAlignment = 2048;  // bytes
  Config less = config;
  less.program.parameters[p.name] = value_of(full, p.name) - p.unit;
  const Program shorter = load_program(less, config);
  AlikeUnits units;
  const auto keep = [](std::uint64_t& count, std::uint64_t whole, std::uint64_t part, std::uint64_t period) {
    count = std::lcm(count, period / std::gcd(whole - part, period));
  };
  for (std::size_t i = 0; i < std::min(full.arrays.size(), shorter.arrays.size()); ++i)
    keep(units.rows, full.arrays[i].pitch_bytes, shorter.arrays[i].pitch_bytes, kAlignment);
  std::vector<std::uint64_t> parts;
  each_collective(shorter, [&](const program::Collective& c) { parts.push_back(part_bytes(shorter, c)); });
  std::size_t i = 0;
  each_collective(full, [&](const program::Collective& c) {
    if (i < parts.size()) keep(units.loops, part_bytes(full, c), parts[i++], loop_bytes(config, c));
  });
  return units;
}

// `p` in the least multiple of its unit that leaves the program what it requires; none: it is not shortened.
std::optional<program::SampledParameter> as_required(const Config& config, const Program& full,
                                                     const program::SampledParameter& p) {
  constexpr std::uint64_t kMostTimes = 64;
  Config less = config;
  for (std::uint64_t times = 1; times <= kMostTimes && p.unit * times < value_of(full, p.name); times *= 2) {
    less.program.parameters[p.name] = value_of(full, p.name) - p.unit * times;
    try {
      load_program(less, config);
      return program::SampledParameter{p.name, p.unit * times, (p.fewest + times - 1) / times};
    } catch (const InputError&) {  // `require`, or an array that is cut otherwise
    }
  }
  return std::nullopt;
}

// `p` in units that keep all that, or rows at least, of which the whole has enough for a line.
program::SampledParameter kept_alike(const Config& config, const Program& full,
                                     const program::SampledParameter& p) {
  constexpr std::uint64_t kEnough = 7;
  if (is_one_gemm(config, full) || value_of(full, p.name) <= p.unit) return p;
  const AlikeUnits alike = alike_units(config, full, p);
  for (const std::uint64_t times : {std::lcm(alike.rows, alike.loops), alike.rows}) {
    if (value_of(full, p.name) / (p.unit * times) < kEnough) continue;
    return {p.name, p.unit * times, std::max<std::uint64_t>(4, (p.fewest + times - 1) / times)};
  }
  return p;
}

// More steps, until the shortest run has so many bytes and collectives of full slices; 0: the whole is no longer.
std::uint64_t lengthened(const Config& config, const program::SampledParameter& p, std::uint64_t whole,
                         std::uint64_t steps, double least) {
  for (; steps != 0; steps += std::max<std::uint64_t>(4, steps / 16 * 4)) {
    if (steps * 3 / 2 >= whole / p.unit) return 0;
    Config shortest = config;
    shortest.program.parameters[p.name] = along(p.name, whole, whole % p.unit, p.unit, steps).shorter;
    const Program program = load_program(shortest, config);
    if (footprint(program) >= least && fills_channels(config, program)) break;
  }
  return steps;
}

// Bytes of C that a wave of GEMMs adds to; 0: none does.
double added_to_by_a_wave(const Program& full, std::uint64_t waves) {
  double most = 0;
  for (const program::GpuCommands& gpu : full.gpus)
    for (const program::Command& command : gpu.commands)
      if (const auto* launch = std::get_if<program::Launch>(&command.action))
        if (const auto* gemm = std::get_if<program::GemmBody>(&launch->body); gemm && gemm->accumulate) {
          const GemmSpec& spec = gemm->spec;
          most = std::max(most, real(spec.shape.m) * spec.shape.n * spec.element_bytes() / real(waves));
        }
  return most;
}

// More waves, until what GEMMs add to does not stay in a cache in the shortest run, from one to the next; 0: the whole is no longer.
std::uint64_t lengthened_waves(const Program& full, std::uint64_t waves, std::uint64_t steps, double least) {
  const double a_wave = added_to_by_a_wave(full, waves);
  if (steps == 0 || a_wave == 0) return steps;
  const std::uint64_t needed = 4 * static_cast<std::uint64_t>(std::ceil(least / a_wave));
  steps = std::max(steps, needed);
  return steps * 3 / 2 < waves ? steps : 0;
}

}  // namespace

std::vector<SampledLength> lengths_of(const Config& config, const Program& full, const Effort& effort) {
  const auto& [short_run, times] = effort;
  std::vector<SampledLength> lengths;
  double cost = simulated_bytes(full);
  const auto add = [&](const std::string& what, std::uint64_t whole, std::uint64_t unit,
                       std::uint64_t steps) {
    if (steps == 0) return;
    lengths.push_back(along(what, whole, whole % unit, unit, steps));
    cost *= kRunsOfALength * real(steps * unit) / real(whole);
  };
  const double least = least_footprint(config, full);
  const std::uint64_t waves = alike_waves(config, full);
  if (waves != 0 && cost > short_run)
    add(kWaves, waves, 1,
        lengthened_waves(full, waves, longest(waves, times * kFewestWaves, cost, short_run), least));
  if (const std::uint64_t loops = alike_loops(config, full); loops != 0 && cost > short_run) {
    add(kLoops, loops, 1, longest(loops, times * kFewestLoops, cost, short_run));
    return lengths;
  }
  for (const program::SampledParameter& named : full.sampled) {
    const std::uint64_t whole = value_of(full, named.name);
    if (cost <= short_run || named.unit > whole) continue;
    const std::optional<program::SampledParameter> allowed = as_required(config, full, named);
    if (!allowed) continue;
    const program::SampledParameter p = kept_alike(config, full, *allowed);
    const std::uint64_t steps = longest(whole / p.unit, times * p.fewest, cost, short_run);
    add(p.name, whole, p.unit, lengthened(config, p, whole, steps, least));
  }
  return lengths;
}

}  // namespace t3sim
