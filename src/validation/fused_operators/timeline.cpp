#include "validation/fused_operators/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <variant>

#include "config/config.h"
#include "presets/machine.h"
#include "run/check_config.h"
#include "runtime/configured_run.h"

namespace t3sim::fused_operators {
namespace {

Config configure(const std::string& program_file, const std::vector<std::string>& overrides) {
  config::Document document = config::load_file(presets::machine_path("mi210-ib2"));
  config::apply_override(document.root, "program.file=" + program_file);
  for (const std::string& assignment : overrides) config::apply_override(document.root, assignment);
  Config config;
  const config::Sources sources = config::read(document.root, config);
  settle_config(config, sources);
  check_config(config, sources);
  return config;
}

// The number in the brackets of "card[17]".
std::string cluster_of(const std::string& stream) {
  const std::size_t begin = stream.find('[') + 1;
  return stream.substr(begin, stream.find(']') - begin);
}

struct Span {
  double first_us = std::numeric_limits<double>::infinity(), last_us = 0;

  void add(double us) {
    first_us = std::min(first_us, us);
    last_us = std::max(last_us, us);
  }
};

}  // namespace

Timeline timeline_of(const std::string& program_file, const std::vector<std::string>& overrides) {
  const ConfiguredRun run = run_configured(configure(program_file, overrides));
  const TimeBase time = time_base(run.config);
  Timeline timeline{"gpu,cluster,slice,us\n", {}};
  Span puts, own;
  const auto add = [&](std::size_t gpu, const std::string& stream, const char* slice, Span& span, Tick at) {
    span.add(time.to_us(at));
    timeline.csv += fmt::format("{},{},{},{:.3f}\n", gpu, cluster_of(stream), slice, time.to_us(at));
  };
  for (std::size_t g = 0; g < run.result.gpus.size(); ++g) {
    const program::GpuCommands& gpu = run.program.gpus[g];
    for (std::size_t c = 0; c < gpu.commands.size(); ++c) {
      const program::Command& command = gpu.commands[c];
      const std::string& stream = gpu.streams[command.stream];
      const CommandTimes& times = run.result.gpus[g].times[c];
      if (const auto* copy = std::get_if<program::Copy>(&command.action); copy && copy->put)
        add(g, stream, "put", puts, times.begun);
      else if (stream.starts_with("own["))
        add(g, stream, "own", own, times.done);
    }
  }
  timeline.text = fmt::format(
      "Figure {}: puts begin from {:.1f} to {:.1f} us, own slices are pooled from {:.1f} to {:.1f} us\n",
      kTimelineFigure, puts.first_us, puts.last_us, own.first_us, own.last_us);
  return timeline;
}

}  // namespace t3sim::fused_operators
