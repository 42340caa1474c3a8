#include "runtime/program_run.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/number.h"
#include "machine/fabric_setup.h"
#include "machine/gpu_stats.h"
#include "runtime/mirrored.h"
#include "runtime/ring_of_waiters.h"

namespace t3sim {
namespace {

class ProgramRun {
 public:
  ProgramRun(const Config& config, const program::Program& program)
      : config_(config), program_(program), time_(time_base(config)), tables_(program), node_(config, time_) {
    if (program.gpu_count != config.gpus.count)
      throw InputError(fmt::format("the program is for {} GPUs, the machine has {}", program.gpu_count,
                                   config.gpus.count));
    if (config.run.functional) values_ = std::make_shared<ProgramValues>(program, config.run.seed);
    const bool mirror = config.gpus.choice == GpuModel::mirror;
    if (mirror) check_mirror();
    for (std::uint32_t rank = 0; rank < (mirror ? 1 : program.gpu_count); ++rank) add_gpu(rank);
    node_.fabric = mirror ? make_fabric(config, time_, node_.gpus, ProgramMirror(program_, tables_))
                          : make_fabric(config, time_, node_.gpus);
    node_.why_stuck = [this] { return why_stuck(); };
  }

  Watched watch(double every_us, const std::function<bool(const Watched&)>& enough) {
    Watched watched;
    CommandProcessor& first = *processors_[0];
    const auto step = time_.from_ps(static_cast<std::uint64_t>(every_us * 1e6));
    bool left = true;
    for (Tick at = step; left; at += step) {
      left = node_.run_until(at);
      Watched::Look look{time_.to_us(at), {}, node_.gpus[0]->dram_bytes()};
      for (std::uint32_t c = 0; c < first.times().size(); ++c) look.moved.push_back(first.moved_bytes(c));
      watched.looks.push_back(std::move(look));
      watched.times = first.times();
      if (enough(watched)) break;
    }
    watched.events = node_.events();
    watched.host_seconds = node_.host_seconds();
    return watched;
  }

  ProgramResult run(const std::function<void(double)>& progress, unsigned threads) {
    node_.run(progress, threads);
    check();
    return result();
  }

 private:
  void check_mirror() const {
    if (const std::string why = why_no_mirror(config_, program_); !why.empty())
      throw InputError(fmt::format("gpus.model: mirror would not be exact: {}; take auto or explicit", why));
  }

  void add_gpu(std::uint32_t rank) {
    GpuSpec spec = gpu_spec(config_, rank, ArbitrationKind::round_robin);
    spec.copies = true;
    node_.gpus.push_back(std::make_unique<Gpu>(spec, time_, values_ ? &values_->gpu(rank) : nullptr));
    Gpu& gpu = *node_.gpus.back();
    processors_.push_back(std::make_unique<CommandProcessor>(program_, tables_, config_, gpu));
    gpu.run_program(*processors_.back());
    gpu.add_part(*processors_.back());
    gpu.scheduler().wake(*processors_.back(), time_.from_ps(spec.start_delay_ps));
  }

  std::string why_stuck() const {
    std::vector<std::vector<CommandTimes>> times;
    for (const auto& processor : processors_) times.push_back(processor->times());
    const std::vector<CommandTimes> first = times[0];  // mirror: they are all GPUs'
    times.resize(program_.gpu_count, first);
    std::string text = ring_of_waiters(program_, times);
    if (!text.empty()) text += '\n';
    for (const auto& processor : processors_)
      for (const std::string& line : processor->waits()) text += line + '\n';
    return text;
  }

  void check() const {
    std::uint64_t sent = 0, received = 0;
    for (const auto& gpu : node_.gpus) {
      sent += gpu->link_bytes();
      received += gpu->received_bytes();
    }
    if (sent != received) throw CheckError(fmt::format("links: {} bytes sent, {} received", sent, received));
    for (const auto& gpu : node_.gpus)
      if (gpu->payloads().live() != 0)
        throw CheckError(fmt::format("{} lines of values have not arrived anywhere", gpu->payloads().live()));
  }

  ProgramResult result() {
    ProgramResult result;
    for (std::size_t g = 0; g < node_.gpus.size(); ++g) {
      Gpu& gpu = *node_.gpus[g];
      gpu.finish();
      for (const CommandTimes& times : processors_[g]->times())
        result.ticks = std::max(result.ticks, times.done);
      result.gpus.push_back({processors_[g]->times(), gpu.dram_bytes(), gpu.link_bytes()});
    }
    const ProgramResult::OneGpu first = result.gpus[0];  // mirror: it stands for all
    result.gpus.resize(program_.gpu_count, first);
    result.time_us = time_.to_us(result.ticks);
    result.events = node_.events();
    result.host_seconds = node_.host_seconds();
    result.values = values_;
    if (values_) result.checked_elements = values_->check();
    return result;
  }

  const Config& config_;
  const program::Program& program_;
  TimeBase time_;
  ProgramTables tables_;
  std::shared_ptr<ProgramValues> values_;  // run.functional
  std::vector<std::unique_ptr<CommandProcessor>> processors_;
  Node node_;
};

}  // namespace

ProgramResult run_program(const Config& config, const program::Program& program,
                          const std::function<void(double)>& progress, unsigned threads) {
  return ProgramRun(config, program).run(progress, threads);
}

Watched watch_program(const Config& config, const program::Program& program, double every_us,
                      const std::function<bool(const Watched&)>& enough) {
  return ProgramRun(config, program).watch(every_us, enough);
}

}  // namespace t3sim
