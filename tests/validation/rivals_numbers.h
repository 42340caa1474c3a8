// Functional runs of the rivals' methods on four H200: what they begin with, and what they leave, element by element.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "machine/cluster.h"
#include "plan/plan_check.h"
#include "run/scheme_table.h"
#include "runtime/configured_run.h"
#include "validation/rivals/cases.h"

namespace t3sim::rivals::numbers {

constexpr std::uint32_t kGpus = 4, kM = 512, kN = 128, kK = 512;

// Row by row of kN columns; 0 is of no sum, as all numbers are positive. Of a gathered GEMM these are GPU 0's columns, of an
// all-to-all the owners' rows in their order.
class Matrix {
 public:
  explicit Matrix(std::uint64_t rows) : values_(rows * kN) {}
  std::int32_t& at(std::uint64_t row, std::uint64_t column) { return values_[row * kN + column]; }
  std::int32_t* row(std::uint64_t row) { return &values_[row * kN]; }
  const std::int32_t* row(std::uint64_t row) const { return &values_[row * kN]; }
  bool complete() const { return std::ranges::count(values_, 0) == 0; }
  bool operator==(const Matrix&) const = default;

 private:
  std::vector<std::int32_t> values_;
};
inline Matrix whole(Pattern pattern) { return Matrix(pattern == Pattern::exchange ? kGpus * kM : kM); }

inline ConfiguredRun run_of(const Shape& shape, const Method& method, const Candidate& candidate) {
  return run_configured(
      configure(systems()[1], shape, method, candidate, {"run.functional=true", "run.sampling=off"}));
}

inline std::uint32_t array_called(const ConfiguredRun& run, const std::string& name) {
  const auto& arrays = run.program.arrays;
  return static_cast<std::uint32_t>(std::ranges::find(arrays, name, &program::Array::name) - arrays.begin());
}

// f(element) for each of an array on a GPU.
template <class F>
void for_each_element(const ConfiguredRun& run, program::View view, F&& f) {
  const program::Array& array = run.program.arrays[view.array];
  view.rows = view.columns = 1;
  for (view.first_row = 0; view.first_row < array.rows; ++view.first_row)
    for (view.first_column = 0; view.first_column < array.columns; ++view.first_column) f(view);
}

// An array of a program's GPU as it is at the end.
inline Matrix now(const ConfiguredRun& run, const std::string& name, std::uint32_t gpu) {
  const std::uint32_t array = array_called(run, name);
  Matrix matrix(run.program.arrays[array].rows);
  for_each_element(run, {.array = array, .gpu = gpu}, [&](const program::View& element) {
    matrix.at(element.first_row, element.first_column) = run.result.values->now(element);
  });
  return matrix;
}

// A GPU's share of the rows of an array, added up over all GPUs as it was before.
inline Matrix sum_before(const ConfiguredRun& run, const std::string& name, std::uint32_t owner) {
  const std::uint64_t shard = kM / kGpus;
  Matrix matrix(shard);
  for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu)
    for_each_element(run, {.array = array_called(run, name), .gpu = gpu}, [&](const program::View& element) {
      if (element.first_row / shard == owner)
        matrix.at(element.first_row % shard, element.first_column) += run.result.values->before(element);
    });
  return matrix;
}

// Row of the whole result that a row of an owner is. The chunked method's owners have a piece of each chunk.
inline std::uint64_t row_of(const Candidate& candidate, Pattern pattern, std::uint64_t gpu,
                            std::uint64_t row) {
  if (pattern == Pattern::gather) return row;
  if (pattern == Pattern::exchange) return gpu * kM + row;
  const std::uint64_t shard = kM / kGpus;
  const auto chunks = candidate.parameters.find("chunks");
  if (chunks == candidate.parameters.end()) return gpu * shard + row;
  const std::uint64_t piece = shard / chunks->second;
  return row / piece * (kM / chunks->second) + gpu * piece + row % piece;
}

// What a program has computed in the arrays that it promises.
inline Matrix result_of(const ConfiguredRun& run, Pattern pattern, const Candidate& candidate) {
  Matrix result = whole(pattern);
  for (const program::Promise::Part& part : run.program.promises[0].parts) {
    if (pattern == Pattern::gather && part.view.gpu != 0) continue;
    for_each_element(run, part.view, [&](const program::View& element) {
      const std::uint64_t row = row_of(candidate, pattern, element.gpu, element.first_row);
      result.at(row, element.first_column) = run.result.values->now(element);
    });
  }
  return result;
}

// A and B of each GPU as a program has them before, and what has to come of them.
class Operands {
 public:
  explicit Operands(const ConfiguredRun& run) : a_(kGpus), b_(kGpus) {
    const std::uint32_t a = array_called(run, "a"), b = array_called(run, "b");
    rows_of_a_ = run.program.arrays[a].rows;
    columns_of_a_ = run.program.arrays[a].columns;
    for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) {
      a_[gpu] = before(run, a, gpu);
      b_[gpu] = before(run, b, gpu);
    }
  }

  std::uint64_t k() const { return columns_of_a_; }
  std::int32_t b(std::uint32_t gpu, std::uint64_t row, std::uint64_t column) const {
    return b_[gpu][row * kN + column];
  }
  // Of the shards of all GPUs, a row; some programs have theirs in an array of as many rows.
  const std::int32_t* gathered_a(std::uint64_t row) const {
    const std::uint64_t shard = kM / kGpus;
    return &a_[row / shard][(rows_of_a_ == kM ? row : row % shard) * k()];
  }

  // Of the GPU's A and B.
  Matrix product(std::uint32_t gpu) const {
    Matrix product(kM);
    for (std::uint64_t row = 0; row < kM; ++row) add_product(&a_[gpu][row * k()], gpu, product.row(row));
    return product;
  }

  Matrix result(Pattern pattern) const {
    Matrix result = whole(pattern);
    if (pattern == Pattern::gather) {
      for (std::uint64_t row = 0; row < kM; ++row) add_product(gathered_a(row), 0, result.row(row));
      return result;
    }
    for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu)
      for (std::uint64_t row = 0; row < kM; ++row)
        add_product(&a_[gpu][row * k()], gpu,
                    result.row(pattern == Pattern::scatter ? row : exchanged_row(gpu, row)));
    return result;
  }
  // Row of the owners' arrays, one after the other, in which a row of a GPU's product comes to lie.
  static std::uint64_t exchanged_row(std::uint32_t from, std::uint64_t row) {
    const std::uint64_t shard = kM / kGpus;
    return row / shard * kM + from * shard + row % shard;
  }

 private:
  static std::vector<std::int32_t> before(const ConfiguredRun& run, std::uint32_t array, std::uint32_t gpu) {
    std::vector<std::int32_t> values;
    for_each_element(run, {.array = array, .gpu = gpu}, [&](const program::View& element) {
      values.push_back(run.result.values->before(element));
    });
    return values;
  }
  // sums += a row of A times the GPU's B. Pointers, because tests are compiled without optimisation.
  void add_product(const std::int32_t* a, std::uint32_t gpu, std::int32_t* sums) const {
    for (std::uint64_t i = 0; i < k(); ++i) {
      const std::int32_t factor = a[i];
      const std::int32_t* b = &b_[gpu][i * kN];
      for (std::uint32_t column = 0; column < kN; ++column) sums[column] += factor * b[column];
    }
  }

  std::uint64_t rows_of_a_ = 0, columns_of_a_ = 0;
  std::vector<std::vector<std::int32_t>> a_, b_;  // by GPU, row by row
};

// Where the elements of a GEMM's output are.
using Places = std::unordered_map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>>;
inline Places places_of(const TiledMatrix& matrix) {
  Places places;
  for (std::uint32_t row = 0; row < kM; ++row)
    for (std::uint32_t column = 0; column < kN; ++column) places[matrix.address(row, column)] = {row, column};
  return places;
}

// T3's kernels compute nothing in functional mode: these are what theirs stores, the product of the program's numbers.
class Product final : public ElementValues {
 public:
  Product(const Operands& operands, std::uint32_t gpu, const TiledMatrix& c)
      : product_(operands.product(gpu)), places_(places_of(c)) {}
  std::int32_t value(std::uint64_t address, std::uint32_t part) const override {
    const auto place = places_.find(address);
    if (place == places_.end() || part != 0) return 0;
    return product_.row(place->second.first)[place->second.second];
  }

 private:
  Matrix product_;
  Places places_;
};

// The same where A is gathered: of the rows that have come by the time of the store.
class ProductOfMemory final : public ElementValues {
 public:
  ProductOfMemory(const Operands& operands, const FunctionalMemory& memory, const TiledMatrix& a,
                  const TiledMatrix& c)
      : operands_(operands), memory_(memory), a_(a), places_(places_of(c)) {}
  std::int32_t value(std::uint64_t address, std::uint32_t part) const override {
    const auto place = places_.find(address);
    if (place == places_.end() || part != 0) return 0;
    const auto [row, column] = place->second;
    std::int32_t sum = 0;
    for (std::uint32_t i = 0; i < kK; ++i)
      sum += memory_.element(a_.address(row, i)) * operands_.b(0, i, column);
    return sum;
  }

 private:
  const Operands operands_;
  const FunctionalMemory& memory_;
  const TiledMatrix a_;
  Places places_;
};

// Of the GPUs whose product nobody looks at.
class AnyNumber final : public ElementValues {
 public:
  std::int32_t value(std::uint64_t /*address*/, std::uint32_t /*part*/) const override { return 1; }
};

// T3's stages, or others by its hardware, with the numbers that a program begins with.
class T3Run {
 public:
  T3Run(const Shape& shape, const Method& method, const Candidate& candidate, const Operands& operands)
      : pattern_(shape.pattern),
        config_(std::make_unique<Config>(configure(systems()[1], shape, method, candidate, overrides()))),
        schemes_(std::make_unique<SchemeTable>(*config_)),
        scheme_(schemes_->scheme(candidate.program)),
        state_(kGpus) {
    if (pattern_ == Pattern::gather)
      place_shards(operands);
    else
      for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu)
        state_[gpu].produced = std::make_unique<Product>(operands, gpu, arrays().array);
  }

  std::vector<SchemePhase>& phases() { return scheme_.phases; }

  Matrix result() {
    for (const SchemePhase& phase : scheme_.phases)
      Cluster(*config_, phase.phase, time_base(*config_), {.functional = &state_}).run({});
    return pattern_ == Pattern::scatter  ? scattered()
           : pattern_ == Pattern::gather ? gathered()
                                         : exchanged();
  }

 private:
  // Links are so slow that no row of a gathered A is there in time, unless workgroups wait for it.
  static std::vector<std::string> overrides() {
    return {"run.functional=true", "gpus.model=explicit", "l2.kernel_boundary=flush",
            "topology.bandwidth=2 GB/s"};
  }

  // Of the collective.
  CollectiveArrays arrays() const {
    Phase phase;
    phase.tracked = scheme_.exchange.plan;
    phase.on = schemes_->collectives().on;
    return collective_arrays(*config_, phase);
  }

  // A's rows with the GPU that has them; of the product GPU 0's is looked at.
  void place_shards(const Operands& operands) {
    const CollectiveArrays a = arrays();
    for_each_element(a, [&](std::uint32_t chunk, std::uint32_t row, std::uint32_t column) {
      for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu)
        if (scheme_.exchange.plan->at(gpu, 0, chunk).present)
          state_[gpu].memory.set_element(a.array.address(row, column), operands.gathered_a(row)[column]);
    });
    for (FunctionalGpu& gpu : state_) gpu.produced = std::make_unique<AnyNumber>();
    state_[0].produced = std::make_unique<ProductOfMemory>(operands, state_[0].memory, a.array, output());
  }
  TiledMatrix output() const { return gemm_spec(*config_, 0).c(); }

  // f(chunk, row, column)
  template <class F>
  static void for_each_element(const CollectiveArrays& arrays, F&& f) {
    for (std::uint32_t tile = 0; tile < arrays.array.grid.tiles(); ++tile) {
      const Block block = arrays.array.grid.block(tile);
      for (std::uint32_t row = block.row; row < block.row + block.rows; ++row)
        for (std::uint32_t column = block.column; column < block.column + block.columns; ++column)
          f(arrays.chunk_of(tile), row, column);
    }
  }

  Matrix scattered() const {
    const CollectiveArrays c = arrays();
    const PlanOutcome outcome = check_plan(*scheme_.exchange.plan);
    Matrix result = whole(pattern_);
    for_each_element(c, [&](std::uint32_t chunk, std::uint32_t row, std::uint32_t column) {
      for (const std::uint32_t owner : outcome.owners(chunk))
        result.at(row, column) += state_[owner].memory.element(c.array.address(row, column));
    });
    return result;
  }
  Matrix gathered() const {
    const TiledMatrix c = output();
    Matrix result = whole(pattern_);
    for (const auto& [address, place] : places_of(c))
      result.at(place.first, place.second) = state_[0].memory.element(address);
    return result;
  }
  // Chunks are whole rows of tiles, if there are enough of these; else a GPU owns other elements than programs give it.
  Matrix exchanged() const {
    const CollectiveArrays c = arrays();
    Matrix result = whole(pattern_);
    for_each_element(c, [&](std::uint32_t chunk, std::uint32_t row, std::uint32_t column) {
      for (std::uint32_t from = 0; from < kGpus; ++from) {
        const std::uint64_t at = c.array.address(row, column) + receive_array(kGpus, from, chunk) * c.stride;
        result.at(Operands::exchanged_row(from, row), column) = state_[chunk].memory.element(at);
      }
    });
    return result;
  }

  Pattern pattern_;
  std::unique_ptr<Config> config_;  // which the table keeps a reference to
  std::unique_ptr<SchemeTable> schemes_;
  Scheme scheme_;
  std::vector<FunctionalGpu> state_;
};

}  // namespace t3sim::rivals::numbers
