// The GEMM that a GPU has of a layer of a model, when the layer is split over several GPUs (Megatron-LM; section 2.4).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/node.h"
#include "presets/model.h"

namespace t3sim::presets {

// How many GPUs share the layer, and how many rows there are.
struct Split {
  std::uint32_t gpus = 0;
  std::uint32_t tokens = 0;
};

struct Layer {
  std::string name;  // "Llama 3 70B mlp-down TP8"
  std::uint64_t m = 0, n = 0, k = 0;
  bool backward = false;       // the gradient of the layer's input: both matrices as they are
  bool gathers_input = false;  // an all-gather before, not an all-reduce behind
  std::string text;            // "M 4096 (tokens) x N 8192 (hidden) x K 3584 = 28672 (ffn) / 8 GPUs"
};

struct LayerKind {
  std::string_view name;
  std::string_view meaning;
  bool (*exists)(const Model& model);
  void (*size)(const Model& model, const Split& split, Layer& layer);
};

std::span<const LayerKind> layer_kinds();
// Of those that the model has.
std::vector<std::string> layer_names(const Model& model);

// Throws InputError: no such layer, or GPUs that do not divide it.
Layer layer_of(const Model& model, const std::string& name, const Split& split);

// Says the layer in a configuration: workload, number of GPUs, collective. The collective's algorithm stays.
void apply(const Layer& layer, const Split& split, config::Node& root);

}  // namespace t3sim::presets
