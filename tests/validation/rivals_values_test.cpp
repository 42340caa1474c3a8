// What the methods of a pattern leave behind, computed in whole numbers on four GPUs: the same array, whoever computes it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "draws.h"
#include "rivals_numbers.h"

namespace t3sim::rivals {
namespace {

using numbers::kGpus, numbers::kK, numbers::kM, numbers::kN;
using numbers::Matrix;

Shape small(Pattern pattern) {
  return {"small", pattern, kM, kN * (pattern == Pattern::gather ? kGpus : 1), kK};
}

Method method_called(const Shape& shape, const std::string& name) {
  const std::vector<Method> all = methods(shape, kGpus);
  return *std::ranges::find(all, name, &Method::name);
}

class RivalsValues : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::current_path(T3SIM_SOURCE_DIR); }  // where in-switch.yaml is found
};

// Two of FiCCO's schedules keep a GPU's shard in an array of its own, where other numbers are drawn: their array is that of
// their numbers.
void expect_a_programs_array(const Shape& shape, const Method& method, Candidate candidate,
                             const Matrix& right) {
  // Their tiles of 128 rows are parts of the GEMM's; cuBLAS's are smaller for so small a shape.
  if (candidate.program == "gemm-reduce-scatter-beside" ||
      candidate.program.find("ring-gemm") != std::string::npos)
    candidate.overrides = {"gpu.kernels=generator", "workload.tile=128x128x32"};
  const ConfiguredRun run = numbers::run_of(shape, method, candidate);
  const Matrix result = numbers::result_of(run, shape.pattern, candidate);
  const bool other_numbers = method.name == "uniform-fused-1d" || method.name == "hetero-fused-1d";
  EXPECT_TRUE(result == (other_numbers ? numbers::Operands(run).result(shape.pattern) : right))
      << method.name << " " << candidate.program;
}

// With the machine's tiles and smaller ones, around a ring and directly.
void expect_t3s_array(const Shape& shape, const Method& method, Candidate candidate,
                      const numbers::Operands& operands, const Matrix& right) {
  const bool of_a_ring = shape.pattern != Pattern::exchange && method.name != "in-switch";
  for (const std::string& tile : few<std::string>({"128x128x32", "64x128x32"}, 1))
    for (const std::string algorithm : {"direct", "ring"}) {
      if (algorithm == "ring" && !of_a_ring) continue;
      candidate.overrides = {"workload.tile=" + tile, "collective.algorithm=" + algorithm};
      EXPECT_TRUE(numbers::T3Run(shape, method, candidate, operands).result() == right)
          << method.name << " " << tile << " " << algorithm;
    }
}

void expect_the_same_array(Pattern pattern) {
  const Shape shape = small(pattern);
  const Method sequential = method_called(shape, "sequential");
  const numbers::Operands operands(numbers::run_of(shape, sequential, sequential.candidates[0]));
  const Matrix right = operands.result(pattern);
  EXPECT_TRUE(right.complete());  // nothing of it is 0, which stands for what nobody has written
  for (const Method& method : methods(shape, kGpus))
    for (const Candidate& candidate : few(method.candidates, 1))
      if (method.scheme)
        expect_t3s_array(shape, method, candidate, operands, right);
      else if (method.name != "two-streams")
        expect_a_programs_array(shape, method, candidate, right);
}

TEST_F(RivalsValues, OfAReduceScatterAreTheSameArray) { expect_the_same_array(Pattern::scatter); }
TEST_F(RivalsValues, OfAGatheredGemmAreTheSameArray) { expect_the_same_array(Pattern::gather); }
TEST_F(RivalsValues, OfAnAllToAllAreTheSameArray) { expect_the_same_array(Pattern::exchange); }

// Their reduce-scatter is of another array, so there is no result that the others have, too. Their GEMM is the others'.
TEST_F(RivalsValues, OfTwoStreamsAreTheOthersGemmAndASumOfWhatWasThere) {
  const Shape shape = small(Pattern::scatter);
  const auto ran = [&](const char* name) {
    const Method method = method_called(shape, name);
    return numbers::run_of(shape, method, method.candidates[0]);
  };
  const ConfiguredRun sequential = ran("sequential"), beside = ran("two-streams");
  for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu)
    EXPECT_TRUE(numbers::now(beside, "c", gpu) == numbers::now(sequential, "c", gpu)) << gpu;
  for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu)
    EXPECT_TRUE(numbers::now(beside, "mine", gpu) == numbers::sum_before(beside, "c0", gpu)) << gpu;
}

// T3's stages without what makes them right: these comparisons can fail.
TEST_F(RivalsValues, OfT3AreOthersWithoutItsCollectiveOrItsWaiting) {
  const auto run_of = [](Pattern pattern, const char* name) {
    const Shape shape = small(pattern);
    const Method method = method_called(shape, name), sequential = method_called(shape, "sequential");
    const numbers::Operands operands(numbers::run_of(shape, sequential, sequential.candidates[0]));
    return std::pair{numbers::T3Run(shape, method, method.candidates[0], operands), operands.result(pattern)};
  };
  auto [in_switch, sums] = run_of(Pattern::scatter, "in-switch");
  in_switch.phases().pop_back();
  EXPECT_FALSE(in_switch.result() == sums);
  auto [exchanged, rows] = run_of(Pattern::exchange, "t3");
  exchanged.phases()[0].phase.tracked = nullptr;
  exchanged.phases()[0].phase.kernel->stores = WorkloadKernel::Stores::local;
  EXPECT_FALSE(exchanged.result() == rows);
  auto [gathered, product] = run_of(Pattern::gather, "t3");
  gathered.phases()[0].phase.kernel->waits_for_rows = false;
  EXPECT_FALSE(gathered.result() == product);
}

}  // namespace
}  // namespace t3sim::rivals
