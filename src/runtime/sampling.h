// Short runs of a program, and a line through them, in place of a long one (run.sampling: auto).
//
// A program's time is a line along a length over which its stages repeat: the waves of its GEMMs' tiles, or a parameter that
// it names under `sampled`. Where the whole would take long, the program runs at two lengths of each, and what is measured
// goes on along the line: times of commands, bytes. A third run between the two says how straight it is.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "machine/config.h"
#include "program/program.h"
#include "runtime/program_run.h"

namespace t3sim {

// Along which a run was shortened: runs at `shorter`, `between` and `longer` stand for `full`.
struct SampledLength {
  // A parameter; kWaves: of every launch's workgroups, kLoops: of a collective's channels, beside a rest that is in all runs.
  std::string what;
  std::uint64_t full = 0, shorter = 0, between = 0, longer = 0;

  bool operator==(const SampledLength&) const = default;
};
inline constexpr const char* kWaves = "waves";
inline constexpr const char* kLoops = "loops";

// How many times slower each is beside the other than alone: FiCCO's CIL (section IV-D).
struct Contention {
  double gemm = 1, communication = 1;
};

struct Sample {
  std::vector<SampledLength> lengths;
  // By how much the time would be off if the line went on bending as between the runs; at least what its products take longer
  // than the line has for them.
  double error_us = 0;
  std::uint32_t phases = 0;  // other than 0: instead of along lengths, of so many phases (runtime/phases.h)
  std::optional<Contention> together;  // of the first phase in which a GEMM and communication go on alone
  bool commands = true;  // false: times of single commands are not known, as their number depends on a length
  std::string text() const;  // one line for people
};

struct SampledRun {
  ProgramResult result;
  std::optional<Sample> sample;
  unsigned runs = 1;
};

// Caches: of programs other than a single GEMM, short runs have arrays of one and a half times the L2 (or the memory-side cache) where
// the whole has, and where GEMMs add to C, waves of as much of C.

// A program of so many simulated_bytes() is not worth a sample: ten seconds or so of CPU time.
inline constexpr double kBytesASecond = 1e8;
inline constexpr double kPatience = 10;  // seconds
inline constexpr double kShortRun = kPatience * kBytesASecond;

// Why short runs say nothing of the whole on this machine, so that all is simulated with run.sampling: auto, too; empty: they do.
std::string why_not_sampled(const Config& config);

// `full`: load_program(config). All of it is simulated if run.sampling is off, or why_not_sampled(), or it is shorter than
// `short_run`, or has no such length. Where the line is not straight, runs four and sixteen times as long take its place.
SampledRun run_sampled(const Config& config, const program::Program& full,
                       const std::function<void(double)>& progress = {}, unsigned threads = 1,
                       double short_run = kShortRun);

// Bytes that pass CUs and copy engines: what a simulation takes its time for.
double simulated_bytes(const program::Program& program);

// In waves of workgroups: those of every GEMM, if all launches are GEMMs of equally many, and nothing else goes on;
// else 0. Whole ones.
std::uint64_t alike_waves(const Config& config, const program::Program& program);
// Every GEMM with the first `waves` waves of its workgroups, and those beyond its last whole wave.
program::Program with_waves(const Config& config, program::Program program, std::uint64_t waves);

// Whole loops of every channel, if nothing goes on but a library's collectives with equally many; else 0.
std::uint64_t alike_loops(const Config& config, const program::Program& program);
program::Program with_loops(program::Program program, std::uint64_t loops);

}  // namespace t3sim
