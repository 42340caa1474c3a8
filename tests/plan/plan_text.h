// Collectives written in tests.
#pragma once

#include <string>

#include "base/error.h"
#include "plan/plan_check.h"
#include "plan/plan_file.h"

namespace t3sim {

inline CollectivePlan plan_of(const std::string& yaml, std::uint32_t gpus, std::uint32_t node_size = 0,
                              const std::map<std::string, std::int64_t>& parameters = {}) {
  return make_plan(read_plan_file(yaml, "a.yaml"), {gpus, node_size, parameters});
}

// The message with which `action` is refused.
template <class Action>
std::string refusal_of(Action&& action) {
  try {
    action();
  } catch (const InputError& e) {
    return e.what();
  }
  return "(accepted)";
}
inline std::string refusal(const std::string& yaml, std::uint32_t gpus = 3, std::uint32_t node_size = 0,
                           const std::map<std::string, std::int64_t>& parameters = {}) {
  return refusal_of([&] { plan_of(yaml, gpus, node_size, parameters); });
}

}  // namespace t3sim
