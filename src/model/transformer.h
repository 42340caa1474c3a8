// The operators of one layer of a Transformer on each of the GPUs that share it (tensor parallelism, Megatron-LM).
//
// T tokens, hidden size H, p GPUs:
//   forward    norm, QKV product, attention, [output product + all-reduce], residual,
//              norm, up product, activation, [down product + all-reduce], residual
//   backward   of each product two, one for its input and one for its weights; that for the input of QKV and of up is
//              followed by an all-reduce; the element-wise operators move more bytes than forward
//   optimizer  28 B a parameter: FP16 gradient and weight, FP32 weight and two moments
// With experts, the part between the second norm and the last residual, of E experts, k of them a token, spread over ep
// replicas (expert parallelism, GShard, arXiv 2006.16668), each expert with as many tokens as any other:
//   forward    router, dispatch, all-to-all, up products, activation, down products, all-to-all, combine, all-reduce
//   backward   the same the other way round, with two products for each
// Residuals carry the bias and, in training as in prompts, a dropout of 2.5 passes: a read, a write, a mask of one byte.
#pragma once

#include "model/builder.h"
#include "presets/model.h"

namespace t3sim::model {

// Sizes of a model. Throws InputError for one whose layers are not alike, or that cannot be shared by so many GPUs.
struct Sizes {
  double hidden = 0, qkv = 0, attention = 0, ffn = 0, up = 0, heads = 0, head = 0;
  std::uint32_t blocks = 0;
  double experts = 0, chosen = 0;  // of a layer, and by a token; 0: an MLP instead
  // Of a layer, all GPUs together: of its experts, and of all else.
  double expert_parameters() const { return hidden * (up + ffn) * experts; }
  double parameters() const { return hidden * (qkv + attention + (experts > 0 ? experts : up + ffn)); }
};
Sizes sizes_of(const TransformerSpec& spec);
// Why its layers cannot be split over tp GPUs; empty: they can. Heads can be split where a model's attention has a width of its own.
std::string split_fault(const TransformerSpec& spec);

// Adds a layer's operators to where the builder is. `all_reduce`: of which GPUs; `exchange`: of those that have each other's
// experts. Each gives the last operation.
class Layer {
 public:
  Layer(Builder& builder, const TransformerSpec& spec, const Grouping& all_reduce, const Grouping& exchange);

  std::uint32_t forward(Builder::After after);
  std::uint32_t backward(Builder::After after);
  // Over these shares of the layer's parameters on a GPU: of its experts, and of all else.
  std::uint32_t optimizer(double share, double expert_share, Builder::After after);
  // FP16, on each GPU.
  double weight_bytes() const { return kElement * sizes_.parameters() / spec_.tp; }
  double expert_bytes() const { return kElement * sizes_.expert_parameters() / spec_.tp / spec_.ep; }
  // Of the tokens of a micro-batch.
  double activation_bytes() const { return whole_; }
  std::uint32_t output_layer(bool backward, Builder::After after);

 private:
  std::uint32_t product(const std::string& name, double m, double n, double k, Builder::After after = {},
                        double count = 1);
  std::uint32_t reduced(const std::string& name, double n, double k, GemmLayout layout);
  void sum(const std::string& name);
  void mlp_forward();
  void mlp_backward();
  void experts_forward();
  void experts_backward();
  void exchange(const std::string& name);
  void of_experts(const std::string& name, double n, double k);
  void weights_of_experts(const std::string& name, double n);
  void attention_forward();
  void attention_backward();

  Builder& builder_;
  const TransformerSpec& spec_;
  const Grouping &all_reduce_, &exchange_;
  Sizes sizes_;
  double tokens_, whole_, slice_, wide_,
      scores_;  // bytes of: hidden state, its part, the MLP's inside, scores
};

}  // namespace t3sim::model
