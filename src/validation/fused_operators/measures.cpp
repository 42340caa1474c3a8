#include "validation/fused_operators/measures.h"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "base/number.h"
#include "config/config.h"
#include "presets/machine.h"
#include "run/check_config.h"
#include "validation/fused_operators/full_rounds.h"

namespace t3sim::fused_operators {
namespace {

// PyTorch's EmbeddingBag_updateOutputKernel_sum_mean, which section III-A loops over: a workgroup of 4 wavefronts pools a
// bag, a thread has 4 B of each row and loads one row after the other; 1024 workgroups walk a table.
constexpr std::uint64_t kThreadBytes = 4, kGrid = 1024;
constexpr std::uint64_t kCus = 104, kPlaces = 8;  // such workgroups that fit on a CU
// Bags of the two runs of the baseline, a kernel for each table: whole tables of up to 2048.
constexpr std::uint64_t kFewerBags = 4096, kMoreBags = 8192;

using Parameters = std::map<std::string, std::uint64_t>;

Measure embedding(int figure, std::uint64_t batch, const Inputs& inputs, const std::string& series,
                  const std::string& program, Parameters parameters) {
  Measure m;
  m.figure = figure;
  m.bar = fmt::format("{}|{}", batch, inputs.tables);
  m.series = series;
  m.machine = figure == 8 ? "mi210-x4" : "mi210-ib2";
  m.program = program;
  parameters.merge(Parameters{{"batch", batch},
                              {"pooling", inputs.pooling},
                              {"rows", inputs.table_rows},
                              {"zipf", inputs.zipf},
                              {"unroll", inputs.unroll},
                              {"thread_bytes", kThreadBytes}});
  m.parameters = std::move(parameters);
  m.fewer = kFewerBags / batch;
  m.more = kMoreBags / batch;
  m.tables = inputs.tables;
  m.inputs = inputs.machine;
  return m;
}

Measure baseline(int figure, std::uint64_t batch, const Inputs& inputs) {
  return embedding(figure, batch, inputs, "baseline", "embedding-then-all-to-all",
                   {{"per_table", 1}, {"workgroups", kGrid}});
}
// The baseline's kernels without what comes after them: an all-to-all that is hidden altogether.
Measure hidden(int figure, std::uint64_t batch, const Inputs& inputs) {
  return embedding(figure, batch, inputs, "embedding alone", "embedding-then-all-to-all",
                   {{"per_table", 1}, {"exchange", 0}, {"gpus_at_work", 1}, {"workgroups", kGrid}});
}
Measure fused(int figure, std::uint64_t batch, const Inputs& inputs, const std::string& series,
              std::uint64_t places, std::uint64_t remote_first) {
  const char* const program = figure == 8 ? "embedding-all-to-all" : "embedding-all-to-all-put";
  Measure m = embedding(figure, batch, inputs, series, program,
                        {{"workgroups", kCus * places}, {"remote_first", remote_first}});
  std::tie(m.fewer, m.more) = tables_of_full_rounds(batch, kCus * places);
  return m;
}

std::vector<Measure> embeddings(int figure, std::initializer_list<std::uint64_t> batches,
                                const Inputs& inputs) {
  std::vector<Measure> all;
  for (const std::uint64_t batch : batches) {
    all.push_back(baseline(figure, batch, inputs));
    all.push_back(hidden(figure, batch, inputs));
    all.push_back(fused(figure, batch, inputs, "fused", inputs.fused_places, 1));
  }
  return all;
}

std::vector<Measure> gemvs(const Inputs& inputs) {
  std::vector<Measure> all;
  for (const std::uint64_t m : {8192U, 16384U, 32768U, 65536U}) {
    const std::string bar = fmt::format("{}k|{}", m / 1024, inputs.gemv_k);
    const Parameters shape{{"m", m}, {"k", inputs.gemv_k}};
    all.push_back({9, bar, "baseline", "mi210-x4", "gemv-then-all-reduce", shape, 0, 0, 0, inputs.machine});
    Parameters walked = shape;
    walked["workgroups"] = kCus * 4;  // of 8 wavefronts each: all places
    all.push_back(
        {9, bar, "fused", "mi210-x4", "gemv-all-reduce", std::move(walked), 0, 0, 0, inputs.machine});
  }
  return all;
}

std::vector<Measure> gemms(const Inputs& inputs) {
  std::vector<Measure> all;
  for (const auto& [n, k] : {std::pair{2048U, 2048U}, {2048U, 8192U}, {4096U, 4096U}, {4096U, 8192U}}) {
    const std::string bar = fmt::format("{}x{}x{}", inputs.gemm_m, n, k);
    const Parameters shape{{"m", inputs.gemm_m}, {"n", n}, {"k", k}};
    all.push_back({10, bar, "baseline", "mi210-x4", "gemm-then-all-to-all", shape, 0, 0, 0, inputs.machine});
    Parameters spread = shape;
    spread["shift"] = 2;
    all.push_back(
        {10, bar, "fused", "mi210-x4", "gemm-all-to-all", std::move(spread), 0, 0, 0, inputs.machine});
  }
  return all;
}

std::vector<Measure> occupancies(const Inputs& inputs) {
  std::vector<Measure> all;
  for (const std::uint64_t places : {2U, 3U, 4U, 5U, 6U, 7U}) {
    all.push_back(fused(13, 1024, inputs, "fused", places, 1));
    all.back().bar = fmt::format("{}", 100 * static_cast<double>(places) / kPlaces);
  }
  return all;
}

std::vector<Measure> schedules(const Inputs& inputs) {
  std::vector<Measure> all;
  for (const std::uint64_t batch : {512U, 1024U, 2048U}) {
    all.push_back(fused(14, batch, inputs, "oblivious", inputs.fused_places, 0));
    all.push_back(fused(14, batch, inputs, "aware", inputs.fused_places, 1));
  }
  return all;
}

std::uint64_t in_Bps(double GBps) { return static_cast<std::uint64_t>(std::llround(GBps * 1e9)); }
std::uint64_t in_ps(double us) { return static_cast<std::uint64_t>(std::llround(us * 1e6)); }

void apply(const MachineInputs& inputs, Config& config) {
  if (inputs.link_GBps) config.topology.link.bandwidth_Bps = in_Bps(*inputs.link_GBps);
  if (inputs.card_GBps)
    for (LinkSpec& link : config.topology.links)
      if (link.to == "ib") link.bandwidth_Bps = in_Bps(*inputs.card_GBps);
  if (inputs.collective_launch_us) {
    config.execution.channel.launch_ps = in_ps(*inputs.collective_launch_us);
    config.execution.channel.low_latency_launch_ps = in_ps(*inputs.collective_launch_us);
  }
  if (inputs.kernel_launch_us)
    config.gpu.kernel_launch_cycles =
        static_cast<std::uint64_t>(*inputs.kernel_launch_us * 1e-6 * real(config.gpu.clock_hz));
  if (inputs.gemm_efficiency) config.gpu.matrix_issue_efficiency = *inputs.gemm_efficiency;
}

}  // namespace

std::vector<Measure> measures_of(int figure, const Inputs& inputs) {
  switch (figure) {
    case 8:
      return embeddings(8, {512, 1024, 2048}, inputs);
    case 9:
      return gemvs(inputs);
    case 10:
      return gemms(inputs);
    case 12:
      return embeddings(12, {256, 512, 1024, 2048}, inputs);
    case 13:
      return occupancies(inputs);
    default:
      return schedules(inputs);
  }
}

Config configure(const Measure& measure, std::uint64_t tables, const std::vector<std::string>& overrides) {
  config::Document document = config::load_file(presets::machine_path(measure.machine));
  const auto set = [&](const std::string& key, const auto& value) {
    config::apply_override(document.root, fmt::format("{}={}", key, value));
  };
  set("program.file", measure.program);
  for (const auto& [name, value] : measure.parameters) set("program.parameters." + name, value);
  if (tables != 0) set("program.parameters.tables", tables);
  if (measure.figure == 10) set("run.sampling", "auto");
  for (const std::string& assignment : overrides) config::apply_override(document.root, assignment);
  Config config;
  const config::Sources sources = config::read(document.root, config);
  apply(measure.inputs, config);
  settle_config(config, sources);
  check_config(config, sources);
  return config;
}

}  // namespace t3sim::fused_operators
