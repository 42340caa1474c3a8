#include "system/validation/measured/row_cases.h"

namespace t3sim {

void cases_of(const GemmTimeRow&, std::vector<MeasuredCase>&, LeftOut&) {}
void cases_of(const GemmTrafficRow&, std::vector<MeasuredCase>&, LeftOut&) {}
void cases_of(const OverlapRow&, std::vector<MeasuredCase>&, LeftOut&) {}
void cases_of(const FusedRow&, std::vector<MeasuredCase>&, LeftOut&) {}
void cases_of(const TimelineCaseRow&, std::vector<MeasuredCase>&, LeftOut&) {}
void cases_of(const InterferenceRow&, std::vector<MeasuredCase>&, LeftOut&) {}
double ours_of(const MeasuredMachine&, const MeasuredCase&, const GemmTimeRow&) { return 0; }
double ours_of(const MeasuredMachine&, const MeasuredCase&, const GemmTrafficRow&) { return 0; }
double ours_of(const MeasuredMachine&, const MeasuredCase&, const OverlapRow&) { return 0; }
double ours_of(const MeasuredMachine&, const MeasuredCase&, const FusedRow&) { return 0; }
double ours_of(const MeasuredMachine&, const MeasuredCase&, const TimelineCaseRow&) { return 0; }
double ours_of(const MeasuredMachine&, const MeasuredCase&, const InterferenceRow&) { return 0; }

}  // namespace t3sim
