#include "validation/rivals/cases.h"

#include <fmt/format.h>

#include "base/number.h"
#include "config/config.h"
#include "presets/machine.h"
#include "run/check_config.h"
#include "run/scheme_table.h"
#include "runtime/load_program.h"

namespace t3sim::rivals {
namespace {

constexpr std::uint64_t kElement = 2;  // bytes

std::vector<Method> scatter_methods() {
  constexpr Pattern kScatter = Pattern::scatter;
  return {{"sequential", kScatter, {{"gemm-then-reduce-scatter", {}}}},
          {"two-streams", kScatter, {{"two-streams-gemm-reduce-scatter", {}}}},
          {"medium-grained", kScatter, {{"medium-grained-gemm-reduce-scatter", {}}}},
          {"flux", kScatter, {{"gemm-reduce-scatter", {}}, {"gemm-reduce-scatter-add", {}}}},
          {"fused-operators", kScatter, {{"gemm-reduce-scatter", {{"shift", 0}}}}},
          {"t3", kScatter, {{"t3", {}}}, true},
          {"t3-mca", kScatter, {{"t3-mca", {}}}, true},
          {"ideal-rs-nmc", kScatter, {{"ideal-rs-nmc", {}}}, true}};
}

std::vector<Method> gather_methods(std::uint64_t shard) {
  constexpr Pattern kGather = Pattern::gather;
  return {{"sequential", kGather, {{"gather-then-gemm", {{"library", 1}}}, {"ficco-serial", {}}}},
          {"shard-p2p", kGather, {{"ficco-shard-p2p", {}}}},
          {"uniform-fused-1d", kGather, {{"ficco-uniform-fused-1d", {}}}},
          {"uniform-fused-2d", kGather, {{"ficco-uniform-fused-2d", {}}}},
          {"hetero-fused-1d", kGather, {{"ficco-hetero-fused-1d", {}}}},
          {"hetero-unfused-1d", kGather, {{"ficco-hetero-unfused-1d", {}}}},
          {"medium-grained", kGather, {{"medium-grained-all-gather-gemm", {}}}},
          {"flux",
           kGather,
           {{"all-gather-gemm", {{"rows", shard}}},
            {"all-gather-gemm", {{"rows", shard / 2}}},
            {"all-gather-gemm-push", {{"rows", shard}}}}},
          {"t3", kGather, {{"t3", {}}}, true}};
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
  set(root, "workload.m", shape.m);
  set(root, "workload.n", shape.own_n(gpus));
  set(root, "workload.k", shape.own_k(gpus));
  const bool scatter = shape.pattern == Pattern::scatter;
  set(root, "collective.kind", scatter ? "reduce-scatter" : "all-gather");
  set(root, "collective.gemm", scatter ? "producer" : "consumer");
  set(root, "schemes", fmt::format("[{}]", candidate.program));
}

}  // namespace

std::string_view to_string(Pattern pattern) {
  return pattern == Pattern::scatter ? "GEMM -> reduce-scatter" : "all-gather -> GEMM";
}

const std::vector<System>& systems() {
  // Programs have kernels of several streams on a GPU, which share the L2: nothing may empty it when one of them ends.
  static const std::vector<System> kSystems{
      {"paper", {"l2.kernel_boundary=keep"}}, {"h200-x4", {}}, {"h800-x8", {}}, {"mi300x-x8", {}}};
  return kSystems;
}

const std::vector<Shape>& shapes() {
  using enum Pattern;
  static const std::vector<Shape> kShapes{{"t-nlg-op", scatter, 8192, 4256, 4256, true},
                                          {"llama-70b-o", scatter, 4096, 8192, 8192, true},
                                          {"mega-gpt-2-fc1", gather, 4096, 12288, 3072, true},
                                          {"llama-70b-qkv", gather, 4096, 10240, 8192, true},
                                          {"t-nlg-fc2", scatter, 8192, 4256, 17024, false},
                                          {"flux-scatter", scatter, 4096, 12288, 49152, false},
                                          {"flux-gather", gather, 4096, 49152, 12288, false},
                                          {"llama-70b-gate-up", gather, 4096, 57344, 8192, false},
                                          {"llama-70b-down", scatter, 4096, 8192, 28672, false},
                                          {"ficco-g5", gather, 8192, 8192, 262144, false}};
  return kShapes;
}

double Shape::link_bytes(std::uint64_t gpus) const {
  const double matrix = real(m * (pattern == Pattern::scatter ? n : k) * kElement);
  return matrix * real(gpus - 1) / real(gpus);
}

std::vector<Method> methods(const Shape& shape, std::uint64_t gpus) {
  return shape.pattern == Pattern::scatter ? scatter_methods() : gather_methods(shape.m / gpus);
}

Method gemm_alone(const Shape& shape) {
  return {"GEMM alone", shape.pattern, {{"decomposed-gemm", {{"pieces", 1}}}}};
}

Method communication_alone(const Shape& shape) {
  if (shape.pattern == Pattern::scatter)
    return {"communication alone", shape.pattern, {{"gemm-then-reduce-scatter", {{"gemm", 0}}}}};
  return {"communication alone",
          shape.pattern,
          {{"gather-then-gemm", {{"gemm", 0}, {"library", 1}}}, {"gather-then-gemm", {{"gemm", 0}}}}};
}

Config configure(const System& system, const Shape& shape, const Method& method, const Candidate& candidate,
                 const std::vector<std::string>& overrides) {
  config::Document document = config::load_file(presets::machine_path(system.name));
  for (const std::vector<std::string>& list : {system.overrides, overrides})
    for (const std::string& assignment : list) config::apply_override(document.root, assignment);
  Config machine;
  config::read(document.root, machine);
  const std::uint64_t gpus = machine.gpus.count;
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
