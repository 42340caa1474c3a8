// The Perfetto trace of a program's run: a process per GPU, a track per stream and one for its host (docs/timeline.md).
#pragma once

#include "results/timeline/tracks.h"
#include "runtime/program_run.h"

namespace t3sim {

// A slice per command, from its beginning until it is done; when the host issued it is an argument. A host has a track
// where it carries out commands itself (sync, host, barrier: host).
PerfettoTrace program_trace(const program::Program& program, const ProgramResult& result,
                            const TraceOptions& options, const TimeBase& time);

}  // namespace t3sim
