// An operator-level model of a tensor-parallel Transformer layer, for Figures 4 and 19.
//
// What the paper took from a single-GPU BERT run and scaled, this counts: every operator of a layer, forward
// and backward, unfused as in the MLPerf v1.1 code that the paper measured. T tokens, hidden size H, p GPUs:
//   matrix products   stages of tiles at the machine's matrix rate, but not faster than their bytes
//   attention         per head QK^T and PV, and passes over the T x SL scores: scale and mask, softmax,
//   dropout element-wise      layer norms, biases, GELU, dropout, residuals: their bytes at 90 % of the DRAM
//   bandwidth optimizer         28 B a parameter: FP16 gradient and weight, FP32 weight and two moments
//   (training only)
// The four products that need an all-reduce (cases.h), and their reduce-scatter and all-gather, are
// simulated; of models that are not, they are taken from the same formulas. Every operator is a kernel and
// pays its launch.
#pragma once

#include "model/rates.h"
#include "validation/paper/cases.h"

namespace t3sim::paper {

// Time of one sub-layer that needs an all-reduce.
struct SubLayerTime {
  double gemm_us = 0, rs_us = 0, ag_us = 0;
};

class OperatorModel : public model::Rates {
 public:
  explicit OperatorModel(const Config& machine);

  // Closed forms of what is otherwise simulated.
  SubLayerTime sub_layer(const Case& c) const;

  // All else of a layer.
  double forward_rest_us(const Model& model, std::uint32_t tp) const;
  double backward_rest_us(const Model& model, std::uint32_t tp) const;  // optimizer included

 private:
  double attention_forward_us(const Model& model, std::uint32_t tp) const;
  double attention_backward_us(const Model& model, std::uint32_t tp) const;

  double link_bytes_per_us_, link_latency_us_;
};

}  // namespace t3sim::paper
