#include "system/functional.h"

namespace t3sim {
namespace {

class PartialResults final : public ElementValues {
 public:
  PartialResults(std::uint64_t seed, std::uint32_t gpu) : key_(mix(seed * 1'000'003 + gpu)) {}
  std::int32_t value(std::uint64_t address, std::uint32_t part) const override {
    return static_cast<std::int32_t>(mix(key_ ^ address ^ std::uint64_t{part} << 48) % 1000) +
           1;  // never 0, what empty memory holds
  }

 private:
  static std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
  }
  std::uint64_t key_;
};

}  // namespace

std::vector<FunctionalGpu> functional_state(const Config& config) {
  std::vector<FunctionalGpu> state(config.gpus.count);
  for (std::uint32_t g = 0; g < config.gpus.count; ++g)
    state[g].produced = std::make_unique<PartialResults>(config.run.seed, g);
  return state;
}

FunctionalResult check_sums(const Config& config, const std::vector<FunctionalGpu>& state) {
  const GemmSpec spec = gemm_spec(config, 0);
  const MatrixLayout output = spec.c().layout;
  FunctionalResult result;
  for (std::uint32_t column = 0; column < output.columns(); ++column)
    for (std::uint32_t row = 0; row < output.rows(); ++row) {
      const std::uint64_t address = output.address(row, column);
      std::int32_t sum = 0;
      for (const FunctionalGpu& gpu : state)
        for (std::uint32_t part = 0; part < spec.split_k; ++part) sum += gpu.produced->value(address, part);
      for (const FunctionalGpu& gpu : state) {
        ++result.elements;
        if (gpu.memory.element(address) != sum) ++result.errors;
      }
    }
  return result;
}

}  // namespace t3sim
