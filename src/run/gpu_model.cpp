#include "run/gpu_model.h"

#include <fmt/format.h>

#include <optional>

#include "machine/fabric_setup.h"
#include "run/scheme_table.h"

namespace t3sim {
namespace {

// Why one GPU cannot stand for all, and the key that decides it.
struct NotExact {
  std::string because;
  std::string_view key;
};
using Why = std::optional<NotExact>;

// Why chunks of these tiles are not alike, and what would make them so.
std::string why_unlike(const TileGrid& grid, std::uint32_t chunks) {
  const bool whole_rows = grid.tile_rows() >= chunks;
  const std::uint32_t unit = grid.tile_m() * chunks;
  if (whole_rows && grid.tile_rows() % chunks != 0)
    return fmt::format("{} rows of {} tiles do not divide by {} (a multiple of {} rows does)",
                       grid.tile_rows(), grid.tile_cols(), chunks, unit);
  const std::uint32_t last = grid.block(grid.tiles() - 1).rows;
  const std::uint32_t rows = (grid.tile_rows() - 1) * grid.tile_m() + last;
  if (whole_rows)
    return fmt::format(
        "{} rows end within a tile of {}: the last of the {} rows of tiles has {} (a multiple of "
        "{} rows, such as {}, does not)",
        rows, grid.tile_m(), grid.tile_rows(), last, unit, grid.tile_rows() * grid.tile_m());
  if (grid.tiles() % chunks != 0)
    return fmt::format("{} x {} tiles do not divide by {}", grid.tile_rows(), grid.tile_cols(), chunks);
  return fmt::format("some of the {} x {} tiles are cut off at the output's edge", grid.tile_rows(),
                     grid.tile_cols());
}

Why why_not(const Config& config, const Phase& phase) {
  const CollectiveArrays collective = collective_arrays(config, phase);
  const TileGrid& grid = collective.array.grid;
  if (!collective.chunks.alike(grid))
    return NotExact{"chunks are not alike: " + why_unlike(grid, collective.chunks.chunks()), "workload.m"};
  if (phase.plan() && !rotation_invariant(*phase.plan()))
    return NotExact{fmt::format("the GPUs of {} do not all do the same", phase.plan()->name),
                    "collective.algorithm"};
  const bool row_major = collective.array.row_major;
  const std::uint32_t elements = row_major ? grid.tile_n() : grid.tile_m();
  if (elements * collective.array.layout.element_bytes() % kLineBytes != 0)
    return NotExact{
        fmt::format("{} of a tile are no whole lines of {} bytes; workload.output: {} may help",
                    row_major ? "rows" : "columns", kLineBytes, row_major ? "column-major" : "row-major"),
        "workload.tile"};
  return std::nullopt;
}

Why why_not(const Config& config) {
  const TopologyKind kind = config.topology.kind;
  if (!config.gpus.overrides.empty()) return NotExact{"GPUs differ", "gpus.overrides"};
  if (config.run.functional) return NotExact{"every GPU has numbers of its own", "run.functional"};
  if (kind == TopologyKind::two_level || is_network(kind))
    return NotExact{
        fmt::format("with topology.kind: {}, what is near to one GPU is far from another", to_string(kind)),
        "topology.kind"};
  const SchemeTable schemes(config);
  for (const std::string& name : config.schemes)
    for (const SchemePhase& phase : schemes.scheme(name).phases) {
      if (phase.phase.kernel && !phase.phase.kernel->as_gemm) continue;
      if (Why why = why_not(config, phase.phase)) return why;
    }
  return std::nullopt;
}

}  // namespace

void settle_gpu_model(Config& config, const config::Sources& sources) {
  GpusConfig& gpus = config.gpus;
  gpus.model = gpus.choice == GpuModel::automatic ? GpuModel::mirror : gpus.choice;
  if (!config.program.file.empty()) {  // run_configured() chooses: it depends on the program
    if (gpus.choice == GpuModel::automatic) gpus.model = GpuModel::explicit_;
    return;
  }
  if (gpus.model != GpuModel::mirror || !runs_collective(config)) return;
  const Why why = why_not(config);
  if (!why) return;
  if (gpus.choice == GpuModel::mirror)
    throw sources.error("gpus.model",
                        fmt::format("mirror would not be exact: {}; take auto or explicit", why->because),
                        {why->key});
  gpus.model = GpuModel::explicit_;
  gpus.because = why->because;
}

std::string chosen_gpu_model(const Config& config) {
  const GpusConfig& gpus = config.gpus;
  if (gpus.choice != GpuModel::automatic || !runs_collective(config)) return {};
  if (gpus.model == GpuModel::mirror) return fmt::format("one GPU stands for all {}", gpus.count);
  return fmt::format("all {} GPUs are simulated, as {}", gpus.count, gpus.because);
}

}  // namespace t3sim
