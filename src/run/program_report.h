// What a run of a program yields: a table for people, results.json and commands.csv.
#pragma once

#include <string>
#include <string_view>

#include "runtime/configured_run.h"

namespace t3sim {

// In us. Communication is what copies, collectives and signals under way are; compute is kernels.
struct ProgramMetrics {
  double time = 0;
  double compute = 0;        // some kernel runs
  double communication = 0;  // something communicates
  double exposed = 0;        // something communicates and no kernel runs
  double idle = 0;           // neither
};
// Of one GPU, from the start until its last command is done.
ProgramMetrics metrics_of(const program::GpuCommands& gpu, const std::vector<CommandTimes>& times,
                          const TimeBase& time);

// The name of the stream, or "host" for what the host carries out itself.
std::string stream_of(const program::GpuCommands& gpu, const program::Command& command);
// The command's key in the text: "launch", "copy", ...
std::string_view kind_of(const program::Action& action);

// Commands of GPU 0 in order of their beginning, then metrics and bytes of every GPU.
std::string program_table(const ConfiguredRun& run);
std::string program_json(const ConfiguredRun& run);
// A row per command and GPU.
std::string commands_csv(const program::Program& program, const ProgramResult& result, const TimeBase& time);

}  // namespace t3sim
