// Measured rows of Flux's and FiCCO's methods as runs of programs.
#pragma once

#include "validation/measured/cases.h"
#include "validation/measured/simulated/machine_runs.h"

namespace t3sim {

// Our number for a case of the row, in seconds, or what its kind is counted in. `hz`: the clock of its problem's round.
double overlap_seconds(const MeasuredMachine& machine, const OverlapRow& row, const LibraryGemm& kernel,
                       std::uint64_t hz, MachineRuns& runs);
// Of a GEMM whose tiles go to their owners, which add up what they have got.
double owner_sum_seconds(const MeasuredMachine& machine, const FusedRow& row, const LibraryGemm& kernel,
                         std::uint64_t hz, MachineRuns& runs);
double gather_gemm_number(const MeasuredMachine& machine, const GatherGemmRow& row, CaseKind kind,
                          MachineRuns& runs);
double decomposed_number(const MeasuredMachine& machine, const DecomposedRow& row, MachineRuns& runs);
double schedule_number(const MeasuredMachine& machine, const ScheduleRow& row, MachineRuns& runs);
// By how much, in per cent, the GEMMs of a row take longer while transfers go on.
double contention_number(const MeasuredMachine& machine, const ScheduleRow& row, MachineRuns& runs);
double embedding_number(const MeasuredMachine& machine, const EmbeddingRow& row, CaseKind kind,
                        MachineRuns& runs);
double gemv_number(const MeasuredMachine& machine, const GemvRow& row, CaseKind kind, MachineRuns& runs);

}  // namespace t3sim
