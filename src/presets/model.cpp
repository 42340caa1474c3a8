#include "presets/model.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/nearest.h"
#include "config/config.h"
#include "config/library.h"

namespace t3sim::presets {
namespace {

constexpr std::string_view kFolder = "configs/models";
constexpr config::Limits kSizes{1, 1 << 20};

}  // namespace

void describe(config::Visitor& v, Model& m) {
  v.required().text("name", m.name, "of the model, for people");
  v.required().count("blocks", m.blocks, {1, 10000}, "Transformer blocks");
  v.required().count("hidden", m.hidden, kSizes, "width of the residual stream");
  v.count("ffn", m.ffn, kSizes, "inner width of the MLP");
  v.flag("gated", m.gated, "the MLP has a gate beside its up projection");
  v.count("heads", m.heads, kSizes, "query heads");
  v.count("kv_heads", m.kv_heads, kSizes, "key-value heads");
  v.count("head_size", m.head_size, kSizes, "width of a head");
  v.count("attention_width", m.attention_width, kSizes, "of queries, keys and values each, split evenly");
  v.count("experts", m.experts, kSizes, "routed experts");
  v.count("experts_per_token", m.experts_per_token, kSizes, "of them, for a token");
  v.count("expert_ffn", m.expert_ffn, kSizes, "inner width of an expert");
  v.count("tokens", m.tokens, {1, 1 << 30}, "rows of the GEMMs, unless said");
}

std::vector<std::string> model_names() { return config::library::names(kFolder); }

std::string unknown_name(std::string_view what, const std::string& name,
                         const std::vector<std::string>& names) {
  const std::string near = nearest(name, names);
  return near.empty() ? fmt::format("unknown {} \"{}\"; {}s: {}", what, name, what, fmt::join(names, ", "))
                      : fmt::format("unknown {} \"{}\"; did you mean {}?", what, name, near);
}

Model model_named(const std::string& name) {
  const std::vector<std::string> names = model_names();
  if (std::ranges::count(names, name) == 0)
    throw InputError("--model: " + unknown_name("model", name, names));
  Model model;
  const config::Document document = config::load_file(config::library::path_of(kFolder, name));
  const config::Sources sources = config::read(document.root, model);
  if (!sources.missing().empty()) throw sources.missing_error(sources.missing());
  return model;
}

}  // namespace t3sim::presets
