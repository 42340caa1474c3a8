// Runs a program on the machine of a configuration (docs/programs.md).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "machine/config.h"
#include "machine/dram_bytes.h"
#include "machine/node.h"
#include "program/program.h"
#include "runtime/command_processor.h"

namespace t3sim {

struct ProgramResult {
  double time_us = 0;  // until the last command of the last GPU is done
  Tick ticks = 0;
  struct OneGpu {
    std::vector<CommandTimes> times;  // by command
    DramBytes dram;
    std::uint64_t link_bytes = 0;
  };
  std::vector<OneGpu> gpus;
  std::uint64_t events = 0;
  double host_seconds = 0;
};

// Throws NoProgressError when nothing moves although commands are left: its first lines say which and what for.
ProgramResult run_program(const Config& config, const program::Program& program,
                          const std::function<void(double)>& progress = {}, unsigned threads = 1);

}  // namespace t3sim
