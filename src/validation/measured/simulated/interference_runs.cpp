#include "validation/measured/simulated/interference_runs.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "validation/measured/simulated/program_runs.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kColumns = 2048;  // of 2 bytes: what is moved lies row behind row

struct Queues {
  std::uint64_t gemms, transfers;
  double left_out = 0;  // of a transfer, by rounding
};

// As long alone the one as the other, as they were measured, where queues were much longer: at first all CUs are the GEMM's,
// at last the collective's, and between them they take turns.
Queues queues_of(const InterferenceRow& row, std::uint64_t fewest) {
  const double both_s = real(fewest) * std::max(row.gemm_alone_s, row.comm_alone_s);
  const auto calls = [&](double alone_s) {
    return static_cast<std::uint64_t>(std::lround(both_s / alone_s));
  };
  const std::uint64_t transfers = calls(row.comm_alone_s);
  return {calls(row.gemm_alone_s), transfers, both_s / row.comm_alone_s - real(transfers)};
}

// Each GPU pushes into the next one: two do what four do.
MachineRun beside(const MeasuredMachine& machine, const InterferenceRow& row, const LibraryGemm& kernel,
                  const Queues& queues) {
  const bool library = row.kind != "copy_engine";
  const std::uint32_t world = library ? row.world : 2;
  const std::uint64_t array =
      library ? row.comm_bytes * world / (world - 1) : row.comm_bytes * world;  // shards of all GPUs
  MachineRun run = program_run(machine, world, "gemms-beside-transfers",
                               {{"m", row.shape.m},
                                {"n", row.shape.n},
                                {"k", row.shape.k},
                                {"gemms", queues.gemms},
                                {"transfers", queues.transfers},
                                {"rows", (array + 2 * kColumns - 1) / (2 * kColumns)},
                                {"columns", kColumns},
                                {"neighbour", library ? 0U : 1U},
                                {"library", library ? 1U : 0U}});
  run.config.workload.kernel = to_string(kernel.name);
  run.config.run.clock = ClockChoice::power;
  run.config.run.power_mean = PowerMean::gemms;  // 20 ms of calls were measured, at the end of 0.3 s of such
  return run;
}

}  // namespace

double interference_number(const MeasuredMachine& machine, const MeasuredCase& c, const InterferenceRow& row,
                           MachineRuns& runs) {
  constexpr std::uint64_t kShort = 2, kLong = 4;
  const bool gemm = c.quantity == "GEMM slowed by", copies = row.kind == "copy_engine";
  const auto ends = [&](const Queues& queues) {
    const MachineRunResult result = runs.get(beside(machine, row, c.kernel, queues));
    return gemm ? result.kernels_s : result.transfers_s;
  };
  const Queues once = queues_of(row, kShort), twice = queues_of(row, kLong);
  const auto calls = [&](const Queues& queues) { return real(gemm ? queues.gemms : queues.transfers); };
  const double alone_s = ends(gemm ? Queues{once.gemms, 0} : Queues{0, once.transfers}) / calls(once);
  if (copies) return 100 * (ends(once) / calls(once) / alone_s - 1);  // they take turns with nobody
  // The first GEMM has all CUs, and gathers wait for its end: of the queues that were measured that is one call of hundreds, and
  // it is in both runs. The last gathers are alone, so a part of one that was rounded off is, too.
  const auto more = [&](const Queues& queues) { return gemm ? 0 : queues.left_out; };
  const double longer_s = ends(twice) - ends(once) + (more(twice) - more(once)) * alone_s;
  return 100 * (longer_s / (calls(twice) + more(twice) - calls(once) - more(once)) / alone_s - 1);
}

}  // namespace t3sim
