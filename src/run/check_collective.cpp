#include "run/check_collective.h"

#include <fmt/format.h>

#include <optional>

#include "machine/fabric_setup.h"
#include "run/scheme_table.h"

namespace t3sim {
namespace {

constexpr std::uint32_t kMostArrays = 256;  // that a kernel step can name

void check_chunks(const Config& config, const Phase& phase, const config::Sources& sources) {
  const CollectiveArrays collective = collective_arrays(config, phase);
  const TileGrid& grid = collective.array.grid;
  const std::uint32_t chunks = collective.chunks.chunks();
  if (grid.tiles() < chunks)
    throw sources.error(
        "gpus.count",
        fmt::format("{} tiles cannot be cut into {} chunks: each needs one at least", grid.tiles(), chunks),
        {"workload.m", "workload.n"});
}

Scheme scheme_of(const SchemeTable& schemes, const std::string& name, std::size_t number,
                 const config::Sources& sources) {
  try {
    return schemes.scheme(name);
  } catch (const InputError& e) {
    throw sources.error(fmt::format("schemes.{}", number), e.what());
  }
}

}  // namespace

void check_collective(const Config& config, const config::Sources& sources) {
  const CollectiveConfig& c = config.collective;
  if (c.gemm == GemmRole::consumer && c.kind != CollectiveChoice::all_gather)
    throw sources.error("collective.gemm",
                        "a consumer gathers its input: it needs collective.kind: all-gather");
  if (c.gemm != GemmRole::producer && !c.plan.empty())
    throw sources.error("collective.plan", "is of a fused phase: it needs collective.gemm: producer");
  constexpr std::uint32_t kMostInTwoRings =
      128;  // announcements of a kernel's steps are a byte (kernel_plan.h)
  if (c.algorithm == CollectiveAlgorithm::bidirectional_ring && config.gpus.count > kMostInTwoRings)
    throw sources.error("gpus.count",
                        fmt::format("bidirectional-ring joins at most {} GPUs", kMostInTwoRings));
  if (c.kind == CollectiveChoice::all_gather && c.algorithm == CollectiveAlgorithm::bidirectional_ring)
    throw sources.error("collective.algorithm", "bidirectional-ring is for all-reduce and reduce-scatter");
  if (config.workload.following.kind != FollowingKind::none &&
      (c.kind != CollectiveChoice::all_reduce || c.gemm != GemmRole::producer))
    throw sources.error("workload.following.kind",
                        "follows an all-reduce of the GEMM's output: it needs collective.kind: all-reduce "
                        "and collective.gemm: producer");
  const auto collective_error = [&](const InputError& e) {
    return sources.error(c.plan.empty() ? "collective.algorithm" : "collective.plan", e.what());
  };
  std::optional<SchemeTable> schemes;
  try {
    schemes.emplace(config);
  } catch (const InputError& e) {
    throw collective_error(e);
  }
  const FollowingConfig& following = config.workload.following;
  const std::uint32_t arrays = first_operand(schemes->collectives());
  if (following.kind != FollowingKind::none && arrays + following.operands > kMostArrays)
    throw sources.error("workload.following.operands",
                        fmt::format("at most {} with this collective", kMostArrays - arrays));
  for (std::size_t i = 0; i < config.schemes.size(); ++i)
    for (const SchemePhase& phase : scheme_of(*schemes, config.schemes[i], i, sources).phases) {
      if (phase.phase.kernel && !phase.phase.kernel->as_gemm) continue;
      check_chunks(config, phase.phase, sources);
      try {
        check_routes(config, phase.phase, phase.name);
      } catch (const InputError& e) {
        throw collective_error(e);
      }
    }
}

}  // namespace t3sim
