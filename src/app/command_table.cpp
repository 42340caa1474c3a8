#include "app/cli.h"

namespace t3sim {

// Each lives in a file of its own; to add one, declare it here and give it a line in the table.
int run_command(const Arguments& arguments);
int config_command(const Arguments& arguments);
int list_command(const Arguments& arguments);
int sweep_command(const Arguments& arguments);
int program_command(const Arguments& arguments);
int trace_command(const Arguments& arguments);
int memory_command(const Arguments& arguments);
int validate_command(const Arguments& arguments);
int calibrate_command(const Arguments& arguments);
int tune_command(const Arguments& arguments);
int mix_command(const Arguments& arguments);
int compare_command(const Arguments& arguments);
int stats_command(const Arguments& arguments);
int report_command(const Arguments& arguments);

namespace {

constexpr CommandEntry kEntries[] = {
    {"run", "simulate one sub-layer under one or several schemes", run_command},
    {"config", "print the complete configuration of a run, without running it", config_command},
    {"list", "models, machines, schemes and sweeps by name", list_command},
    {"sweep", "run many points around one configuration, here or on a Slurm cluster", sweep_command},
    {"program", "list, check and explain programs: schedules of kernels, copies and signals",
     program_command},
    {"trace", "make, import and show traces of GEMM kernels", trace_command},
    {"memory", "replay a memory trace on a memory", memory_command},
    {"validate", "set results beside those of other simulators, real GPUs and the T3 paper",
     validate_command},
    {"calibrate", "fit a machine's free values to measurements", calibrate_command},
    {"tune", "derive what coarser levels need from runs at cycle level", tune_command},
    {"mix", "who waits for whom where ranks call several communication backends", mix_command},
    {"stats", "list what is counted, and the counters of a run, alike parts put together", stats_command},
    {"compare", "say what differs between runs or between sweeps", compare_command},
    {"report", "make one page to look at from the files of a run or a sweep", report_command},
};

}  // namespace

std::span<const CommandEntry> commands() { return kEntries; }

}  // namespace t3sim
