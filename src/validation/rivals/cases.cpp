#include "validation/rivals/cases.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "base/number.h"
#include "config/config.h"
#include "presets/machine.h"
#include "run/check_config.h"
#include "run/scheme_table.h"
#include "runtime/load_program.h"
#include "validation/ficco/study.h"

namespace t3sim::rivals {
namespace {

constexpr std::uint64_t kElement = 2;  // bytes

std::string_view collective_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::scatter:
      return "reduce-scatter";
    case Pattern::gather:
      return "all-gather";
    case Pattern::exchange:
      return "all-to-all";
  }
  return {};
}

void set(config::Node& root, std::string_view key, const auto& value) {
  config::apply_override(root, fmt::format("{}={}", key, value));
}

// The program of a method, with the shape that a GPU computes; those that only move data have no N.
void set_program(config::Node& root, const Shape& shape, const Candidate& candidate, std::uint64_t gpus) {
  set(root, "program.file", candidate.program);
  set(root, "run.sampling", "auto");
  for (const auto& [name, value] : std::map<std::string, std::uint64_t>{
           {"m", shape.m}, {"n", shape.own_n(gpus)}, {"k", shape.own_k(gpus)}})
    set(root, "program.parameters." + name, value);
  for (const auto& [name, value] : candidate.parameters) set(root, "program.parameters." + name, value);
}

void set_workload(config::Node& root, const Shape& shape, const Candidate& candidate, std::uint64_t gpus) {
  set(root, "workload.name", shape.name);
  set(root, "workload.m", shape.m);
  set(root, "workload.n", shape.own_n(gpus));
  set(root, "workload.k", shape.own_k(gpus));
  set(root, "collective.kind", collective_of(shape.pattern));
  set(root, "collective.gemm", shape.pattern == Pattern::gather ? "consumer" : "producer");
  set(root, "schemes", fmt::format("[{}]", candidate.program));
}

// Read once: it is asked for three times a candidate.
const config::Document& file_of(const System& system) {
  static std::map<std::string, config::Document> files;
  const auto it = files.find(system.name);
  if (it != files.end()) return it->second;
  return files.emplace(system.name, config::load_file(presets::machine_path(system.name))).first->second;
}

config::Document document_of(const System& system, const std::vector<std::string>& overrides) {
  config::Document document = file_of(system);
  for (const std::vector<std::string>& list : {system.overrides, overrides})
    for (const std::string& assignment : list) config::apply_override(document.root, assignment);
  return document;
}

}  // namespace

std::string_view to_string(Pattern pattern) {
  switch (pattern) {
    case Pattern::scatter:
      return "GEMM -> reduce-scatter";
    case Pattern::gather:
      return "all-gather -> GEMM";
    case Pattern::exchange:
      return "GEMM -> all-to-all";
  }
  return {};
}

const std::vector<System>& systems() {
  // Programs have kernels of several streams on a GPU, which share the L2: nothing may empty it when one of them ends. The
  // library's ring and the medium-grained methods go around the paper's ring the other way than T3 does: it has both.
  const std::string kTile = "workload.tile=256x128x64";       // of cuBLAS's most frequent kernel
  const std::string kDirect = "collective.algorithm=direct";  // over all seven links of a mesh
  static const std::vector<System> kSystems{
      {"paper",
       {"l2.kernel_boundary=keep", "topology.kind=bidirectional-ring"},
       {"t-nlg-op", "mega-gpt-2-fc2-2k", "llama-70b-o-2k", "llama-70b-qkv-1k"},
       {},
       true},
      {"h200-x4",
       {},
       {"mega-gpt-2-fc2-2k", "llama-70b-o-2k", "llama-70b-qkv-1k", "moe-combine-2k"},
       {{kTile}}},
      {"h800-x8",
       {},
       {"mega-gpt-2-fc2-2k", "llama-70b-o-2k", "llama-70b-qkv-1k", "moe-combine-2k"},
       {{kTile}}},
      {"mi300x-x8",
       {},
       {"mega-gpt-2-fc2-2k", "llama-70b-o-2k", "llama-70b-qkv-1k", "moe-combine-2k"},
       {{kDirect}, {kDirect, "workload.tile=128x128x32"}}}};
  return kSystems;
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> kShapes = [] {
    using enum Pattern;
    std::vector<Shape> all{
        {"t-nlg-op", scatter, 8192, 4256, 4256},          {"mega-gpt-2-fc2-2k", scatter, 2048, 3072, 12288},
        {"llama-70b-o-2k", scatter, 2048, 8192, 8192},    {"llama-70b-qkv-1k", gather, 1024, 10240, 8192},
        {"moe-combine-2k", exchange, 2048, 7168, 2048},  // DeepSeek-V3's hidden size and expert's width
        {"llama-70b-o", scatter, 4096, 8192, 8192},       {"mega-gpt-2-fc1", gather, 4096, 12288, 3072},
        {"llama-70b-qkv", gather, 4096, 10240, 8192},     {"moe-combine", exchange, 16384, 7168, 2048},
        {"llama-70b-gate-up", gather, 4096, 57344, 8192}, {"llama-70b-down", scatter, 4096, 8192, 28672}};
    // T3's sub-layers (Table 2), with the machine's number of GPUs (TP 8 on the paper's ring) and at TP 16. Backward FC-1 is
    // the product of FC-2.
    for (const auto& [model, rows, h] :
         {std::tuple{"mega-gpt-2", 16384U, 3072U}, std::tuple{"t-nlg", 8192U, 4256U}})
      for (const auto& [layer, times] : {std::pair{"op", 1U}, std::pair{"fc2", 4U}, std::pair{"ip", 3U}}) {
        const std::string name = fmt::format("{}-{}", model, layer);
        const Shape shape{name, scatter, rows, h, std::uint64_t{times} * h};
        if (name != all.front().name) all.push_back(shape);
        all.push_back(shape);
        all.back().name += "-tp16";
        all.back().only_gpus = 16;
      }
    for (const std::uint64_t rows : {64U, 512U, 1024U, 2048U, 4096U, 8192U}) {  // Flux, section 5.1
      const std::string end = rows == 4096   ? ""
                              : rows >= 1024 ? fmt::format("-{}k", rows / 1024)
                                             : fmt::format("-{}", rows);
      all.push_back({"flux-scatter" + end, scatter, rows, 12288, 49152});
      all.push_back({"flux-gather" + end, gather, rows, 49152, 12288});
    }
    for (const ficco::Shape& shape : ficco::table_one())
      all.push_back({"ficco-" + shape.name, gather, shape.m, shape.n, shape.k});
    return all;
  }();
  return kShapes;
}

bool fits(const System& system, const Shape& shape, const std::vector<std::string>& overrides) {
  return shape.only_gpus == 0 || system.any_gpus ||
         machine_of(system, overrides).gpus.count == shape.only_gpus;
}

double Shape::link_bytes(std::uint64_t gpus) const {
  const double matrix = real(m * (pattern == Pattern::gather ? k : n) * kElement);
  return matrix * real(gpus - 1) / real(gpus);
}

Config machine_of(const System& system, const std::vector<std::string>& overrides) {
  Config machine;
  config::read(document_of(system, overrides).root, machine);
  return machine;
}

Config configure(const System& system, const Shape& shape, const Method& method, const Candidate& candidate,
                 const std::vector<std::string>& overrides) {
  config::Document document = document_of(system, overrides);
  for (const std::vector<std::string>& list : {candidate.overrides, method.overrides})
    for (const std::string& assignment : list) config::apply_override(document.root, assignment);
  const std::uint64_t gpus = machine_of(system, overrides).gpus.count;
  method.scheme ? set_workload(document.root, shape, candidate, gpus)
                : set_program(document.root, shape, candidate, gpus);
  Config config;
  const config::Sources sources = config::read(document.root, config);
  settle_config(config, sources);
  check_config(config, sources);
  method.scheme ? static_cast<void>(SchemeTable(config).scheme(candidate.program))
                : static_cast<void>(load_program(config));
  return config;
}

}  // namespace t3sim::rivals
