// t3sim tune backends: the fastest backend by operation, number of GPUs and bytes.
#include <fmt/format.h>

#include <algorithm>

#include "app/commands/tune_commands.h"
#include "app/config_request.h"
#include "app/options.h"
#include "app/output_file.h"
#include "base/csv.h"
#include "base/error.h"
#include "base/number.h"
#include "config/config.h"
#include "config/units.h"
#include "model/backend_costs.h"
#include "model/backend_table.h"
#include "presets/machine.h"
#include "results/text_table.h"
#include "run/messages.h"
#include "sweep/files.h"

namespace t3sim::tune_commands {
namespace po = boost::program_options;
namespace {

struct BackendOptions {
  std::string machine, file, measured, output;
  std::string backends = "nccl,mpi-gdr,sccl", operations = "all-reduce,all-gather,reduce-scatter,all-to-all";
  std::string worlds = "16", bytes = "1KiB,4KiB,16KiB,64KiB,256KiB,1MiB,4MiB,16MiB,64MiB",
              kept = "out/backend-runs";
  std::vector<std::string> overrides;
};

constexpr std::string_view kAbout =
    "Fills a table (operation, GPUs, bytes) -> backend for the machine, from runs as messages or from\n"
    "measurements, and writes it as CSV (docs/backends.md). A backend that lacks an operation has no row.\n";

std::optional<BackendOptions> parse_backends(const Arguments& arguments) {
  BackendOptions o;
  po::options_description shown("Options"), hidden;
  shown.add_options()("machine", po::value(&o.machine)->value_name("NAME"),
                      "a machine by name (t3sim list machines)")(
      "set", po::value(&o.overrides)->composing()->value_name("path.to.key=value"),
      "override a key of the configuration; may be repeated")(
      "backends", po::value(&o.backends)->default_value(o.backends)->value_name("a,b"),
      "by name, or files that end in .yaml")(
      "operations", po::value(&o.operations)->default_value(o.operations)->value_name("a,b"),
      "kinds of collectives")("world", po::value(&o.worlds)->default_value(o.worlds)->value_name("a,b"),
                              "numbers of GPUs")(
      "bytes", po::value(&o.bytes)->default_value(o.bytes)->value_name("a,b"), "of the array on each GPU")(
      "measured", po::value(&o.measured)->value_name("FILE.csv"),
      "instead of runs, times of a file with columns tag (the backend), op, world, bytes and median_s")(
      "kept", po::value(&o.kept)->default_value(o.kept)->value_name("DIR"),
      "where finished runs are kept; empty: nowhere")("output,o", po::value(&o.output)->value_name("FILE"),
                                                      "write the table as CSV there");
  hidden.add_options()("config", po::value(&o.file));
  po::positional_options_description operands;
  operands.add("config", 1);
  if (!parse_options({"tune backends", "[CONFIG.yaml] [--machine NAME] [options]", std::string(kAbout)},
                     shown, hidden, operands, arguments))
    return std::nullopt;
  if (o.file.empty() && o.machine.empty())
    throw InputError("tune backends: no machine named: --machine NAME or CONFIG.yaml");
  check_output_file("tune backends", o.output, {"machine,operation,world,"});
  return o;
}

template <class F>
auto each(const std::string& option, const std::string& list, F&& value_of) {
  std::vector<decltype(value_of(list))> values;
  for (const std::string& word : split_commas({list})) try {
      values.push_back(value_of(word));
    } catch (const std::exception& e) {
      throw InputError(fmt::format("tune backends: --{}: {}", option, e.what()));
    }
  return values;
}

struct MachineOf {
  Config config;
  config::Sources sources;
};

MachineOf machine_of(const BackendOptions& o, std::uint32_t world) {
  config::Document document =
      config::load_file(o.machine.empty() ? o.file : presets::machine_path(o.machine));
  if (!o.machine.empty() && !o.file.empty()) merge(document.root, config::load_file(o.file).root);
  for (const std::string& assignment : o.overrides) config::apply_override(document.root, assignment);
  config::apply_override(document.root, "gpus.model=message");
  if (world != 0) config::apply_override(document.root, fmt::format("gpus.count={}", world));
  MachineOf loaded;
  loaded.sources = config::read(document.root, loaded.config);
  check_message_machine(loaded.config, loaded.sources);
  return loaded;
}

void fill(const BackendOptions& o, model::BackendTable& table) {
  const auto backends = each("backends", o.backends, message::backend_named);
  const auto kinds = each("operations", o.operations, model::kind_named);
  const auto sizes = each(
      "bytes", o.bytes, [](const std::string& text) { return config::parse_quantity(config::kSize, text); });
  if (std::ranges::count(sizes, 0U) != 0) throw InputError("tune backends: --bytes: 0 B is nothing to send");
  for (const std::uint64_t world : each("world", o.worlds, config::parse_whole)) {
    if (world < 2 || world > 4096) throw InputError("tune backends: --world: allowed: 2 to 4096");
    const MachineOf machine = machine_of(o, narrow<std::uint32_t>(world));
    model::BackendCosts costs(machine.config, o.kept);
    for (const message::Kind kind : kinds)
      for (const std::uint64_t bytes : sizes)
        for (const message::Backend& backend : backends)
          if (backend.has(kind))
            table.add(kind, narrow<std::uint32_t>(world), bytes, backend.name,
                      costs.in_a_row_us(backend, kind, bytes, narrow<std::uint32_t>(world)));
  }
}

// Rows of backends, operations and worlds that are asked for.
void read_measured(const BackendOptions& o, model::BackendTable& table) {
  CsvTable file(o.measured);
  const std::size_t tag = file.column("tag"), op = file.column("op"), world = file.column("world"),
                    bytes = file.column("bytes"), seconds = file.column("median_s");
  const std::vector<std::string> backends = split_commas({o.backends}), kinds = split_commas({o.operations}),
                                 worlds = split_commas({o.worlds});
  while (file.next_row()) {
    std::string kind = file.text(op);
    std::ranges::replace(kind, '_', '-');
    const auto wanted = [](const auto& list, const std::string& text) {
      return std::ranges::find(list, text) != list.end();
    };
    if (!wanted(backends, file.text(tag)) || !wanted(kinds, kind) || !wanted(worlds, file.text(world)))
      continue;
    table.add(model::kind_named(kind), narrow<std::uint32_t>(file.number(world)), file.number(bytes),
              file.text(tag), 1e6 * file.real(seconds));
  }
  if (table.points().empty()) file.fail("has no row of these backends, operations and numbers of GPUs");
}

std::string table_text(const model::BackendTable& table) {
  TextTable text;
  text.cells({"operation", "GPUs", "bytes", "us", "next us"});
  std::vector<std::string> names{"backend"};
  for (const auto& [point, times] : table.points()) {
    const std::string& best = model::BackendTable::fastest(times);
    double next = 0;
    for (const auto& [backend, us] : times)
      if (backend != best && (next == 0 || us < next)) next = us;
    text.row();
    text.cells({std::string(to_string(point.kind)), std::to_string(point.world),
                config::format_quantity(config::kSize, point.bytes), fmt::format("{:.2f}", times.at(best)),
                next == 0 ? "-" : fmt::format("{:.2f}", next)});
    names.push_back(best);
  }
  return text.text_with(names);
}

}  // namespace

int backends(const Arguments& arguments) {
  const std::optional<BackendOptions> o = parse_backends(arguments);
  if (!o) return kDone;
  model::BackendTable table(model::network_hash(machine_of(*o, 0).config));
  if (o->measured.empty())
    fill(*o, table);
  else
    read_measured(*o, table);
  fmt::print("{}", table_text(table));
  if (!o->output.empty()) sweep::write_whole(o->output, table.csv());
  return kDone;
}

}  // namespace t3sim::tune_commands
