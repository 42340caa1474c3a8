#include "validation/mcr_dl/evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "config/config.h"
#include "presets/machine.h"
#include "run/messages.h"

namespace t3sim::mcr_dl {
namespace {

Config machine_of(const std::string& cluster, std::uint32_t gpus) {
  config::Document document = config::load_file(presets::machine_path(cluster));
  config::apply_override(document.root, fmt::format("gpus.count={}", gpus));
  Config config;
  const config::Sources sources = config::read(document.root, config);
  check_message_machine(config, sources);
  return config;
}

std::vector<message::Backend> those_of(const Values& values, Model model) {
  std::vector<message::Backend> backends;
  for (const std::string& name : backends_of(model))
    backends.push_back(*std::ranges::find(values.backends, name, &message::Backend::name));
  return backends;
}

constexpr std::string_view kByOperation = "by operation", kBySize = "by size";

}  // namespace

Runs& Machines::of(const std::string& cluster, std::uint32_t gpus) {
  std::unique_ptr<Runs>& runs = made_[{cluster, gpus}];
  if (!runs) runs = std::make_unique<Runs>(machine_of(cluster, gpus), kept_);
  return *runs;
}

std::size_t Machines::runs() const {
  std::size_t runs = 0;
  for (const auto& [key, made] : made_) runs += made->costs().runs();
  return runs;
}

std::vector<Row> evaluate(Machines& machines, const Values& values, Model model,
                          const std::vector<std::uint32_t>& scales, bool all_sizes) {
  const std::vector<message::Backend> backends = those_of(values, model);
  std::vector<Row> rows;
  std::map<std::pair<std::string, bool>, double> first;
  for (const std::uint32_t gpus : scales) {
    Runs& runs = machines.of(std::string(cluster_of(model)), gpus);
    const model::Graph graph = graph_of(values.study, model, gpus);
    const model::BackendTable table = runs.tune(graph, backends, all_sizes);
    const auto add = [&](const std::string& policy, bool baseline, const std::vector<message::Backend>& with,
                         Mix mix) {
      Row row{
          model, gpus, policy, baseline, runs.step(graph, with, mix, &table, baseline ? kPyTorch : kMcrDl),
          0};
      const double alone = first.try_emplace({policy, baseline}, row.step.us).first->second;
      row.efficiency = 100 * alone / row.step.us;
      rows.push_back(std::move(row));
    };
    for (const message::Backend& b : backends)
      for (const bool baseline : {true, false}) add(b.name, baseline, {b}, Mix::none);
    add(std::string(kByOperation), false, backends, Mix::by_operation);
    add(std::string(kBySize), false, backends, Mix::by_size);
  }
  return rows;
}

const Row& row_of(const std::vector<Row>& rows, Model model, std::uint32_t gpus, const std::string& policy,
                  bool baseline) {
  const auto found = std::ranges::find_if(rows, [&](const Row& r) {
    return r.model == model && r.gpus == gpus && r.policy == policy && r.baseline == baseline;
  });
  if (found == rows.end()) throw CheckError(fmt::format("no row of {} on {} GPUs", policy, gpus));
  return *found;
}

std::map<std::string, double> numbers_of(const std::vector<Row>& rows, Model model) {
  const std::uint32_t gpus = scales_of(model).back();
  const std::string name(name_of(model));
  const Row& mixed = row_of(rows, model, gpus, std::string(kBySize), false);
  std::map<std::string, double> numbers;
  double least = 100;
  for (const std::string& backend : backends_of(model)) {
    const Row& alone = row_of(rows, model, gpus, backend, true);
    const std::string of = backend == "mpi-gdr" ? "mpi" : backend;
    numbers[fmt::format("{}_gain_{}", name, of)] = 100 * (alone.step.us / mixed.step.us - 1);
    least = std::min(least, alone.step.share());
  }
  numbers[name + "_efficiency"] = mixed.efficiency;
  numbers[name + "_share"] = least - mixed.step.share();
  return numbers;
}

}  // namespace t3sim::mcr_dl
