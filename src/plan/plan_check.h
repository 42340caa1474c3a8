// Is a plan right? Before a run it is checked and played through symbolically, without time.
//
// Memory before the phase: what is `present` is there; receive arrays (1 and up) are zero; array 0 is zero if
// a kernel produces chunks of the plan (op-and-store needs a zeroed output), else it holds what earlier
// phases have left.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/number.h"
#include "plan/plan.h"

namespace t3sim {

// GPU `gpu`'s own value of a chunk, added up `times` times.
struct Contribution {
  std::uint16_t gpu = 0;
  std::uint32_t times = 0;
  bool operator==(const Contribution&) const = default;
};

// What a plan leaves in memory: chunk c of an array of a GPU holds the sum of these own values of chunk c
// (what the kernel of that GPU produces for it, or what is present there). Right for any plan that is
// checked, whatever the order of events.
struct PlanOutcome {
  std::uint32_t arrays = 0, chunks = 0;
  // (gpu * arrays + array) * chunks + chunk; each by GPU, empty where nothing is written.
  std::vector<std::vector<Contribution>> held;

  const std::vector<Contribution>& at(std::uint32_t gpu, std::uint32_t array, std::uint32_t chunk) const {
    return held[(gpu * arrays + array) * chunks + chunk];
  }
  std::uint32_t gpus() const { return narrow<std::uint32_t>(held.size() / arrays / chunks); }
  // GPUs whose array 0 ends with everybody's value of the chunk, each once.
  std::vector<std::uint32_t> owners(std::uint32_t chunk) const;
};

// Refuses a plan that cannot complete, whose result depends on the order of events, or that is not the
// collective it says it is: InputError "blame: GPU 1, chunk 2: reason".
PlanOutcome check_plan(const CollectivePlan& plan, std::string_view blame);
inline PlanOutcome check_plan(const CollectivePlan& plan) { return check_plan(plan, plan.name); }

}  // namespace t3sim
