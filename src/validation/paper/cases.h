// The sub-layers of Table 2 that need an all-reduce, as cases to run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/config.h"

namespace t3sim::paper {

struct Model {
  std::string name;
  std::uint32_t hidden = 0;  // H
  std::uint32_t layers = 0;  // L
  std::uint32_t sequence = 0;
  std::uint32_t batch = 0;
  std::uint32_t heads = 0;  // from the models' own papers; only the attention of Figures 4 and 19 asks

  std::uint32_t tokens() const { return sequence * batch; }
};

const Model& mega_gpt_2();
const Model& t_nlg();
// GPT-3, PALM, MT-NLG (section 6.4).
std::vector<Model> large_models();
// One and ten trillion parameters (section 2.4): H and L scaled as in the largest models above.
std::vector<Model> futuristic_models();

// In the forward pass OP and FC-2, in back-propagation FC-1 and IP (section 6.1).
enum class SubLayer : std::uint8_t { op, fc2, fc1, ip };
inline constexpr SubLayer kSubLayers[] = {SubLayer::op, SubLayer::fc2, SubLayer::fc1, SubLayer::ip};
std::string_view to_string(SubLayer layer);

struct Case {
  Model model;
  SubLayer layer = SubLayer::op;
  std::uint32_t tp = 8;

  std::uint32_t k() const;
  GemmLayout layout() const;  // forward GEMMs have transposed inputs, backward ones not (section 5.2)
  bool is_fc() const { return layer == SubLayer::fc2 || layer == SubLayer::fc1; }
  std::string name() const;
  bool operator==(const Case& o) const { return name() == o.name(); }
};

// Figures 15, 16 and 18: Mega-GPT-2 and T-NLG, TP 8 and 16.
std::vector<Case> sixteen_cases();
// Figure 19: the larger models at TP 32.
std::vector<Case> large_cases();

// The machine with the case as its workload: nothing else differs between cases.
Config configure(const Config& machine, const Case& c);

}  // namespace t3sim::paper
