// Models by name: the sizes of a Transformer's blocks, as configs/models/*.yaml has them with their sources.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/schema.h"

namespace t3sim::presets {

// Counts of elements, heads or experts. What a model does not have is not there.
struct Model {
  std::string name;
  std::uint32_t blocks = 0;
  std::uint32_t hidden = 0;
  std::optional<std::uint32_t> ffn;
  bool gated = false;  // gate and up projections side by side
  std::optional<std::uint32_t> heads, kv_heads, head_size;
  std::optional<std::uint32_t> attention_width;  // instead of heads: split evenly
  std::optional<std::uint32_t> experts, experts_per_token, expert_ffn;
  std::uint32_t tokens = 4096;  // unless the user says
};

void describe(config::Visitor& v, Model& m);

std::vector<std::string> model_names();
// Throws InputError with the nearest name.
Model model_named(const std::string& name);

// "unknown model "x"; did you mean y?" or with all names.
std::string unknown_name(std::string_view what, const std::string& name,
                         const std::vector<std::string>& names);

}  // namespace t3sim::presets
