// The operators of one layer of a dense Transformer on each of the GPUs that share it (tensor parallelism, Megatron-LM).
//
// T tokens, hidden size H, p GPUs:
//   forward    norm, QKV product, attention, [output product + all-reduce], residual,
//              norm, up product, activation, [down product + all-reduce], residual
//   backward   of each product two, one for its input and one for its weights; that for the input of QKV and of up is
//              followed by an all-reduce; the element-wise operators move more bytes than forward
//   optimizer  28 B a parameter: FP16 gradient and weight, FP32 weight and two moments
// Residuals carry the bias and, in training as in prompts, a dropout of 2.5 passes: a read, a write, a mask of one byte.
#pragma once

#include "model/builder.h"
#include "presets/model.h"

namespace t3sim::model {

// Sizes of a model that is dense. Throws InputError for one that is not, or that cannot be shared by so many GPUs.
struct Sizes {
  double hidden = 0, qkv = 0, attention = 0, ffn = 0, up = 0, heads = 0, head = 0;
  std::uint32_t blocks = 0;
  // Of a layer, all GPUs together.
  double parameters() const { return hidden * (qkv + attention + up + ffn); }
};
Sizes sizes_of(const TransformerSpec& spec);

// Adds a layer's operators to where the builder is. `all_reduce`: of which GPUs. Each gives the last operation.
class Layer {
 public:
  Layer(Builder& builder, const TransformerSpec& spec, const Grouping& all_reduce);

  std::uint32_t forward(Builder::After after);
  std::uint32_t backward(Builder::After after);
  // Over this share of the layer's parameters on a GPU.
  std::uint32_t optimizer(double share, Builder::After after);
  // FP16, on each GPU.
  double weight_bytes() const { return kElement * sizes_.parameters() / spec_.tp; }
  // Of the tokens of a micro-batch.
  double activation_bytes() const { return whole_; }
  std::uint32_t output_layer(bool backward, Builder::After after);

 private:
  std::uint32_t product(const std::string& name, double m, double n, double k, Builder::After after = {},
                        double count = 1);
  std::uint32_t reduced(const std::string& name, double n, double k, GemmLayout layout);
  void attention_forward();
  void attention_backward();

  Builder& builder_;
  const TransformerSpec& spec_;
  const Grouping& all_reduce_;
  Sizes sizes_;
  double tokens_, whole_, slice_, wide_,
      scores_;  // bytes of: hidden state, its part, the MLP's inside, scores
};

}  // namespace t3sim::model
