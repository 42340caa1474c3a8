#include "memctrl/arbitration_settings.h"

#include "memctrl/arbitration.h"

namespace t3sim {

void describe(config::Visitor& v, ArbitrationSettings& c) {
  std::vector<config::Option<PolicySetting>> policies{{"scheme", {}}};
  for (const ArbitrationEntry& entry : arbitration_policies()) policies.push_back({entry.name, {entry.kind}});
  v.choice("policy", c.policy, std::move(policies),
           "scheme: round-robin, and mca for t3-mca; mca-paced: mca that keeps up with the links");
  v.choice_or_count("threshold", c.threshold,
                    {{"auto", ThresholdSetting::automatic}, {"none", ThresholdSetting::none}}, {1, 65536},
                    "mca: communication enters the DRAM queue below this many bursts");
  v.count("starvation_limit", c.starvation_limit_cycles, {1, 1 << 30},
          "mca: memory cycles after which communication goes first");
}

}  // namespace t3sim
