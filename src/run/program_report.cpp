#include "run/program_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/number.h"
#include "run/overlap_report.h"
#include "run/spans.h"
#include "runtime/alone.h"
#include "runtime/launches.h"

namespace t3sim {
namespace {

using program::Action;

// How the time was come by, where it is not all of it simulated at the machine's clock.
std::string conditions(const ConfiguredRun& run) {
  std::string text;
  if (run.config.run.clock == ClockChoice::power)
    text += fmt::format("at {} MHz, which the power of the program allows\n",
                        run.config.gpu.clock_hz / 1'000'000);
  if (run.sample) text += run.sample->text() + '\n';
  return text;
}

nlohmann::ordered_json sample_json(const Sample& sample) {
  nlohmann::ordered_json json;
  for (const SampledLength& l : sample.lengths)
    json["along"][l.what] = {{"runs", {l.shorter, l.between, l.longer}}, {"full", l.full}};
  json["error_us"] = sample.error_us;
  if (sample.phases != 0) json["phases"] = sample.phases;
  if (sample.together)
    json["slower_beside_each_other"] = {{"gemm", sample.together->gemm},
                                        {"communication", sample.together->communication}};
  if (!sample.commands)
    json["left_out"] =
        "times of commands, and what follows from them (by_gpu: kernels, communication, idle; skew): their "
        "number depends on "
        "what was shortened";
  return json;
}

// By how much the last GPU ends after the first.
double skew_us(const ProgramResult& result, const TimeBase& time) {
  Tick first = kNever, last = 0;
  for (const ProgramResult::OneGpu& gpu : result.gpus) {
    Tick end = 0;
    for (const CommandTimes& times : gpu.times) end = std::max(end, times.done);
    first = std::min(first, end);
    last = std::max(last, end);
  }
  return last > first ? time.to_us(last - first) : 0;
}

std::string us(const TimeBase& time, Tick at) { return fmt::format("{:.3f}", time.to_us(at)); }

}  // namespace

std::string stream_of(const program::GpuCommands& gpu, const program::Command& command) {
  return host_carries_out(command.action) ? "host" : gpu.streams[command.stream];
}

std::string_view kind_of(const Action& action) {
  struct {
    std::string_view operator()(const program::Launch&) const { return "launch"; }
    std::string_view operator()(const program::Copy& copy) const { return copy.put ? "put" : "copy"; }
    std::string_view operator()(const program::Collective&) const { return "collective"; }
    std::string_view operator()(const program::SetSignal&) const { return "signal"; }
    std::string_view operator()(const program::WaitSignal&) const { return "wait"; }
    std::string_view operator()(const program::Record&) const { return "record"; }
    std::string_view operator()(const program::WaitEvent&) const { return "wait-event"; }
    std::string_view operator()(const program::SyncEvent&) const { return "sync"; }
    std::string_view operator()(const program::SyncStream&) const { return "sync"; }
    std::string_view operator()(const program::SyncSignal&) const { return "sync"; }
    std::string_view operator()(const program::HostTime&) const { return "host"; }
    std::string_view operator()(const program::Barrier&) const { return "barrier"; }
    std::string_view operator()(const program::Flush&) const { return "flush"; }
  } constexpr name;
  return std::visit(name, action);
}

ProgramMetrics metrics_of(const program::GpuCommands& gpu, const std::vector<CommandTimes>& times,
                          const Config& config) {
  const TimeBase time = time_base(config);
  Spans kernels, transfers, both;
  Tick end = 0;
  double held = 0;  // CUs times ticks
  for (std::size_t c = 0; c < times.size(); ++c) {
    const Action& action = gpu.commands[c].action;
    end = std::max(end, times[c].done);
    if (computes(action)) kernels.add(times[c].begun, times[c].done);
    if (communicates(action)) transfers.add(times[c].begun, times[c].done);
    if (const auto* collective = std::get_if<program::Collective>(&action))
      held += real(channels_of(config, *collective)) * real(times[c].done - times[c].begun);
    if (computes(action) || communicates(action)) both.add(times[c].begun, times[c].done);
  }
  for (Spans* spans : {&kernels, &transfers, &both}) spans->settle();
  ProgramMetrics m;
  m.time = time.to_us(end);
  m.compute = time.to_us(kernels.length());
  m.communication = time.to_us(transfers.length());
  m.exposed = time.to_us(transfers.length() - transfers.length_with(kernels));
  m.idle = time.to_us(end - both.length());
  m.held_cus = ratio(held, real(end));
  return m;
}

bool times_known(const ConfiguredRun& run) { return !run.sample || run.sample->commands; }

std::string program_table(const ConfiguredRun& run) {
  const program::Program& program = run.program;
  const ProgramResult& result = run.result;
  const TimeBase time = time_base(run.config);
  const program::GpuCommands& gpu = program.gpus[0];
  const std::vector<CommandTimes>& times = result.gpus[0].times;
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < times.size(); ++c)
    if (computes(gpu.commands[c].action) || communicates(gpu.commands[c].action)) order.push_back(c);
  std::ranges::stable_sort(order, {}, [&](std::size_t c) { return times[c].begun; });
  constexpr std::size_t kMostRows = 40;
  std::string text = fmt::format(
      "{}, {} GPUs: {:.2f} us\n{}\nGPU 0        begins us     ends us        us  stream      command\n",
      program.name, program.gpu_count, result.time_us, conditions(run));
  for (std::size_t i = 0; i < std::min(order.size(), kMostRows); ++i) {
    const CommandTimes& t = times[order[i]];
    text += fmt::format("{:>22.2f}{:>12.2f}{:>10.2f}  {:<10}  {}\n", time.to_us(t.begun), time.to_us(t.done),
                        time.to_us(t.done - t.begun), stream_of(gpu, gpu.commands[order[i]]),
                        gpu.commands[order[i]].name);
  }
  if (order.size() > kMostRows)
    text += fmt::format("  ... and {} more (commands.csv)\n", order.size() - kMostRows);
  text +=
      "\n           us  kernels  communication  of it exposed  neither  CUs held  sent MB  DRAM read MB  "
      "written "
      "MB\n";
  for (std::size_t g = 0; g < result.gpus.size(); ++g) {
    const ProgramMetrics m = metrics_of(program.gpus[g], result.gpus[g].times, run.config);
    const DramBytes& dram = result.gpus[g].dram;
    std::uint64_t read = 0, written = 0;
    for (int t = 0; t < kTraffics; ++t) {
      read += dram.read(static_cast<Traffic>(t));
      written += dram.written(static_cast<Traffic>(t));
    }
    text += times_known(run)
                ? fmt::format("GPU {:<3}{:>8.2f}{:>9.2f}{:>15.2f}{:>15.2f}{:>9.2f}{:>10.1f}", g, m.time,
                              m.compute, m.communication, m.exposed, m.idle, m.held_cus)
                : fmt::format("GPU {:<3}{:>8}{:>9}{:>15}{:>15}{:>9}{:>10}", g, "-", "-", "-", "-", "-", "-");
    text += fmt::format("{:>9.2f}{:>14.2f}{:>12.2f}\n", real(result.gpus[g].link_bytes) / 1e6,
                        real(read) / 1e6, real(written) / 1e6);
  }
  if (!run.gpu_model.empty()) text += fmt::format("gpus.model: auto: {}\n", run.gpu_model);
  if (const double skew = skew_us(result, time); skew > 0)
    text += fmt::format("skew: the last GPU ends {:.2f} us after the first\n", skew);
  if (run.overlap) text += overlap_text(*run.overlap);
  if (result.values) text += fmt::format("\nAs promised: all {} elements\n", result.checked_elements);
  return text;
}

std::string program_json(const ConfiguredRun& run) {
  const program::Program& program = run.program;
  const ProgramResult& result = run.result;
  nlohmann::ordered_json json;
  json["program"] = program.name;
  json["gpus"] = program.gpu_count;
  json["time_us"] = result.time_us;
  if (!run.gpu_model.empty()) json["gpu_model"] = run.gpu_model;
  if (result.values) json["functional"] = {{"elements", result.checked_elements}, {"errors", 0}};
  if (run.config.run.clock == ClockChoice::power) json["clock_mhz"] = run.config.gpu.clock_hz / 1'000'000;
  if (run.sample) json["sampled"] = sample_json(*run.sample);
  if (times_known(run)) json["skew_us"] = skew_us(result, time_base(run.config));
  if (run.overlap) json["overlap"] = overlap_json(*run.overlap);
  json["by_gpu"] = nlohmann::ordered_json::array();
  for (std::size_t g = 0; g < result.gpus.size(); ++g) {
    const ProgramMetrics m = metrics_of(program.gpus[g], result.gpus[g].times, run.config);
    nlohmann::ordered_json one;
    one["gpu"] = g;
    if (times_known(run)) {
      one["time_us"] = m.time;
      one["kernels_us"] = m.compute;
      one["communication_us"] = m.communication;
      one["exposed_communication_us"] = m.exposed;
      one["idle_us"] = m.idle;
      one["held_cus"] = m.held_cus;
    }
    one["link_bytes"] = result.gpus[g].link_bytes;
    for (int t = 0; t < kTraffics; ++t) {
      const auto traffic = static_cast<Traffic>(t);
      const std::string name(to_string(traffic));
      one["dram_bytes"][name + "_read"] = result.gpus[g].dram.read(traffic);
      one["dram_bytes"][name + "_write"] = result.gpus[g].dram.written(traffic);
    }
    json["by_gpu"].push_back(std::move(one));
  }
  return json.dump(2) + "\n";
}

std::string commands_csv(const program::Program& program, const ProgramResult& result, const TimeBase& time) {
  std::string csv = "gpu,number,stream,kind,command,issued_us,begun_us,done_us\n";
  for (std::size_t g = 0; g < result.gpus.size(); ++g)
    for (std::size_t c = 0; c < result.gpus[g].times.size(); ++c) {
      const CommandTimes& t = result.gpus[g].times[c];
      const program::Command& command = program.gpus[g].commands[c];
      csv += fmt::format("{},{},{},{},{},{},{},{}\n", g, c, csv_field(stream_of(program.gpus[g], command)),
                         kind_of(command.action), csv_field(command.name), us(time, t.issued),
                         us(time, t.begun), us(time, t.done));
    }
  return csv;
}

}  // namespace t3sim
