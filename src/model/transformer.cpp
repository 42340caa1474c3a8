#include "model/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/number.h"

namespace t3sim::model {
namespace {

constexpr double kOptimizerBytes = 28;  // a parameter
constexpr double kDropout = 2.5;

std::uint32_t extent(double x) { return static_cast<std::uint32_t>(std::max(std::ceil(x), 1.0)); }

}  // namespace

Sizes sizes_of(const TransformerSpec& spec) {
  const presets::Model m = presets::model_named(spec.model);
  if (m.ffn.has_value() == m.experts.has_value())
    throw InputError(fmt::format("{} has layers of several kinds", m.name));
  if (!m.experts && spec.ep > 1) throw InputError(fmt::format("{} has no experts: ep is 1", m.name));
  if (m.experts && (*m.experts % spec.ep != 0 || spec.dp % spec.ep != 0))
    throw InputError(
        fmt::format("{} experts of {} replicas cannot be spread over {} (ep)", *m.experts, spec.dp, spec.ep));
  Sizes s;
  s.blocks = spec.blocks.value_or(m.blocks);
  s.hidden = m.hidden;
  s.ffn = m.experts ? *m.expert_ffn : *m.ffn;
  s.up = m.gated ? 2 * s.ffn : s.ffn;
  s.experts = m.experts.value_or(0);
  s.chosen = m.experts_per_token.value_or(0);
  s.heads = spec.heads.value_or(m.heads.value_or(0));
  if (s.heads == 0)
    throw InputError(fmt::format("{} does not say its heads: transformer.heads does", m.name));
  s.attention = m.attention_width ? real(*m.attention_width) : s.heads * *m.head_size;
  s.head = s.attention / s.heads;
  const double pairs = m.attention_width ? s.heads : real(m.kv_heads.value_or(extent(s.heads)));
  s.qkv = s.attention + 2 * pairs * s.head;
  if (s.blocks % spec.pp != 0)
    throw InputError(fmt::format("{} blocks cannot be divided into {} stages", s.blocks, spec.pp));
  return s;
}

std::string split_fault(const TransformerSpec& spec) {
  const Sizes s = sizes_of(spec);
  const bool whole_heads = !presets::model_named(spec.model).attention_width.has_value();
  const std::pair<double, const char*> parts[] = {
      {s.ffn, "ffn"}, {whole_heads ? s.heads : s.attention, whole_heads ? "heads" : "attention"}};
  for (const auto& [width, what] : parts)
    if (std::fmod(width, spec.tp) != 0)
      return fmt::format("{} ({}) cannot be split over {} GPUs", width, what, spec.tp);
  return "";
}

Layer::Layer(Builder& builder, const TransformerSpec& spec, const Grouping& all_reduce,
             const Grouping& exchange)
    : builder_(builder), spec_(spec), all_reduce_(all_reduce), exchange_(exchange), sizes_(sizes_of(spec)) {
  tokens_ = real(spec.sequence) * spec.micro_batch;
  whole_ = kElement * tokens_ * sizes_.hidden;
  slice_ = kElement * tokens_ * sizes_.attention / spec.tp;
  wide_ = kElement * tokens_ * sizes_.ffn / spec.tp;
  scores_ = kElement * sizes_.heads / spec.tp * spec.micro_batch * spec.sequence * spec.sequence;
}

std::uint32_t Layer::product(const std::string& name, double m, double n, double k, Builder::After after,
                             double count) {
  return builder_.product(name, {{extent(m), extent(n), extent(k)}, extent(count)}, std::move(after));
}

// A product whose result is summed over the GPUs that share the layer.
std::uint32_t Layer::reduced(const std::string& name, double n, double k, GemmLayout layout) {
  const Product p{{extent(tokens_), extent(n), extent(k)}, 1, layout};
  if (spec_.tp > 1 && spec_.scheme != "message") return builder_.sub_layer(name, p, spec_.tp, spec_.scheme);
  const std::uint32_t last = builder_.product(name, p);
  if (spec_.tp > 1) sum(name + " all-reduce");
  return last;
}

void Layer::sum(const std::string& name) {
  Call call;
  call.bytes = static_cast<std::uint64_t>(whole_);
  builder_.collective(name, call, all_reduce_);
}

void Layer::attention_forward() {
  const double heads = sizes_.heads / spec_.tp * spec_.micro_batch, sequence = spec_.sequence;
  const bool stores = spec_.attention == Attention::unfused;
  if (stores) builder_.pass("split heads", 6 * slice_);
  product("scores", sequence, sequence, sizes_.head, {}, heads);
  if (stores) {
    builder_.pass("scale and mask", 2 * scores_);
    builder_.pass("softmax", 2 * scores_);
    builder_.pass("attention dropout", kDropout * scores_);
  }
  product("weighted values", sequence, sizes_.head, sequence, {}, heads);
  if (stores) builder_.pass("merge heads", 2 * slice_);
}

void Layer::attention_backward() {
  const double heads = sizes_.heads / spec_.tp * spec_.micro_batch, sequence = spec_.sequence;
  const bool stores = spec_.attention == Attention::unfused;
  if (stores) builder_.pass("merge heads, backward", 2 * slice_);
  for (const char* name : {"values, backward", "queries, backward"})
    product(name, sequence, sizes_.head, sequence, {}, heads);
  for (const char* name : {"weights, backward", "keys, backward"})
    product(name, sequence, sequence, sizes_.head, {}, heads);
  if (!stores) return;
  builder_.pass("attention dropout, backward", kDropout * scores_);
  builder_.pass("softmax, backward", 3 * scores_);
  builder_.pass("scale, backward", 2 * scores_);
  builder_.pass("split heads, backward", 6 * slice_);
}

void Layer::mlp_forward() {
  product("up", tokens_, sizes_.up / spec_.tp, sizes_.hidden);
  builder_.pass("activation", wide_ * (1 + sizes_.up / sizes_.ffn));
  reduced("down", sizes_.hidden, sizes_.ffn / spec_.tp, GemmLayout::tn);
}

void Layer::mlp_backward() {
  const double p = spec_.tp, hidden = sizes_.hidden;
  product("down, backward", tokens_, sizes_.ffn / p, hidden);
  product("down, weights", hidden, sizes_.ffn / p, tokens_);
  builder_.pass("activation, backward", wide_ * (1 + 2 * sizes_.up / sizes_.ffn));
  reduced("up, backward", hidden, sizes_.up / p, GemmLayout::nn);
  product("up, weights", hidden, sizes_.up / p, tokens_);
}

std::uint32_t Layer::forward(Builder::After after) {
  const double p = spec_.tp;
  builder_.pass("norm", 2 * whole_, std::move(after));
  product("QKV", tokens_, sizes_.qkv / p, sizes_.hidden);
  attention_forward();
  reduced("output", sizes_.hidden, sizes_.attention / p, GemmLayout::tn);
  builder_.pass("residual", (1 + kDropout) * whole_);
  builder_.pass("norm", 2 * whole_);
  if (sizes_.experts > 0)
    experts_forward();
  else
    mlp_forward();
  return builder_.pass("residual", (1 + kDropout) * whole_);
}

std::uint32_t Layer::backward(Builder::After after) {
  const double p = spec_.tp, hidden = sizes_.hidden;
  builder_.pass("dropout, backward", kDropout * whole_, std::move(after));
  if (sizes_.experts > 0)
    experts_backward();
  else
    mlp_backward();
  builder_.pass("norm, backward", 3 * whole_);
  builder_.pass("add, backward", 3 * whole_);
  builder_.pass("dropout, backward", kDropout * whole_);
  product("output, backward", tokens_, sizes_.attention / p, hidden);
  product("output, weights", hidden, sizes_.attention / p, tokens_);
  attention_backward();
  reduced("QKV, backward", hidden, sizes_.qkv / p, GemmLayout::nn);
  product("QKV, weights", hidden, sizes_.qkv / p, tokens_);
  builder_.pass("norm, backward", 3 * whole_);
  return builder_.pass("add, backward", 3 * whole_);
}

std::uint32_t Layer::optimizer(double share, double expert_share, Builder::After after) {
  const double parameters = weight_bytes() * share + expert_bytes() * expert_share;
  return builder_.pass("optimizer", kOptimizerBytes / kElement * parameters, std::move(after));
}

std::uint32_t Layer::output_layer(bool backward, Builder::After after) {
  const double rows = real(*spec_.vocabulary) / spec_.tp;
  if (!backward) return product("output layer", tokens_, rows, sizes_.hidden, std::move(after));
  product("output layer, backward", tokens_, sizes_.hidden, rows, std::move(after));
  return product("output layer, weights", rows, sizes_.hidden, tokens_);
}

}  // namespace t3sim::model
