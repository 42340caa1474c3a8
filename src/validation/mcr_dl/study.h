// What MCR-DL's evaluation trains (section VI), with the values that the paper leaves open: validation/mcr-dl/study.yaml.
#pragma once

#include <functional>
#include <string>

#include "message/backend.h"

namespace t3sim::mcr_dl {

using message::Ranged;

// 350M+PR-MoE-32/64: 24 layers, ten with 32 experts and two with 64, beside an MLP that all tokens take.
struct MoeSpec {
  std::uint32_t flops = 125;  // TFLOP/s at most
  std::uint64_t memory_Bps = 0;
  Ranged efficiency, sequences, capacity;  // percent, sequences of 2048 tokens per GPU, percent
};
struct DlrmSpec {
  std::uint32_t flops = 20;
  std::uint64_t memory_Bps = 0;
  Ranged efficiency, batch, lookups;  // percent, samples a GPU, of a table
};
// Megatron-DeepSpeed, 6.7 billion parameters: 32 layers of hidden size 4096.
struct DenseSpec {
  std::uint32_t flops = 312;
  std::uint64_t memory_Bps = 0;
  Ranged efficiency, sequences, steps;  // percent, sequences of 2048 tokens a replica, micro-batches a step
};
struct Study {
  MoeSpec moe;
  DlrmSpec dlrm;
  DenseSpec dense;
};

Study read_study(const std::string& path);  // throws InputError
void for_each_ranged(Study& study, const std::function<void(const std::string& name, Ranged& value)>& f);

}  // namespace t3sim::mcr_dl
