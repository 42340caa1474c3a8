// Functional mode: real numbers go through stores, DMA, links and near-memory adds, and every sum is right.
#include <gtest/gtest.h>

#include "machine/small_cluster.h"
#include "run/functional.h"
#include "run/run_schemes.h"

namespace t3sim {
namespace {

struct FunctionalRun {
  std::uint32_t gpus, m, n;
  GemmLayout layout;
};

class Sums : public testing::TestWithParam<FunctionalRun> {
 protected:
  Config config() const {
    Config c = small_config(GetParam().gpus, GetParam().m, GetParam().n, 64, GpuModel::explicit_);
    c.workload.layout = GetParam().layout;
    return c;
  }
  void expect_right_sums(const std::vector<SmallPhase>& phases) const {
    const Config c = config();
    const Collectives ring = collectives(c);
    std::vector<FunctionalGpu> state = functional_state(c, ring);
    for (const SmallPhase& phase : phases) run_phase(c, phase, &state);
    const FunctionalResult result = check_result(c, ring, {nullptr, ring.kernel}, state);
    EXPECT_EQ(result.elements, std::uint64_t{c.workload.m} * c.workload.n * c.gpus.count);
    EXPECT_EQ(result.errors, 0U);
  }
};

TEST_P(Sums, AreExactInTheSequentialScheme) {
  expect_right_sums({gemm_phase(), scatter_phase(), gather_phase()});
}
TEST_P(Sums, AreExactInT3) { expect_right_sums({fused_phase(), gather_phase()}); }
TEST_P(Sums, AreExactInT3Mca) { expect_right_sums({fused_phase(ArbitrationKind::mca), gather_phase()}); }
TEST_P(Sums, AreExactWithDmaAndNearMemoryAdds) {
  expect_right_sums({gemm_phase(), near_memory_phase(), gather_phase()});
}

std::string name_of_run(const testing::TestParamInfo<FunctionalRun>& parameter) {
  const auto& c = parameter.param;
  return "Gpus" + std::to_string(c.gpus) + "M" + std::to_string(c.m) + "N" + std::to_string(c.n);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Sums,
    testing::Values(FunctionalRun{2, 512, 256, GemmLayout::tn}, FunctionalRun{4, 1024, 160, GemmLayout::nn},
                    FunctionalRun{8, 1024, 128, GemmLayout::nt}, FunctionalRun{4, 1000, 200, GemmLayout::tn},
                    FunctionalRun{8, 1031, 77, GemmLayout::nn}, FunctionalRun{2, 130, 129, GemmLayout::tt},
                    FunctionalRun{3, 500, 300, GemmLayout::tn}, FunctionalRun{5, 128, 1280, GemmLayout::tn}),
    name_of_run);

// Lower and higher precision (section 7.5), and the few tokens of the generation phase (7.3).
TEST(FunctionalMode, IsExactForEveryElementTypeAndForAFewTokens) {
  for (DataType type : {DataType::fp8, DataType::bf16, DataType::fp32})
    for (std::uint32_t m : {200U, 8U}) {
      Config config = small_config(4, m, 640, 64, GpuModel::explicit_);
      config.workload.type = type;
      const Collectives ring = collectives(config);
      std::vector<FunctionalGpu> state = functional_state(config, ring);
      for (const SmallPhase& phase : {fused_phase(), gather_phase()}) run_phase(config, phase, &state);
      const FunctionalResult result = check_result(config, ring, {ring.fused, nullptr}, state);
      EXPECT_EQ(result.elements, std::uint64_t{4} * m * 640 * element_bytes(type) / 2);  // words of two bytes
      EXPECT_EQ(result.errors, 0U) << to_string(type) << " " << m;
    }
}

TEST(MatrixRate, FallsWithTheSizeOfTheElements) {
  const GpuConfig gpu;
  EXPECT_EQ(matrix_rate(gpu, DataType::fp8), 2 * matrix_rate(gpu, DataType::fp16));
  EXPECT_EQ(matrix_rate(gpu, DataType::fp16), 2 * matrix_rate(gpu, DataType::fp32));
}

TEST(FunctionalMode, NoticesASumThatIsWrong) {
  const Config config = small_config(2, 256, 128, 32, GpuModel::explicit_);
  const Collectives ring = collectives(config);
  std::vector<FunctionalGpu> state = functional_state(config, ring);
  run_phase(config, fused_phase(), &state);  // no all-gather: half of each GPU's output is not there
  EXPECT_EQ(check_result(config, ring, {ring.fused, nullptr}, state).errors, 2ULL * 256 * 128 / 2);
}

TEST(FunctionalMode, DoesNotChangeTheTiming) {
  const Config config = small_config(4, 512, 256, 64, GpuModel::explicit_);
  for (const SmallPhase& phase : {gemm_phase(), scatter_phase(), fused_phase(), near_memory_phase()}) {
    std::vector<FunctionalGpu> state = functional_state(config, collectives(config));
    EXPECT_EQ(run_phase(config, phase, &state).ticks, run_phase(config, phase).ticks);
  }
}

}  // namespace
}  // namespace t3sim
