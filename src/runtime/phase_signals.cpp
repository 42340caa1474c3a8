#include "runtime/phase_signals.h"

#include <algorithm>

#include "base/number.h"

namespace t3sim {

PhaseSignals::PhaseSignals(const Config& config, const program::Program& program)
    : program_(program), way_us_(real(config.topology.link.latency_ps + config.commands.poll_ps) * 1e-6) {
  for (std::uint32_t gpu = 0; gpu < program.gpu_count; ++gpu)
    for (std::uint32_t c = 0; c < program.gpus[gpu].commands.size(); ++c)
      if (const auto* set = std::get_if<program::SetSignal>(&program.gpus[gpu].commands[c].action);
          set && set->set.word.gpu == 0)
        setters_[{set->set.word.signals, set->set.word.index}].push_back({c, gpu != 0, set->set});
}

bool PhaseSignals::reached(const program::SignalWait& wait, double now, const DoneAt& done_at) const {
  std::uint64_t value = program_.signals[wait.word.signals].initial[0][wait.word.index];
  if (const auto found = setters_.find({wait.word.signals, wait.word.index}); found != setters_.end())
    for (const Setter& setter : found->second)
      if (visible_at(setter, done_at) <= now)
        value = setter.set.add ? value + setter.set.value : std::max(value, setter.set.value);
  return value >= wait.value;
}

double PhaseSignals::next_after(double now, double never, const DoneAt& done_at) const {
  double next = never;
  for (const auto& [word, setters] : setters_)
    for (const Setter& setter : setters)
      if (const double at = visible_at(setter, done_at); at > now) next = std::min(next, at);
  return next;
}

}  // namespace t3sim
