// Parts of the gap that come from a program's commands and its kernels alone.
#include <gtest/gtest.h>

#include <fstream>

#include "../trace/temporary.h"
#include "run/program_parts.h"
#include "validation/rivals/cases.h"

namespace t3sim::rivals {
namespace {

ProgramParts parts_of(Pattern pattern, const Candidate& candidate) {
  const Shape shape{"small", pattern, 512, pattern == Pattern::gather ? 512U : 128U, 512};
  return *t3sim::parts_of(
      run_configured(configure(systems()[1], shape, {"", {}}, candidate, {"run.sampling=off"})));
}

TEST(RivalsParts, OneAfterTheOtherHasNeitherBarriersNorPolling) {
  const ProgramParts parts = parts_of(Pattern::scatter, {"gemm-then-reduce-scatter", {}});
  EXPECT_GT(parts.kernels_alone_us, 0);
  EXPECT_EQ(parts.barriers_us, 0);
  EXPECT_EQ(parts.polling_us, 0);
}

TEST(RivalsParts, FluxWaitsAtTheBarrierBeforeItsSum) {
  const ProgramParts parts = parts_of(Pattern::scatter, {"gemm-reduce-scatter", {}});
  EXPECT_GT(parts.barriers_us, 0);
  EXPECT_EQ(parts.polling_us, 0);
}

// A reduce-scatter that holds its CUs before and until after a GEMM, which has tiles for all; `cus`: those that it may use.
ProgramParts beside_a_collective(const std::string& cus) {
  const testing_support::TemporaryFolder folder;
  std::ofstream(folder / "held.yaml") << R"(name: a GEMM that comes late
gpus: 4
parameters: {m: 2048, n: 4096, k: 128}
arrays: {a: {rows: m, columns: k}, b: {rows: k, columns: n}, c: {rows: m, columns: n}, c0: {rows: 1024, columns: 4096}, mine: {rows: 256, columns: 4096}}
streams: [communication, main]
commands:
  - {on: communication, collective: {kind: reduce-scatter, in: c0, out: mine}}
  - host: 20 us
  - {on: main, launch: {gemm: {a: a, b: b, c: c})"
                                      << cus << R"(}}
)";
  Config config = configure(systems()[1], {"small", Pattern::scatter, 2048, 4096, 512}, {"", {}},
                            {"two-streams-gemm-reduce-scatter", {}}, {"run.sampling=off"});
  config.program.file = folder / "held.yaml";
  return *t3sim::parts_of(run_configured(config));
}

TEST(RivalsParts, TellsCusThatACollectiveHoldsFromContention) {
  const ProgramParts parts = beside_a_collective("");
  EXPECT_GT(parts.lost_cus_us, 0.2 * parts.kernels_alone_us);  // two waves of tiles instead of one
  EXPECT_LT(parts.lost_cus_us, parts.kernels_alone_us);
  EXPECT_EQ(parts.kernels_at_links_us, 0);
}

TEST(RivalsParts, CusThatAProgramChoosesAreNotLost) {
  EXPECT_EQ(beside_a_collective(", cus: 24 .. 131").lost_cus_us, 0);
}

TEST(RivalsParts, StoresToTheOwnerWaitForLinks) {
  EXPECT_GT(parts_of(Pattern::scatter, {"gemm-reduce-scatter-add", {}}).kernels_at_links_us, 0);
}

// Three kernels from the start on, two of which poll: what these wait for is counted once.
TEST(RivalsParts, KernelsThatPollBesideTheGemmWaitForTheRestOfItsTiles) {
  const Shape shape{"small", Pattern::scatter, 1024, 512, 1024};
  const ConfiguredRun run = run_configured(configure(
      systems()[1], shape, {"", {}}, {"gemm-reduce-scatter-beside", {{"rows", 64}, {"columns", 64}}},
      {"run.sampling=off", "topology.bandwidth=20 GB/s"}));
  const ProgramParts parts = *t3sim::parts_of(run);
  EXPECT_GT(parts.kernels_at_links_us, 0);
  EXPECT_GE(parts.polling_us, 0);
  EXPECT_LT(parts.polling_us + parts.kernels_at_links_us + parts.barriers_at_links_us, run.result.time_us);
}

TEST(RivalsParts, FluxPollsForShards) {
  EXPECT_GT(parts_of(Pattern::gather, {"all-gather-gemm", {{"rows", 128}}}).polling_us, 0);
}

}  // namespace
}  // namespace t3sim::rivals
