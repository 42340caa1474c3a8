#include "validation/paper/cases.h"

#include <fmt/format.h>

namespace t3sim::paper {

const Model& mega_gpt_2() {
  static const Model model{"Mega-GPT-2", 3072, 74, 1024, 16, 32};
  return model;
}

const Model& t_nlg() {
  static const Model model{"T-NLG", 4256, 78, 1024, 8, 28};
  return model;
}

std::vector<Model> large_models() {
  return {{"GPT-3", 12288, 96, 1024, 2, 96},
          {"PALM", 18432, 118, 1024, 2, 48},
          {"MT-NLG", 20480, 105, 1024, 2, 128}};
}

// 12 H^2 L parameters.
std::vector<Model> futuristic_models() {
  return {{"1T", 25600, 128, 1024, 2, 160}, {"10T", 65536, 194, 1024, 2, 256}};
}

std::string_view to_string(SubLayer layer) {
  switch (layer) {
    case SubLayer::op:
      return "OP";
    case SubLayer::fc2:
      return "FC-2";
    case SubLayer::fc1:
      return "FC-1";
    case SubLayer::ip:
      return "IP";
  }
  return "";
}

std::uint32_t Case::k() const {
  switch (layer) {
    case SubLayer::op:
      return model.hidden / tp;
    case SubLayer::fc2:
    case SubLayer::fc1:
      return 4 * model.hidden / tp;
    case SubLayer::ip:
      return 3 * model.hidden / tp;
  }
  return 0;
}

GemmLayout Case::layout() const {
  return layer == SubLayer::op || layer == SubLayer::fc2 ? GemmLayout::tn : GemmLayout::nn;
}

std::string Case::name() const { return fmt::format("{} {} TP{}", model.name, to_string(layer), tp); }

std::vector<Case> sixteen_cases() {
  std::vector<Case> cases;
  for (const Model& model : {mega_gpt_2(), t_nlg()})
    for (std::uint32_t tp : {8U, 16U})
      for (SubLayer layer : kSubLayers) cases.push_back({model, layer, tp});
  return cases;
}

std::vector<Case> large_cases() {
  std::vector<Case> cases;
  for (const Model& model : large_models())
    for (SubLayer layer : kSubLayers) cases.push_back({model, layer, 32});
  return cases;
}

Config configure(const Config& machine, const Case& c) {
  Config config = machine;
  config.workload.name = c.name();
  config.workload.m = c.model.tokens();
  config.workload.n = c.model.hidden;
  config.workload.k = c.k();
  config.workload.layout = c.layout();
  config.gpus.count = c.tp;
  return config;
}

}  // namespace t3sim::paper
