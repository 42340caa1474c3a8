// When words of signals have the value that a command waits for, in a program put together from phases (runtime/phases.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "machine/config.h"
#include "program/program.h"

namespace t3sim {

// Words of GPU 0, which stands for all: what another GPU's command sets, it sets when GPU 0's command of the same number is done.
// Times are in us.
class PhaseSignals {
 public:
  // Both outlive it.
  PhaseSignals(const Config& config, const program::Program& program);

  // By number of a command; far off if it is not done.
  using DoneAt = std::function<double(std::uint32_t command)>;
  bool reached(const program::SignalWait& wait, double now, const DoneAt& done_at) const;
  // When the next news arrives; `never` if none is on its way.
  double next_after(double now, double never, const DoneAt& done_at) const;

 private:
  struct Setter {
    std::uint32_t command;  // of GPU 0, that is carried out at the same time
    bool over_link;
    program::SignalSet set;
  };
  double visible_at(const Setter& setter, const DoneAt& done_at) const {
    return done_at(setter.command) + (setter.over_link ? way_us_ : 0);
  }

  const program::Program& program_;
  // Of news over a link.
  double way_us_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Setter>> setters_;  // by word
};

}  // namespace t3sim
