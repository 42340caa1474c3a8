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
#include "runtime/program_values.h"

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
  std::shared_ptr<const ProgramValues> values;  // run.functional: what memory holds at the end
  std::uint64_t checked_elements = 0;           // of promises
};

// Throws NoProgressError when nothing moves although commands are left: its first lines say which and what for. With
// run.functional every body computes numbers, and CheckError says the first element that is not as promised.
ProgramResult run_program(const Config& config, const program::Program& program,
                          const std::function<void(double)>& progress = {}, unsigned threads = 1);

// A program that is looked at now and then, and stopped before its end.
struct Watched {
  struct Look {
    double at_us = 0;
    std::vector<std::uint64_t> moved;  // by command of GPU 0: CommandProcessor::moved_bytes()
    DramBytes dram;                    // of GPU 0, so far
  };
  std::vector<Look> looks;
  std::vector<CommandTimes> times;  // by command of GPU 0, so far
  std::uint64_t events = 0;
  double host_seconds = 0;
};
// Every so often, until `enough` or the program's end.
Watched watch_program(const Config& config, const program::Program& program, double every_us,
                      const std::function<bool(const Watched&)>& enough);

}  // namespace t3sim
