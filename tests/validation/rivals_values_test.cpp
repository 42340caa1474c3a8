// What the methods of a pattern leave behind, computed in whole numbers on four GPUs: the same array, whoever computes it.
#include <gtest/gtest.h>

#include <map>

#include "runtime/configured_run.h"
#include "validation/rivals/cases.h"

namespace t3sim::rivals {
namespace {

using Matrix =
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::int32_t>;  // by row and column of the whole

constexpr std::uint64_t kGpus = 4, kM = 512, kN = 128, kK = 512;

// Row of the whole result that a row of GPU `gpu` is. The chunked method's owners have a piece of each chunk.
std::uint64_t row_of(const Candidate& candidate, Pattern pattern, std::uint64_t gpu, std::uint64_t row) {
  if (pattern == Pattern::gather) return row;
  if (pattern == Pattern::exchange) return gpu * kM + row;
  const std::uint64_t shard = kM / kGpus;
  const auto chunks = candidate.parameters.find("chunks");
  if (chunks == candidate.parameters.end()) return gpu * shard + row;
  const std::uint64_t piece = shard / chunks->second;
  return row / piece * (kM / chunks->second) + gpu * piece + row % piece;
}

// What a program has promised and computed; of a gathered GEMM GPU 0's.
Matrix result_of(const Shape& shape, const Method& method, const Candidate& candidate) {
  const System& system = systems()[1];
  const Config config =
      configure(system, shape, method, candidate, {"run.functional=true", "run.sampling=off"});
  const ConfiguredRun run = run_configured(config);
  Matrix result;
  for (const program::Promise& promise : run.program.promises)
    for (const program::Promise::Part& part : promise.parts) {
      if (shape.pattern == Pattern::gather && part.view.gpu != 0) continue;
      for (std::uint64_t r = 0; r < part.view.rows; ++r)
        for (std::uint64_t c = 0; c < part.view.columns; ++c) {
          program::View element = part.view;
          element.first_row += r;
          element.first_column += c;
          result[{row_of(candidate, shape.pattern, element.gpu, element.first_row), element.first_column}] =
              run.result.values->now(element);
        }
    }
  return result;
}

// Two streams reduce another array than the GEMM's. Two of FiCCO's schedules keep a GPU's shard in an array of its own, where
// other numbers are drawn: that they multiply it right, their promise says (a run fails that does not keep it).
bool on_the_same_numbers(const Method& method) {
  return method.name != "two-streams" && method.name != "uniform-fused-1d" &&
         method.name != "hetero-fused-1d";
}

void expect_the_same_array(Pattern pattern, std::uint64_t elements) {
  const Shape shape{"small", pattern, kM, kN * (pattern == Pattern::gather ? kGpus : 1), kK};
  const std::vector<Method> all = methods(shape, kGpus);
  const Matrix first = result_of(shape, all[0], all[0].candidates[0]);
  EXPECT_EQ(first.size(), elements);
  for (const Method& method : all) {
    if (method.scheme) continue;
    for (const Candidate& candidate : method.candidates) {
      if (candidate.parameters.contains("chunks") && candidate.parameters.at("chunks") > 2)
        continue;  // only its first and last chunk are promised
      const Matrix result = result_of(shape, method, candidate);
      EXPECT_TRUE(!on_the_same_numbers(method) || result == first) << method.name << " " << candidate.program;
    }
  }
}

TEST(RivalsValues, OfAReduceScatterAreTheSameArray) { expect_the_same_array(Pattern::scatter, kM * kN); }
TEST(RivalsValues, OfAGatheredGemmAreTheSameArray) { expect_the_same_array(Pattern::gather, kM * kN); }
TEST(RivalsValues, OfAnAllToAllAreTheSameArray) { expect_the_same_array(Pattern::exchange, kGpus * kM * kN); }

}  // namespace
}  // namespace t3sim::rivals
