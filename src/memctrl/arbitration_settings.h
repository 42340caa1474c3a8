// The section `arbitration` of a configuration.
#pragma once

#include <cstdint>
#include <optional>

#include "config/config.h"
#include "memctrl/config.h"

namespace t3sim {

enum class ThresholdSetting : std::uint8_t { automatic, none };

// None: what the scheme asks for.
struct PolicySetting {
  std::optional<ArbitrationKind> kind;
  bool operator==(const PolicySetting&) const = default;
};

struct ArbitrationSettings {
  PolicySetting policy;
  config::ChoiceOrCount<ThresholdSetting> threshold = ThresholdSetting::automatic;
  std::uint32_t starvation_limit_cycles = 128;
};

void describe(config::Visitor& v, ArbitrationSettings& c);

}  // namespace t3sim
