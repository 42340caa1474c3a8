// For each table: which cases a row gives, and our number for one of them.
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

double ours_of(const MeasuredMachine& machine, const MeasuredCase& c, const CollectiveRow& row);
double ours_of(const MeasuredMachine& machine, const MeasuredCase& c, const GemmTimeRow& row);
double ours_of(const MeasuredMachine& machine, const MeasuredCase& c, const GemmTrafficRow& row);
double ours_of(const MeasuredMachine& machine, const MeasuredCase& c, const OverlapRow& row);
double ours_of(const MeasuredMachine& machine, const MeasuredCase& c, const FusedRow& row);
double ours_of(const MeasuredMachine& machine, const MeasuredCase& c, const TimelineCaseRow& row);
double ours_of(const MeasuredMachine& machine, const MeasuredCase& c, const InterferenceRow& row);
double ours_of(const MeasuredMachine& machine, const MeasuredCase& c, const CopyRow& row);
double ours_of(const MeasuredMachine& machine, const MeasuredCase& c, const PeerCopyRow& row);
// Of these there is no estimate: 0.
double ours_of(const MeasuredMachine& machine, const MeasuredCase& c, const GatherGemmRow& row);
double ours_of(const MeasuredMachine& machine, const MeasuredCase& c, const DecomposedRow& row);
double ours_of(const MeasuredMachine& machine, const MeasuredCase& c, const ScheduleRow& row);

}  // namespace t3sim
