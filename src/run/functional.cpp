#include "run/functional.h"

#include <functional>
#include <numeric>
#include <set>

#include "base/number.h"
#include "plan/plan_check.h"

namespace t3sim {
namespace {

class PartialResults final : public ElementValues {
 public:
  PartialResults(std::uint64_t seed, std::uint32_t gpu) : key_(mix(seed * 1'000'003 + gpu)) {}
  std::int32_t value(std::uint64_t address, std::uint32_t part) const override {
    const std::uint64_t x = mix(key_ ^ address ^ std::uint64_t{part} << 48);
    return narrow<std::int32_t>(x % 1000) + 1;  // never 0, what empty memory holds
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

// What is in memory before a scheme that writes its zeros itself.
constexpr std::int32_t kRubbish = 7'000'001;

// Element of the operands of the operation that follows: the same on all GPUs.
std::int32_t operand_value(std::uint64_t address, std::uint32_t operand) {
  return narrow<std::int32_t>((address / kElementBytes * 31 + operand * 17) % 1000) + 1;
}

// The array of the collective, element by element. Elements are two bytes (nmc/functional_memory.h), whatever
// the type: a word of two FP8 elements, or half an FP32 one, moves as it is.
class Elements {
 public:
  Elements(const Config& config, const Collectives& collectives, std::shared_ptr<const CollectivePlan> plan,
           std::shared_ptr<const KernelPlan> kernel = nullptr) {
    Phase phase;
    phase.tracked = std::move(plan);
    phase.steps = std::move(kernel);
    phase.on = collectives.on;
    arrays_ = collective_arrays(config, phase);
    parts_ = collectives.fused ? gemm_spec(config, 0).split_k : 1;
  }

  // f(address in array 0) for each element of a chunk.
  template <class F>
  void for_each(std::uint32_t chunk, F&& f) const {
    for (std::uint32_t i = 0; i < arrays_.chunks.tiles(chunk); ++i) {
      const Block block =
          arrays_.array.in_layout(arrays_.array.grid.block(arrays_.chunks.first_tile(chunk) + i));
      const std::uint32_t bytes = arrays_.array.layout.element_bytes();
      for (std::uint32_t column = 0; column < block.columns; ++column) {
        const std::uint64_t first = arrays_.array.layout.address(block.row, block.column + column);
        for (std::uint64_t at = 0; at < std::uint64_t{block.rows} * bytes; at += kElementBytes)
          f((first + at) / kElementBytes * kElementBytes);
      }
    }
  }
  std::uint32_t chunks() const { return arrays_.chunks.chunks(); }
  std::uint64_t offset(std::uint32_t array) const { return array * arrays_.stride; }
  // What a GPU has produced for an element, all parts of split-K together.
  std::int32_t own(const FunctionalGpu& gpu, std::uint64_t address) const {
    std::int32_t sum = 0;
    for (std::uint32_t part = 0; part < parts_; ++part) sum += gpu.produced->value(address, part);
    return sum;
  }

 private:
  CollectiveArrays arrays_;
  std::uint32_t parts_ = 1;
};

// GPUs on which chunk c of the output holds the sum after a reduce-scatter.
std::vector<std::uint32_t> owners(const ExchangeForm& exchange, std::uint32_t chunk) {
  if (exchange.plan) return check_plan(*exchange.plan).owners(chunk);
  std::set<std::uint32_t> owners;  // a kernel's last step keeps what it writes
  for (std::uint32_t g = 0; g < exchange.kernel->gpus.size(); ++g)
    for (const KernelStep& step : exchange.kernel->gpus[g])
      if (step.gpu == g && step.array == 0 && step.chunk == chunk) owners.insert(g);
  return {owners.begin(), owners.end()};
}

std::uint32_t operands_of(const Config& config) {
  const FollowingConfig& following = config.workload.following;
  return following.kind == FollowingKind::none ? 0 : following.operands;
}

std::vector<std::uint32_t> all_gpus(const Config& config) {
  std::vector<std::uint32_t> all(config.gpus.count);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

// Operands of what follows, and rubbish where nobody may assume zeros.
void fill_around_output(const Config& config, const Collectives& collectives,
                        std::vector<FunctionalGpu>& state) {
  const std::uint32_t first = first_operand(collectives), operands = operands_of(config);
  const std::uint32_t dirty = config.collective.zero_init == ZeroInit::simulated ? first : 0;
  if (dirty + operands == 0) return;
  const Elements elements(config, collectives, collectives.plan());
  for (std::uint32_t c = 0; c < elements.chunks(); ++c)
    elements.for_each(c, [&](std::uint64_t address) {
      for (FunctionalGpu& gpu : state) {
        for (std::uint32_t a = 0; a < dirty; ++a)
          gpu.memory.set_element(address + elements.offset(a), kRubbish);
        for (std::uint32_t i = 0; i < operands; ++i)
          gpu.memory.set_element(address + elements.offset(first + i), operand_value(address, i));
      }
    });
}

}  // namespace

std::vector<FunctionalGpu> functional_state(const Config& config, const Collectives& collectives) {
  std::vector<FunctionalGpu> state(config.gpus.count);
  for (std::uint32_t g = 0; g < config.gpus.count; ++g)
    state[g].produced = std::make_unique<PartialResults>(config.run.seed, g);
  if (collectives.on == CollectiveOn::output) {
    fill_around_output(config, collectives, state);
    return state;
  }
  const Elements elements(config, collectives, collectives.by_dma);
  for (std::uint32_t g = 0; g < config.gpus.count; ++g)
    for (std::uint32_t c = 0; c < elements.chunks(); ++c)
      if (collectives.by_dma->at(g, 0, c).present)
        elements.for_each(c, [&](std::uint64_t address) {
          state[g].memory.set_element(address, elements.own(state[g], address));
        });
  return state;
}

FunctionalResult check_result(const Config& config, const Collectives& collectives,
                              const ExchangeForm& exchange, const std::vector<FunctionalGpu>& state) {
  const Elements elements(config, collectives, exchange.plan, exchange.kernel);
  FunctionalResult result;
  const auto expect = [&](std::uint32_t gpu, std::uint32_t array, std::uint32_t chunk,
                          const std::function<std::int32_t(std::uint64_t)>& right) {
    elements.for_each(chunk, [&](std::uint64_t address) {
      ++result.elements;
      if (state[gpu].memory.element(address + elements.offset(array)) != right(address)) ++result.errors;
    });
  };
  const auto sum = [&](std::uint64_t address) {
    std::int32_t total = 0;
    for (const FunctionalGpu& gpu : state) total += elements.own(gpu, address);
    for (std::uint32_t i = 0; i < operands_of(config); ++i) total += operand_value(address, i);
    return total;
  };
  const std::uint32_t gpus = config.gpus.count;
  const bool everywhere = config.collective.kind == CollectiveChoice::all_reduce;
  for (std::uint32_t c = 0; c < elements.chunks(); ++c) {
    switch (config.collective.kind) {
      case CollectiveChoice::all_reduce:
      case CollectiveChoice::reduce_scatter:
        for (std::uint32_t g : everywhere ? all_gpus(config) : owners(exchange, c)) expect(g, 0, c, sum);
        break;
      case CollectiveChoice::all_gather: {
        const std::uint16_t from = check_plan(*collectives.plan()).at(0, 0, c).front().gpu;
        for (std::uint32_t g = 0; g < gpus; ++g)
          expect(g, 0, c, [&](std::uint64_t address) { return elements.own(state[from], address); });
        break;
      }
      case CollectiveChoice::all_to_all:
        for (std::uint32_t from = 0; from < gpus; ++from)
          expect(c, receive_array(gpus, from, c), c,
                 [&](std::uint64_t address) { return elements.own(state[from], address); });
        break;
    }
  }
  return result;
}

}  // namespace t3sim
