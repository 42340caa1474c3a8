// For each table: which cases a row gives.
#pragma once

#include "validation/measured/cases.h"
#include "validation/measured/rival_programs.h"

namespace t3sim {

inline constexpr std::string_view kMisalignedTriton =
    "GEMMs of Triton whose rows are no multiple of 16 elements";

struct CaseSink {
  const KernelNames& names;
  std::vector<MeasuredCase>& cases;
  LeftOut& left_out;
};

void cases_of(const CollectiveRow& row, const CaseSink& to);
void cases_of(const GemmTimeRow& row, const CaseSink& to);
void cases_of(const GemmTrafficRow& row, const CaseSink& to);
void cases_of(const OverlapRow& row, const CaseSink& to);
void cases_of(const FusedRow& row, const CaseSink& to);
void cases_of(const TimelineCaseRow& row, const CaseSink& to);
void cases_of(const InterferenceRow& row, const CaseSink& to);
void cases_of(const CopyRow& row, const CaseSink& to);
void cases_of(const PeerCopyRow& row, const CaseSink& to);
void cases_of(const GatherGemmRow& row, const CaseSink& to);
void cases_of(const DecomposedRow& row, const CaseSink& to);
void cases_of(const ScheduleRow& row, const CaseSink& to);
void cases_of(const EmbeddingRow& row, const CaseSink& to);
void cases_of(const GemvRow& row, const CaseSink& to);

// Of these there is no estimate: 0.

}  // namespace t3sim
