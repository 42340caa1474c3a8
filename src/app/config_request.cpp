#include "app/config_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "config/config.h"
#include "presets/layer.h"
#include "presets/machine.h"
#include "presets/model.h"
#include "run/check_config.h"
#include "runtime/sampling.h"

namespace t3sim {
namespace po = boost::program_options;
namespace {

[[noreturn]] void refuse(const ConfigRequest& request, std::string_view why) {
  throw InputError(fmt::format("{}: {} (see t3sim {} --help)", request.command, why, request.command));
}

void check_use(const ConfigRequest& r) {
  if (r.file.empty() && r.machine.empty() && r.model.empty())
    refuse(r, "no configuration named, nor a model and a machine");
  if (r.program.empty() && !r.parameters.empty()) refuse(r, "--parameter needs --program");
  if (!r.program.empty() && !r.model.empty()) refuse(r, "--program or --model, not both");
  if (!r.graph.empty() + !r.chakra.empty() + !r.program.empty() + !r.model.empty() +
          !r.collective.kind.empty() >
      1)
    refuse(r, "--graph, --chakra, --program, --model or --collective, one of them");
  if (r.model.empty() && !r.layer.empty()) refuse(r, "--layer needs --model");
  if (r.model.empty() && (r.gpus || r.tokens)) refuse(r, "--tp and --tokens need --model");
  if (r.gpus && (*r.gpus < 2 || *r.gpus > 255))
    throw InputError(fmt::format("{}: --tp: allowed: 2 to 255", r.command));
  if (r.tokens && (*r.tokens < 1 || *r.tokens > 1U << 30))
    throw InputError(fmt::format("{}: --tokens: allowed: 1 to {}", r.command, 1U << 30));
  if (r.file.empty() && r.machine.empty())
    throw InputError(fmt::format("{}: --model needs --machine: one of {}", r.command,
                                 fmt::join(presets::machine_names(), ", ")));
}

void add_document(config::Node& root, std::vector<config::InputFile>& files, const std::string& path) {
  config::Document document = config::load_file(path);
  const config::Location where = document.root.where;
  if (files.empty())
    root = std::move(document.root);
  else
    merge(root, document.root);
  root.where = where;  // messages name the last file
  files.insert(files.end(), document.files.begin(), document.files.end());
}

// The machine's own number unless --tp says another one.
std::uint32_t gpus_of(const ConfigRequest& request, const config::Node& root) {
  if (request.gpus) return *request.gpus;
  const config::Node* count = config::find_value(root, "gpus.count");
  if (!count)
    throw InputError(fmt::format("{}: --tp is missing: GPUs that share the layer", request.command));
  std::uint32_t gpus = 0;
  const char* end = count->scalar.data() + count->scalar.size();
  if (std::from_chars(count->scalar.data(), end, gpus).ptr != end || gpus == 0)
    throw InputError(fmt::format("{}: gpus.count: expected a number of GPUs, found {}", count->where.text(),
                                 what_is(*count)));
  return gpus;
}

// --set changes what the layer's sizes follow from, or one of them.
bool changes_sizes(const std::string& override) {
  const std::string_view key = std::string_view(override).substr(0, override.find('='));
  return key == "workload.m" || key == "workload.n" || key == "workload.k" || key == "gpus.count";
}

// What the sizes follow from; empty where they do not.
std::string add_layer(const ConfigRequest& request, config::Node& root) {
  const presets::Model model = presets::model_named(request.model);
  if (request.layer.empty())
    throw InputError(fmt::format("{}: --model needs --layer: one of {}", request.command,
                                 fmt::join(presets::layer_names(model), ", ")));
  if (!config::find_value(root, "topology.kind") && request.schemes != std::vector<std::string>{"kernel"})
    throw InputError(
        fmt::format("{}: this machine has no links: only --scheme kernel runs on it", request.command));
  const presets::Split split{gpus_of(request, root), request.tokens.value_or(model.tokens)};
  const presets::Layer layer = presets::layer_of(model, request.layer, split);
  presets::apply(layer, split, root);
  if (std::ranges::any_of(request.overrides, changes_sizes)) return "";
  return fmt::format("{}: {}\n", layer.name, layer.text);
}

void set_schemes(config::Node& root, const std::vector<std::string>& schemes) {
  const config::Location where{"--scheme"};
  config::Node list;
  list.type = config::Node::Type::list;
  list.where = where;
  for (const std::string& scheme : schemes) {
    config::Node item;
    item.type = config::Node::Type::scalar;
    item.where = where;
    item.scalar = scheme;
    list.items.push_back(item);
  }
  config::set_value(root, "schemes", list, where);
}

// The default is all that go with a collective.
void choose_schemes(config::Node& root, const std::vector<std::string>& schemes) {
  if (schemes == std::vector<std::string>{"all"})
    std::erase_if(root.entries, [](const config::Entry& entry) { return entry.key == "schemes"; });
  else if (!schemes.empty())
    set_schemes(root, schemes);
}

std::string unusual_note(const Config& config) {
  if (config.run.clock == ClockChoice::boost && (config.run.duty || config.run.calls != 0))
    return "run.duty and run.calls change nothing with run.clock: boost; they are for run.clock: power";
  if (config.run.sampling != SamplingChoice::automatic) return {};
  const std::string why = why_not_sampled(config);
  return why.empty() ? "" : "run.sampling: auto: all of the program is simulated, as " + why;
}

}  // namespace

std::vector<std::string> split_commas(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts)
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      parts.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  return parts;
}

void add_options(ConfigRequest& r, po::options_description& options) {
  const auto gpus = [&r](std::uint32_t n) { r.gpus = n; };
  const auto tokens = [&r](std::uint32_t n) { r.tokens = n; };
  options.add_options()("model", po::value(&r.model)->value_name("NAME"),
                        "a layer by name, of this model (t3sim list models)")(
      "layer", po::value(&r.layer)->value_name("NAME"), "which layer, e.g. mlp-down (t3sim list models)")(
      "tp", po::value<std::uint32_t>()->notifier(gpus)->value_name("N"),
      "GPUs that share the layer (default: the machine's)")(
      "tokens", po::value<std::uint32_t>()->notifier(tokens)->value_name("N"),
      "rows of the layer (default: the model's, 4096 for most)")(
      "machine", po::value(&r.machine)->value_name("NAME"), "a machine by name (t3sim list machines)")(
      "program", po::value(&r.program)->value_name("NAME"),
      "run this program instead of schemes: a name (t3sim program list) or a file (docs/programs.md)")(
      "parameter,p", po::value(&r.parameters)->composing()->value_name("name=value"),
      "of the program, instead of its default; may be repeated")(
      "graph", po::value(&r.graph)->value_name("FILE"),
      "run this graph of operations, or whole model, instead of schemes (docs/models.md)")(
      "chakra", po::value(&r.chakra)->value_name("PREFIX"),
      "run these Chakra execution traces instead of schemes: PREFIX.0.et, PREFIX.1.et, ..., or one file for "
      "all GPUs")("set", po::value(&r.overrides)->composing()->value_name("path.to.key=value"),
                  "override a key of the configuration; may be repeated")(
      "scheme", po::value(&r.schemes)->composing()->value_name("a,b"),
      "schemes to run, instead of the configuration's (t3sim list schemes), or files of your own; all");
  add_options(r.collective, options);
}

LoadedConfig load_config(const ConfigRequest& request) {
  check_use(request);
  LoadedConfig loaded;
  config::Node root;
  if (!request.machine.empty()) {
    add_document(root, loaded.files, presets::machine_path(request.machine));
    root.where = {"--machine " + request.machine};
  }
  if (!request.file.empty()) add_document(root, loaded.files, request.file);
  if (!request.model.empty()) loaded.layer = add_layer(request, root);
  if (!request.program.empty()) config::apply_override(root, "program.file=" + request.program);
  for (const std::string& assignment : request.parameters)
    config::apply_override(root, "program.parameters." + assignment);
  apply(request.collective, request.command, root);
  if (!request.graph.empty() || !request.chakra.empty()) config::apply_override(root, "gpus.model=message");
  for (const std::string& assignment : request.overrides) config::apply_override(root, assignment);
  choose_schemes(root, split_commas(request.schemes));
  loaded.sources = config::read(root, loaded.config);
  settle_config(loaded.config, loaded.sources);
  check_config(loaded.config, loaded.sources);
  loaded.note = unusual_note(loaded.config);
  return loaded;
}

}  // namespace t3sim
