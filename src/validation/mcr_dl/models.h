// The three models of MCR-DL's evaluation as graphs of operations: computation by FLOPs and bytes at the GPU's rates, collectives
// without times yet.
//
//   MoE     every other layer: gate, dispatch (DeepSpeed's product with a mask), all-to-all, experts, all-to-all, combine; forward,
//           again before backward (16 GB need checkpoints), backward; then gradients of all, and of experts among their replicas
//   DLRM    a table a GPU: lookups, all-to-all beside the bottom MLP, top MLP; backward the other way round, the top's gradients
//           summed beside it
//   dense   Megatron-LM over pairs of GPUs; gradients scattered after each micro-batch, weights gathered after the step
#pragma once

#include <string_view>
#include <vector>

#include "model/graph.h"
#include "validation/mcr_dl/study.h"

namespace t3sim::mcr_dl {

enum class Model : std::uint8_t { moe, dlrm, dense };
std::string_view name_of(Model model);
// By name of `t3sim list machines`.
std::string_view cluster_of(Model model);
// Numbers of GPUs, ascending; the last is the paper's.
std::vector<std::uint32_t> scales_of(Model model);
// Backends that the paper mixes.
std::vector<std::string> backends_of(Model model);

model::Graph graph_of(const Study& study, Model model, std::uint32_t gpus);
// DS-MoE whose gradients are summed tensor by tensor after the last layer: one by one, or as `fusion` says.
model::Graph moe_by_tensors(const Study& study, std::uint32_t gpus,
                            const std::optional<model::FusionRule>& fusion);

}  // namespace t3sim::mcr_dl
