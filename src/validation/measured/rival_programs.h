// Which shipped program is what a measured row ran (programs/*.yaml).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "validation/measured/gemm_kernel.h"
#include "validation/measured/rows.h"

namespace t3sim {

struct RowProgram {
  std::string name;
  std::map<std::string, std::uint64_t> parameters;
  std::string kernel;  // of its GEMMs; empty: the machine's rule
  bool operator==(const RowProgram&) const = default;
};

// Of a GEMM and a reduce-scatter that overlap: on two streams by `kernel`, or in pieces by the machine's rule.
RowProgram overlap_program(const OverlapRow& row, const LibraryGemm& kernel);
RowProgram owner_sum_program(const FusedRow& row, const LibraryGemm& kernel);
// None where no program is what the row measures.
std::optional<RowProgram> gather_gemm_program(const GatherGemmRow& row);
std::optional<RowProgram> schedule_program(const ScheduleRow& row);
RowProgram whole_gemm_program(const GemmShape& shape);
RowProgram decomposed_program(const DecomposedRow& row);
// GEMMs while so many transfers go on, of a row that says by how much these slow them.
RowProgram contention_program(const ScheduleRow& row, std::uint64_t transfers);

std::optional<RowProgram> embedding_program(const EmbeddingRow& row);
std::optional<RowProgram> gemv_program(const GemvRow& row);
// What a row's saving is over.
RowProgram embedding_baseline(const EmbeddingRow& row);
RowProgram gemv_baseline(const GemvRow& row);

// What a row's efficiency is of: the GEMM alone, and NCCL's all-gather before it.
RowProgram gemm_alone(const GatherGemmRow& row);
RowProgram library_then_gemm(const GatherGemmRow& row);

}  // namespace t3sim
