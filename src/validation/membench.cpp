#include "validation/membench.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "base/csv.h"
#include "base/number.h"
#include "machine/gpu_stats.h"
#include "run/run_schemes.h"

namespace t3sim {
namespace {

constexpr std::uint32_t kFewestBlocks = 264;
constexpr std::uint64_t kStreamBytes = 192 << 20;  // moved by a stream: several times what the L2 holds
constexpr std::uint64_t kChaseLoads = 100'000;
constexpr std::uint64_t kSurelyInL2Kb = 24 * 1024, kSurelyInDramKb = 128 * 1024;

std::optional<std::uint64_t> leading_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

MicrobenchmarkKind stream_kind(std::string_view test) {
  if (test == "stream_read") return MicrobenchmarkKind::stream_read;
  if (test == "stream_write") return MicrobenchmarkKind::stream_write;
  if (test == "stream_copy") return MicrobenchmarkKind::stream_copy;
  if (test == "stream_reduce") return MicrobenchmarkKind::stream_reduce;
  return MicrobenchmarkKind::none;
}

// Rounds whose loads a thread has under way. A compiler unrolls a loop that only reads, but moves no load
// over a store that could be to the same place. The rows of 8 blocks, where latency rules, agree: there a
// block reads three times as fast as it copies (validation/memory/README.md).
std::uint32_t rounds_in_flight(MicrobenchmarkKind kind) {
  return kind == MicrobenchmarkKind::stream_copy || kind == MicrobenchmarkKind::stream_reduce ? 1 : 4;
}

Config with(const Config& machine, const MicrobenchmarkSpec& spec) {
  Config config = machine;
  WorkloadConfig& w = config.workload;
  w.microbenchmark = spec;
  w.generated = w.has_gemm = false;
  w.traits = MicrobenchmarkKernel(spec, narrow<std::uint32_t>(config.gpu.wavefront_threads)).traits();
  config.gpus.model = GpuModel::mirror;
  config.gpu.kernel_launch_cycles = 0;  // the measurements are of the kernel from its first load on
  return config;
}

// DRAM bandwidth in the middle of a run, when neither the first loads nor the last blocks nor the cache that
// is left to be written back count: what repeating the kernel, as the measurement does, comes to.
double steady_GBps(const PhaseResult& result) {
  std::vector<std::uint64_t> bytes;
  double interval_us = 0;
  visit_series(*result.gpus[0], [&](const std::string& component, const std::string&, const std::string& unit,
                                    const Series& series, std::uint64_t) {
    if (component != "dram" || unit != "bytes") return;
    bytes.resize(std::max(bytes.size(), series.bins().size()));
    for (std::size_t i = 0; i < series.bins().size(); ++i) bytes[i] += series.bins()[i];
    interval_us = result.time_us * real(series.interval()) / real(result.ticks);
  });
  const std::size_t from = bytes.size() * 4 / 10, to = bytes.size() * 8 / 10;
  std::uint64_t moved = 0;
  for (std::size_t i = from; i < to; ++i) moved += bytes[i];
  return real(moved) / (real(to - from) * interval_us) / 1e3;
}

double stream_GBps(const Config& machine, MicrobenchmarkKind kind, std::uint64_t blocks) {
  MicrobenchmarkSpec spec;
  spec.kind = kind;
  spec.blocks = narrow<std::uint32_t>(blocks);
  spec.bytes = 1 << 20;
  spec.loads_in_flight = rounds_in_flight(kind);
  spec.bytes = kStreamBytes / (spec.moved_bytes() >> 20);  // the same traffic, whatever the number of arrays
  Config config = with(machine, spec);
  config.run.series_interval_ps = 500'000;
  return steady_GBps(run_kernel(config));
}

// Mean time of a dependent load, in core cycles. A footprint that fits is chased twice and the first pass,
// which brings it in, taken off.
double chase_cycles(const Config& machine, std::uint64_t kb) {
  MicrobenchmarkSpec spec;
  spec.kind = MicrobenchmarkKind::chase;
  spec.bytes = kb << 10;
  const bool fits = kb <= kSurelyInL2Kb;
  if (!fits) spec.max_loads = kChaseLoads;
  const double loads = real(spec.chase_loads());
  double time_us = run_kernel(with(machine, spec)).time_us;
  if (fits) {
    spec.passes = 2;
    time_us = run_kernel(with(machine, spec)).time_us - time_us;
  }
  return time_us / loads * real(machine.gpu.clock_hz) / 1e6;
}

// Runs each benchmark once, however many rows have measured it.
class Benchmarks {
 public:
  double stream(const Config& machine, MicrobenchmarkKind kind, std::uint64_t blocks) {
    return once({machine.gpu.name, ordinal(kind), blocks},
                [&] { return stream_GBps(machine, kind, blocks); });
  }
  double chase(const Config& machine, std::uint64_t kb) {
    return once({machine.gpu.name, -1, kb}, [&] { return chase_cycles(machine, kb); });
  }

 private:
  using Key = std::tuple<std::string, int, std::uint64_t>;
  template <class F>
  double once(const Key& key, F&& run) {
    const auto found = done_.find(key);
    return found != done_.end() ? found->second : done_.emplace(key, run()).first->second;
  }
  std::map<Key, double> done_;
};

const Config* machine_of(const std::vector<Config>& machines, const std::string& gpu) {
  for (const Config& machine : machines)
    if (gpu.starts_with(machine.gpu.name)) return &machine;
  return nullptr;
}

// Our number for a row; none if it is not one that is simulated.
std::optional<double> simulate(Benchmarks& benchmarks, const Config& machine, const MembenchRow& row) {
  const std::optional<std::uint64_t> number = leading_number(row.param);
  if (!number) return std::nullopt;
  const MicrobenchmarkKind kind = stream_kind(row.test);
  if (kind != MicrobenchmarkKind::none && *number >= kFewestBlocks)
    return benchmarks.stream(machine, kind, *number);
  const bool plain_footprint = *number <= kSurelyInL2Kb || *number >= kSurelyInDramKb;
  if (row.test == "chase_random_128B" && plain_footprint) return benchmarks.chase(machine, *number);
  return std::nullopt;
}

std::vector<MembenchRow> read_rows(const std::string& file) {
  CsvTable table(file);
  const std::size_t gpu = table.column("gpu"), test = table.column("test"), param = table.column("param"),
                    value = table.column("value"), unit = table.column("unit");
  std::vector<MembenchRow> rows;
  while (table.next_row()) {
    MembenchRow row;
    row.gpu = table.text(gpu);
    row.test = table.text(test);
    row.param = table.text(param);
    row.unit = table.text(unit);
    row.measured = table.real(value);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

bool MembenchValidation::passed() const {
  for (const MembenchRow& row : rows)
    if (!row.passed()) return false;
  return true;
}

MembenchValidation validate_membench(const std::vector<std::string>& csv_files,
                                     const std::vector<Config>& machines, Progress& progress) {
  std::vector<MembenchRow> measured;
  for (const std::string& file : csv_files)
    for (MembenchRow& row : read_rows(file)) measured.push_back(std::move(row));

  MembenchValidation validation;
  Benchmarks benchmarks;
  progress.begin("memory microbenchmarks", 1, 1);
  double done = 0;
  for (MembenchRow& row : measured) {
    progress.update(1, done++ / real(measured.size()));
    const Config* machine = machine_of(machines, row.gpu);
    const std::optional<double> ours = machine ? simulate(benchmarks, *machine, row) : std::nullopt;
    if (!ours) {
      validation.not_simulated.push_back(fmt::format("{}, {}, {}", row.gpu, row.test, row.param));
      continue;
    }
    row.ours = *ours;
    row.difference_pct = (row.ours / row.measured - 1) * 100;
    row.gate = true;
    validation.rows.push_back(row);
  }
  progress.end(1);
  return validation;
}

std::string membench_csv(const MembenchValidation& validation) {
  std::string text = "gpu,test,param,measured,ours,unit,difference_pct,verdict\n";
  for (const MembenchRow& r : validation.rows)
    text += fmt::format("{},{},{},{},{:.1f},{},{:.2f},{}\n", r.gpu, r.test, r.param, r.measured, r.ours,
                        r.unit, r.difference_pct, r.passed() ? "pass" : "miss");
  return text;
}

std::string membench_markdown(const MembenchValidation& validation) {
  std::string text =
      "| GPU | test | case | measured | ours | unit | difference |\n|---|---|---|---|---|---|---|\n";
  for (const MembenchRow& r : validation.rows)
    text += fmt::format("| {} | {} | {} | {} | {:.1f} | {} | {:+.1f} %{} |\n", r.gpu, r.test, r.param,
                        r.measured, r.ours, r.unit, r.difference_pct, r.passed() ? "" : " (outside 7 %)");
  double worst = 0;
  for (const MembenchRow& r : validation.rows) worst = std::max(worst, std::abs(r.difference_pct));
  text += fmt::format("\n{} rows, worst difference {:.1f} %; {} measured rows are not simulated.\n",
                      validation.rows.size(), worst, validation.not_simulated.size());
  return text;
}

}  // namespace t3sim
