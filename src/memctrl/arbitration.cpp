#include "memctrl/arbitration.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "memctrl/arbitration/compute_first.h"
#include "memctrl/arbitration/mca.h"
#include "memctrl/arbitration/mca_paced.h"
#include "memctrl/arbitration/round_robin.h"

namespace t3sim {
namespace {

template <class Policy>
std::unique_ptr<ArbitrationPolicy> make([[maybe_unused]] const ArbitrationConfig& config,
                                        [[maybe_unused]] Tick period) {
  if constexpr (std::is_default_constructible_v<Policy>)
    return std::make_unique<Policy>();
  else
    return std::make_unique<Policy>(config, period);
}

// A line per policy.
constexpr ArbitrationEntry kPolicies[] = {
    {ArbitrationKind::round_robin, "round-robin", "fused", make<RoundRobin>},
    {ArbitrationKind::compute_first, "compute-first", "fused", make<ComputeFirst>},
    {ArbitrationKind::mca, "mca", "fused (mca)", make<Mca>},
    {ArbitrationKind::mca_paced, "mca-paced", "fused (mca-paced)", make<McaPaced>},
};

}  // namespace

std::span<const ArbitrationEntry> arbitration_policies() { return kPolicies; }

const ArbitrationEntry& arbitration_policy(ArbitrationKind kind) {
  const auto* found = std::ranges::find(kPolicies, kind, &ArbitrationEntry::kind);
  if (found == std::end(kPolicies)) throw std::logic_error("an arbitration policy that is not in the table");
  return *found;
}

std::unique_ptr<ArbitrationPolicy> make_arbitration(const ArbitrationConfig& config, Tick period) {
  return arbitration_policy(config.policy).make(config, period);
}

}  // namespace t3sim
