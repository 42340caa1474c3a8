// What a program's simulation costs, and how its GEMMs are shortened to a few waves, its collectives to a few loops.
#include <algorithm>

#include "base/number.h"
#include "kernel/gemm_kernel.h"
#include "program/bodies.h"
#include "runtime/collective_settings.h"
#include "runtime/sampling.h"

namespace t3sim {

using program::GemmBody;
using program::Launch;
using program::Program;
using program::SumBody;
using program::View;

namespace {

double bytes_of(const View& view) { return 2.0 * real(view.rows) * real(view.columns); }

std::uint32_t clusters_of(const GemmSpec& spec) {
  const std::uint32_t m = ceil_div(spec.shape.m, spec.tile.m * (spec.cluster_along_n ? 1 : spec.cluster));
  const std::uint32_t n = ceil_div(spec.shape.n, spec.tile.n * (spec.cluster_along_n ? spec.cluster : 1));
  return spec.first_clusters == 0 ? m * n : std::min(spec.first_clusters, m * n);
}

// Panels of a K step come once to a workgroup, those that a cluster shares once to all.
double bytes_of(const GemmBody& gemm) {
  const GemmSpec& spec = gemm.spec;
  const double a = real(spec.tile.m) / (spec.cluster_along_n ? spec.cluster : 1);
  const double b = real(spec.tile.n) / (spec.cluster_along_n ? 1 : spec.cluster);
  const double loads = (a + b) * real(spec.shape.k);
  const double stores = real(spec.tile.m) * real(spec.tile.n) * (gemm.accumulate ? 2 : 1);
  return real(clusters_of(spec)) * spec.cluster * (loads + stores) * spec.element_bytes();
}

double bytes_of(const SumBody& sum) {
  double bytes = bytes_of(sum.to);
  for (const View& view : sum.from) bytes += bytes_of(view);
  return bytes;
}

// `bags` counts those of all tables.
double bytes_of(const program::EmbeddingBody& embedding) {
  const double rows = real(embedding.bags.bags) * real(embedding.bags.pooling);
  return rows * 2.0 * real(embedding.table.columns) + bytes_of(embedding.to);
}

double bytes_of(const program::GemvBody& gemv) {
  return bytes_of(gemv.w) + bytes_of(gemv.x) + bytes_of(gemv.y);
}

double bytes_of(const program::PollBody&) { return 0; }

double bytes_of(const program::Action& action) {
  if (const auto* launch = std::get_if<Launch>(&action)) {
    double bytes = 0;
    each_body(*launch, [&](const program::Body& body) {
      bytes += std::visit([](const auto& one) { return bytes_of(one); }, body);
    });
    return bytes;
  }
  if (const auto* copy = std::get_if<program::Copy>(&action)) return 2 * bytes_of(copy->from);
  if (const auto* collective = std::get_if<program::Collective>(&action))
    return 2 * std::max(bytes_of(collective->in), bytes_of(collective->out));
  return 0;
}

// Clusters of workgroups that run at a time.
std::uint32_t wave_of(const Config& config, const Launch& launch, const GemmSpec& spec) {
  std::uint32_t at_a_time = spec.persistent;
  if (at_a_time == 0) {
    const unsigned fit = workgroups_per_cu(config.gpu, GemmKernel(spec).traits());
    const auto cus = launch.cus != 0 ? launch.cus : narrow<std::uint32_t>(config.gpu.cus);
    at_a_time = cus * (launch.workgroups_per_cu == 0 ? fit : std::min(fit, launch.workgroups_per_cu));
  }
  return std::max(1U, at_a_time / spec.cluster);
}

// A launch that is nothing but a GEMM, each of its workgroups a tile of its own.
const GemmSpec* plain_gemm(const program::Action& action) {
  const auto* launch = std::get_if<Launch>(&action);
  const auto* gemm = launch ? std::get_if<GemmBody>(&launch->body) : nullptr;
  if (!gemm || gemm->spec.split_k > 1) return nullptr;
  return launch->waits.empty() && launch->sets.empty() && launch->stores.empty() ? &gemm->spec : nullptr;
}

bool passes_time(const program::Action& action) {
  return !std::holds_alternative<program::Record>(action) &&
         !std::holds_alternative<program::WaitEvent>(action);
}

}  // namespace

double simulated_bytes(const Program& program) {
  double bytes = 0;
  for (const program::GpuCommands& gpu : program.gpus)
    for (const program::Command& command : gpu.commands) bytes += bytes_of(command.action);
  return bytes;
}

std::uint64_t alike_waves(const Config& config, const Program& program) {
  std::optional<std::uint32_t> clusters, wave;
  for (const program::GpuCommands& gpu : program.gpus)
    for (const program::Command& command : gpu.commands) {
      if (!passes_time(command.action)) continue;
      const GemmSpec* spec = plain_gemm(command.action);
      if (!spec) return 0;
      const std::uint32_t its_wave = wave_of(config, std::get<Launch>(command.action), *spec);
      if (clusters.value_or(clusters_of(*spec)) != clusters_of(*spec) || wave.value_or(its_wave) != its_wave)
        return 0;
      clusters = clusters_of(*spec);
      wave = its_wave;
    }
  return clusters ? *clusters / *wave : 0;
}

std::uint64_t alike_loops(const Config& config, const Program& program) {
  std::optional<std::uint64_t> loops;
  for (const program::GpuCommands& gpu : program.gpus)
    for (const program::Command& command : gpu.commands) {
      if (!passes_time(command.action)) continue;
      const auto* collective = std::get_if<program::Collective>(&command.action);
      if (!collective) return 0;
      const std::uint64_t its = loops_of(config, program, *collective);
      if (loops.value_or(its) != its) return 0;
      loops = its;
    }
  return loops.value_or(0);
}

Program with_loops(Program program, std::uint64_t loops) {
  for (program::GpuCommands& gpu : program.gpus)
    for (program::Command& command : gpu.commands)
      if (auto* collective = std::get_if<program::Collective>(&command.action))
        collective->first_loops = loops;
  return program;
}

Program with_waves(const Config& config, Program program, std::uint64_t waves) {
  for (program::GpuCommands& gpu : program.gpus)
    for (program::Command& command : gpu.commands) {
      auto* launch = std::get_if<Launch>(&command.action);
      auto* gemm = launch ? std::get_if<GemmBody>(&launch->body) : nullptr;
      if (!gemm) continue;
      const std::uint32_t wave = wave_of(config, *launch, gemm->spec);
      gemm->spec.first_clusters = narrow<std::uint32_t>(clusters_of(gemm->spec) % wave + waves * wave);
    }
  return program;
}

}  // namespace t3sim
