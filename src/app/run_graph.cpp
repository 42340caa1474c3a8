#include "app/run_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/cpu_time.h"
#include "base/error.h"
#include "base/exit_status.h"
#include "base/sha256.h"
#include "model/communication_log.h"
#include "model/from_chakra.h"
#include "model/from_file.h"
#include "model/report.h"
#include "results/manifest.h"
#include "results/output_directory.h"
#include "run/messages.h"

namespace t3sim {
namespace {

struct Ran {
  model::Timed timed;
  double host_seconds = 0;
};

void write_graph(OutputDirectory& directory, const LoadedConfig& loaded,
                 const std::vector<config::InputFile>& graph_files, const model::Builder& builder,
                 const model::Graph& graph, const Ran& ran) {
  const std::string resolved = config::write(loaded.config);
  directory.write("results.json", model::graph_json(graph, ran.timed));
  directory.write("operations.csv", model::operations_csv(graph, ran.timed));
  directory.write("timeline.json", model::graph_timeline(graph, ran.timed));
  if (const std::string log = model::communication_csv(builder, ran.timed); !log.empty())
    directory.write("communication.csv", log);
  directory.write("config.yaml", resolved);
  std::vector<config::InputFile> files = loaded.files;
  files.insert(files.end(), graph_files.begin(), graph_files.end());
  nlohmann::ordered_json manifest = manifest_base(files);
  manifest["config"] = "sha256:" + sha256_hex(resolved);
  manifest["host_seconds"] = ran.host_seconds;
  manifest["simulated_events"] = builder.costs().events();
  directory.commit(std::move(manifest));
}

std::vector<config::InputFile> add_traces(model::Builder& builder, const std::string& path,
                                          std::uint32_t gpus) {
  model::add_chakra(builder, path, gpus);
  std::vector<config::InputFile> files;
  for (const std::string& trace : model::chakra_files(path, gpus)) {
    std::ifstream in(trace, std::ios::binary);
    files.push_back({trace, sha256_hex(std::string(std::istreambuf_iterator<char>(in), {}))});
  }
  return files;
}

}  // namespace

int run_graph_command(const LoadedConfig& loaded, const RunArguments& run) {
  if (!run.request.schemes.empty())
    throw InputError("run: --scheme has no use with operations: a sub-layer of a graph says its own");
  refuse_cycle_level(run, "operations");
  const double before = cpu_seconds();
  model::GraphFile file;
  const bool traces = !run.request.chakra.empty();
  if (!run.request.graph.empty())
    file = model::read_graph_file(run.request.graph);
  else if (!traces)
    file = model::read_graph(graph_of(run.request.collective));
  file.spec.extrapolate |= run.extrapolate;
  model::Builder builder(loaded.config, file.spec.products);
  if (!traces)
    model::add_graph(builder, file, loaded.config);
  else
    file.files = add_traces(builder, run.request.chakra, loaded.config.gpus.count);
  if (run.request.collective.backend == "auto")  // which it took
    builder.graph().name += fmt::format(" ({})", builder.graph().operations.front().call->backend);
  if (std::ranges::any_of(builder.graph().operations,
                          [](const model::Operation& o) { return o.call.has_value(); }))
    check_message_machine(loaded.config, loaded.sources);
  if (run.dry_run) {
    fmt::print("Nothing was simulated; the graph is valid: {} operations.\n",
               builder.graph().operations.size());
    return kDone;
  }
  std::optional<OutputDirectory> directory;
  if (!run.output.empty()) directory.emplace(run.output);  // before the work: it may be refused
  builder.find_times({run.options.threads, run.runs, run.quiet});
  const model::Graph& graph = builder.graph();
  if (run.explain) fmt::print(run.json ? stderr : stdout, "{}\n", model::explain_graph(graph));
  Ran ran{model::run_graph(graph, builder.shares(), &builder)};
  ran.host_seconds = cpu_seconds() - before;
  fmt::print("{}", run.json ? model::graph_json(graph, ran.timed) : model::graph_table(graph, ran.timed));
  if (!directory) return kDone;
  write_graph(*directory, loaded, file.files, builder, graph, ran);
  if (!run.json) fmt::print("\nFiles in {}: {}\n", directory->path(), fmt::join(directory->files(), ", "));
  return kDone;
}

}  // namespace t3sim
