// Rows of Flux's and FiCCO's methods run on real GPUs, and of their parts.
#pragma once

#include "validation/measured/csv_row.h"
#include "validation/measured/rows.h"

namespace t3sim {

MeasuredRow read_gather_gemm(const CsvRow& row);
MeasuredRow read_decomposed(const CsvRow& row);
MeasuredRow read_schedule(const CsvRow& row);

MeasuredRow read_embedding(const CsvRow& row);
MeasuredRow read_gemv(const CsvRow& row);

// Tells every row of a series what the whole GEMM of its shape, GPU and data took, and its round_share.
void join_decomposed(std::vector<MeasuredRow>& rows);
// Tells every schedule its round_share.
void join_schedules(std::vector<MeasuredRow>& rows);
// Tells fused rows what their baseline was launched with, and the fastest row of each GEMV what it saves.
void join_fused(std::vector<MeasuredRow>& rows);
// Tells a GEMM + reduce-scatter or all-to-all that overlap what they gain over the GEMM and the collective of their rows, and
// all of a problem its gemm_pause_s.
void join_overlap(std::vector<MeasuredRow>& rows);

}  // namespace t3sim
