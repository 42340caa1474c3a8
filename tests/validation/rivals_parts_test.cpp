// Parts of the gap that come from a program's commands and its kernels alone.
#include <gtest/gtest.h>

#include "model/program_parts.h"
#include "validation/rivals/cases.h"

namespace t3sim::rivals {
namespace {

model::ProgramParts parts_of(Pattern pattern, const Candidate& candidate) {
  const Shape shape{"small", pattern, 512, pattern == Pattern::gather ? 512U : 128U, 512};
  return *model::parts_of(
      run_configured(configure(systems()[1], shape, {"", {}}, candidate, {"run.sampling=off"})));
}

TEST(RivalsParts, OneAfterTheOtherHasNeitherBarriersNorPolling) {
  const model::ProgramParts parts = parts_of(Pattern::scatter, {"gemm-then-reduce-scatter", {}});
  EXPECT_GT(parts.kernels_alone_us, 0);
  EXPECT_EQ(parts.barriers_us, 0);
  EXPECT_EQ(parts.polling_us, 0);
}

TEST(RivalsParts, FluxWaitsAtTheBarrierBeforeItsSum) {
  const model::ProgramParts parts = parts_of(Pattern::scatter, {"gemm-reduce-scatter", {}});
  EXPECT_GT(parts.barriers_us, 0);
  EXPECT_EQ(parts.polling_us, 0);
}

TEST(RivalsParts, FluxPollsForShards) {
  EXPECT_GT(parts_of(Pattern::gather, {"all-gather-gemm", {{"rows", 128}}}).polling_us, 0);
}

}  // namespace
}  // namespace t3sim::rivals
