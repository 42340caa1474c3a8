// The two halves of check_plan() behind the structural checks.
#pragma once

#include <string_view>

#include "plan/plan_check.h"
#include "plan/plan_graph.h"

namespace t3sim {

// Needs a plan that passed the structural checks.
PlanOutcome execute(const CollectivePlan& plan, const PlanGraph& graph);
// Is it what the plan's kind promises? Throws InputError.
void check_result(const CollectivePlan& plan, const PlanOutcome& outcome, std::string_view blame);

}  // namespace t3sim
