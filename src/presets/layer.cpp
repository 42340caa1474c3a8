#include "presets/layer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace t3sim::presets {
namespace {

// The nearest numbers of GPUs, below and above, that divide `whole`.
std::string near_divisors(std::uint64_t whole, std::uint32_t gpus) {
  std::uint64_t below = gpus, above = gpus;
  while (below > 1 && whole % below != 0) --below;
  while (above < whole && whole % above != 0) ++above;
  return below > 1 ? fmt::format("{} or {}", below, above) : fmt::format("{}", above);
}

std::uint64_t part(std::uint64_t whole, std::string_view what, const Split& split) {
  if (whole % split.gpus == 0) return whole / split.gpus;
  throw InputError(fmt::format("--tp {}: {} ({}) cannot be split over {} GPUs; the nearest that can: {}",
                               split.gpus, whole, what, split.gpus, near_divisors(whole, split.gpus)));
}

// Fewer key-value heads than GPUs: each head is on several.
std::uint64_t kv_heads_part(const Model& m, const Split& split) {
  if (split.gpus > *m.kv_heads && split.gpus % *m.kv_heads == 0) return 1;
  return part(*m.kv_heads, "key-value heads", split);
}

bool has_attention(const Model& m) { return m.attention_width || (m.heads && m.head_size); }
bool has_projections(const Model& m) { return m.attention_width || (has_attention(m) && m.kv_heads); }
bool has_mlp(const Model& m) { return m.ffn.has_value(); }
bool has_experts(const Model& m) { return m.experts && m.experts_per_token && m.expert_ffn; }

// A width, and how it came about.
struct Width {
  std::uint64_t size = 0;
  std::string how;
};

Width attention_output(const Model& m, const Split& s) {
  if (m.attention_width)
    return {part(*m.attention_width, "attention width", s),
            fmt::format("{} (attention) / {} GPUs", *m.attention_width, s.gpus)};
  return {part(*m.heads, "heads", s) * *m.head_size,
          fmt::format("{} heads x {} / {} GPUs", *m.heads, *m.head_size, s.gpus)};
}

Width attention_input(const Model& m, const Split& s) {
  if (m.attention_width)
    return {3 * part(*m.attention_width, "attention width", s),
            fmt::format("3 x {} (queries, keys, values) / {} GPUs", *m.attention_width, s.gpus)};
  const std::uint64_t queries = part(*m.heads, "heads", s), pairs = kv_heads_part(m, s);
  return {(queries + 2 * pairs) * *m.head_size,
          fmt::format("({} query heads + 2 x {} key-value heads a GPU) x {}", queries, pairs, *m.head_size)};
}

Width mlp_output(const Model& m, const Split& s) {
  return {part(*m.ffn, "ffn", s), fmt::format("{} (ffn) / {} GPUs", *m.ffn, s.gpus)};
}

Width mlp_input(const Model& m, const Split& s) {
  Width width = mlp_output(m, s);
  if (m.gated) width = {2 * width.size, fmt::format("2 x {} (gate and up)", width.how)};
  return width;
}

Width expert_output(const Model& m, const Split& s) {
  return {part(*m.expert_ffn, "ffn of an expert", s),
          fmt::format("{} (ffn of an expert) / {} GPUs", *m.expert_ffn, s.gpus)};
}

// Every expert gets equally many rows.
Width expert_rows(const Model& m, const Split& s) {
  const std::uint64_t pairs = std::uint64_t{s.tokens} * *m.experts_per_token;
  return {(pairs + *m.experts - 1) / *m.experts, fmt::format("{} tokens x {} of {} experts, spread evenly",
                                                             s.tokens, *m.experts_per_token, *m.experts)};
}

std::string shape_text(const Layer& l, const std::string& m, const std::string& n, const std::string& k) {
  return fmt::format("M {} = {} x N {} = {} x K {} = {}", l.m, m, l.n, n, l.k, k);
}

// Each GPU has part of K, and the sums of all GPUs are added up.
void split_k(const Model& model, const Width& rows, const Width& k, Layer& layer) {
  layer.m = rows.size;
  layer.n = model.hidden;
  layer.k = k.size;
  layer.text = shape_text(layer, rows.how, "hidden", k.how);
}

// Each GPU has some of the columns of the output, and needs all of the input.
void split_n(const Model& model, const Width& rows, const Width& n, Layer& layer) {
  layer.m = rows.size;
  layer.n = n.size;
  layer.k = model.hidden;
  layer.gathers_input = true;
  layer.text = shape_text(layer, rows.how, n.how, "hidden");
}

Width all_rows(const Split& split) { return {split.tokens, "tokens"}; }

constexpr LayerKind kKinds[] = {
    {"attn-out", "output projection of the attention, all-reduce behind it", has_attention,
     [](const Model& m, const Split& s, Layer& l) { split_k(m, all_rows(s), attention_output(m, s), l); }},
    {"mlp-down", "second layer of the MLP, all-reduce behind it", has_mlp,
     [](const Model& m, const Split& s, Layer& l) { split_k(m, all_rows(s), mlp_output(m, s), l); }},
    {"attn-qkv", "input projections of the attention, all-gather of their input (sequence parallelism)",
     has_projections,
     [](const Model& m, const Split& s, Layer& l) { split_n(m, all_rows(s), attention_input(m, s), l); }},
    {"mlp-up", "first layer of the MLP, all-gather of its input (sequence parallelism)", has_mlp,
     [](const Model& m, const Split& s, Layer& l) { split_n(m, all_rows(s), mlp_input(m, s), l); }},
    {"attn-qkv-backward", "gradient of the attention's input, all-reduce behind it", has_projections,
     [](const Model& m, const Split& s, Layer& l) {
       split_k(m, all_rows(s), attention_input(m, s), l);
       l.backward = true;
     }},
    {"mlp-up-backward", "gradient of the MLP's input, all-reduce behind it", has_mlp,
     [](const Model& m, const Split& s, Layer& l) {
       split_k(m, all_rows(s), mlp_input(m, s), l);
       l.backward = true;
     }},
    {"expert-down", "second layer of one expert, split as the MLP's, all-reduce behind it", has_experts,
     [](const Model& m, const Split& s, Layer& l) { split_k(m, expert_rows(m, s), expert_output(m, s), l); }},
};

config::Node scalar(std::string text, const config::Location& where) {
  config::Node node;
  node.type = config::Node::Type::scalar;
  node.scalar = std::move(text);
  node.where = where;
  return node;
}

}  // namespace

std::span<const LayerKind> layer_kinds() { return kKinds; }

std::vector<std::string> layer_names(const Model& model) {
  std::vector<std::string> names;
  for (const LayerKind& kind : kKinds)
    if (kind.exists(model)) names.emplace_back(kind.name);
  return names;
}

Layer layer_of(const Model& model, const std::string& name, const Split& split) {
  const auto kind = std::ranges::find(kKinds, name, &LayerKind::name);
  if (kind == std::end(kKinds) || !kind->exists(model))
    throw InputError(fmt::format("--layer: {}", unknown_name("layer", name, layer_names(model))));
  Layer layer;
  layer.name = fmt::format("{} {} TP{}", model.name, name, split.gpus);
  kind->size(model, split, layer);
  return layer;
}

void apply(const Layer& layer, const Split& split, config::Node& root) {
  const config::Location where{"--layer"};
  const auto set = [&](std::string_view path, std::string text) {
    config::set_value(root, path, scalar(std::move(text), where), where);
  };
  set("workload.name", layer.name);
  set("workload.m", std::to_string(layer.m));
  set("workload.n", std::to_string(layer.n));
  set("workload.k", std::to_string(layer.k));
  set("workload.layout", layer.backward ? "NN" : "TN");
  set("gpus.count", std::to_string(split.gpus));
  set("collective.kind", layer.gathers_input ? "all-gather" : "all-reduce");
  set("collective.gemm", layer.gathers_input ? "consumer" : "producer");
}

}  // namespace t3sim::presets
