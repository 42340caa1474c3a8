#include "validation/mcr_dl/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"

namespace t3sim::mcr_dl {
namespace {

using message::Kind;

const message::Backend& named(const Values& values, const std::string& name) {
  return *std::ranges::find(values.backends, name, &message::Backend::name);
}

// Buffers of 25 MiB are PyTorch's (bucket_cap_mb), of 64 MiB and 5 ms Horovod's; MCR-DL's paper does not say its own: Horovod's.
constexpr std::uint64_t kPyTorchBytes = 25 << 20, kHorovodBytes = 64 << 20;
constexpr model::Picoseconds kWait = 5'000'000'000;

struct FrameworkRun {
  std::string name;
  std::vector<std::string> backends;  // several: mixed by size
  Framework framework;
  std::uint64_t bytes;  // of a buffer; 0: tensors go one by one
};

const std::vector<FrameworkRun>& frameworks() {
  static const std::vector<FrameworkRun> all{{"mpi4py", {"mpi-gdr"}, kPyTorch, 0},
                                             {"Horovod", {"nccl"}, kPyTorch, kHorovodBytes},
                                             {"PyTorch", {"nccl"}, kPyTorch, kPyTorchBytes},
                                             {"MCR-DL without fusion", {"mpi-gdr", "nccl"}, kMcrDl, 0},
                                             {"MCR-DL", {"mpi-gdr", "nccl"}, kMcrDl, kHorovodBytes}};
  return all;
}

}  // namespace

std::string figure_two(Machines& machines, const Values& values) {
  constexpr std::uint32_t kGpus = 64;
  constexpr std::uint64_t kLeast = 1 << 10, kMost = 64 << 20;
  model::BackendCosts& costs = machines.of("lassen", kGpus).costs();
  std::string csv = "operation,bytes,message_bytes,mpi-gdr_us,nccl_us,sccl_us\n";
  for (const Kind kind : {Kind::all_reduce, Kind::all_to_all})
    for (std::uint64_t bytes = kLeast; bytes <= kMost; bytes *= 4) {
      csv += fmt::format("{},{},{}", to_string(kind), bytes, message::message_bytes(kind, bytes, kGpus));
      for (const char* name : {"mpi-gdr", "nccl", "sccl"})
        csv += fmt::format(",{:.2f}", costs.in_a_row_us(named(values, name), kind, bytes, kGpus));
      csv += '\n';
    }
  return csv;
}

std::string figure_seven(Machines& machines, const Values& values) {
  constexpr std::uint32_t kGpus = 32;
  model::BackendCosts& costs = machines.of("thetagpu", kGpus).costs();
  std::string csv = "message_bytes,bare_us,mcr_dl_us,pytorch_us,mcr_dl_pct,pytorch_pct\n";
  for (std::uint64_t message = 256; message <= 4 << 20; message *= 4) {
    const double bare = costs.in_a_row_us(named(values, "mpi-gdr"), Kind::all_to_all, message * kGpus, kGpus);
    const double ours = kMcrDl.overhead.percent(message), theirs = kPyTorch.overhead.percent(message);
    csv += fmt::format("{},{:.2f},{:.2f},{:.2f},{:.1f},{:.1f}\n", message, bare, bare * (1 + ours / 100),
                       bare * (1 + theirs / 100), ours, theirs);
  }
  return csv;
}

std::string figure_eleven(Machines& machines, const Values& values) {
  const std::uint32_t gpus = scales_of(Model::moe).back();
  Runs& runs = machines.of(std::string(cluster_of(Model::moe)), gpus);
  std::string csv = "framework,backends,buffer_bytes,step_us,relative_throughput\n";
  double first = 0;
  for (const FrameworkRun& f : frameworks()) {
    std::optional<model::FusionRule> rule;
    if (f.bytes != 0) rule = model::FusionRule{f.bytes, kWait, true, 0.9 * real(values.study.moe.memory_Bps)};
    const model::Graph graph = moe_by_tensors(values.study, gpus, rule);
    std::vector<message::Backend> backends;
    std::string names;
    for (const std::string& name : f.backends) {
      backends.push_back(named(values, name));
      names += (names.empty() ? "" : " ") + name;
    }
    const bool mixed = backends.size() > 1;
    const model::BackendTable table = runs.tune(graph, backends, true);
    const double us = runs.step(graph, backends, mixed ? Mix::by_size : Mix::none, &table, f.framework).us;
    if (first == 0) first = us;
    csv += fmt::format("{},{},{},{:.1f},{:.4f}\n", f.name, names, f.bytes, us, first / us);
  }
  return csv;
}

std::string figure_twelve(const std::vector<Row>& rows) {
  std::string csv = "model,gpus,policy,framework,computation_pct,communication_pct\n";
  for (const Row& r : rows)
    if (r.model != Model::dense && r.gpus == scales_of(r.model).back() &&
        (r.baseline || r.policy == "by size"))
      csv += fmt::format("{},{},{},{},{:.2f},{:.2f}\n", name_of(r.model), r.gpus, r.policy,
                         r.baseline ? "PyTorch" : "MCR-DL", 100 - r.step.share(), r.step.share());
  return csv;
}

}  // namespace t3sim::mcr_dl
