// t3sim list: what can be named.
#include <fmt/format.h>

#include <algorithm>

#include "app/cli.h"
#include "base/error.h"
#include "config/library.h"
#include "config/load.h"
#include "presets/layer.h"
#include "presets/machine.h"
#include "presets/model.h"
#include "program/library.h"
#include "results/text_table.h"

namespace t3sim {
namespace {

constexpr std::string_view kListText =
    "Usage: t3sim list models|machines|schemes|sweeps\n\n"
    "Lists what can be named instead of written: models and their layers, machines, schemes, sweeps.\n";

std::string width_or_none(std::optional<std::uint32_t> width) { return width ? std::to_string(*width) : "-"; }

void list_models() {
  TextTable table;
  table.cells({"model", "blocks", "hidden", "ffn", "heads", "kv heads", "experts", "tokens"});
  for (const std::string& name : presets::model_names()) {
    const presets::Model m = presets::model_named(name);
    table.row();
    table.cells({name, std::to_string(m.blocks), std::to_string(m.hidden),
                 width_or_none(m.ffn ? m.ffn : m.expert_ffn), width_or_none(m.heads),
                 width_or_none(m.kv_heads), width_or_none(m.experts), std::to_string(m.tokens)});
  }
  fmt::print("{}\nLayers:\n", table.text());
  for (const presets::LayerKind& kind : presets::layer_kinds())
    fmt::print("  {:<18} {}\n", kind.name, kind.meaning);
  fmt::print("\nWhere the sizes come from: configs/models/*.yaml\n");
}

std::string text_at(const config::Node& root, std::string_view path) {
  const config::Node* node = config::find_value(root, path);
  return node && node->type == config::Node::Type::scalar ? node->scalar : "-";
}

// A machine without links runs one kernel.
void list_machines() {
  TextTable table;
  std::vector<std::string> summaries{""};
  table.cells({"machine", "GPUs", "links", "schemes"});
  for (const presets::Machine& machine : presets::machines()) {
    const config::Node root = config::load_file(machine.path).root;
    const std::string links = text_at(root, "topology.kind");
    table.row();
    table.cells({machine.name, text_at(root, "gpus.count"), links, links == "-" ? "kernel" : "all"});
    summaries.push_back(machine.summary);
  }
  for (const presets::Machine& cluster : presets::clusters()) {
    const config::Node root = config::load_file(cluster.path).root;
    table.row();
    table.cells({cluster.name, text_at(root, "gpus.count"), text_at(root, "topology.kind"), "messages"});
    summaries.push_back(cluster.summary);
  }
  fmt::print("{}", table.text_with(summaries));
}

void list_schemes() {
  for (const std::string& name : program_library::scheme_names())
    fmt::print("{:<14} {}\n", name, program_library::scheme(name)->doc);
}

void list_sweeps() {
  for (const std::string& name : config::library::names("sweeps")) {
    const auto* file = config::library::find(config::library::path_of("sweeps", name));
    fmt::print("{:<14} {}\n", name, config::library::summary(*file));
  }
}

}  // namespace

int list_command(const Arguments& arguments) {
  const std::string what = arguments.empty() ? "" : arguments.front();
  if (what == "--help" || what == "-h") {
    fmt::print("{}", kListText);
    return kDone;
  }
  struct Entry {
    std::string name;
    void (*list)();
  };
  const std::vector<Entry> all{{"models", list_models},
                               {"machines", list_machines},
                               {"schemes", list_schemes},
                               {"sweeps", list_sweeps}};
  std::vector<std::string> names;
  for (const Entry& entry : all) names.push_back(entry.name);
  if (what.empty()) throw InputError(fmt::format("list: what? one of {}", fmt::join(names, ", ")));
  const auto it = std::ranges::find(all, what, &Entry::name);
  if (it == all.end()) throw InputError("list: " + presets::unknown_name("list", what, names));
  if (arguments.size() > 1) throw InputError("list: too many arguments (see t3sim list --help)");
  it->list();
  return kDone;
}

}  // namespace t3sim
