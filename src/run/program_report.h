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
  double held_cus = 0;       // CUs that kernels of collectives hold, in the mean over `time`
};
// Of one GPU, from the start until its last command is done.
ProgramMetrics metrics_of(const program::GpuCommands& gpu, const std::vector<CommandTimes>& times,
                          const Config& config);

// False: a sample that has no times of commands. Then metrics are not known either.
bool times_known(const ConfiguredRun& run);

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
