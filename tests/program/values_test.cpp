// What the shipped programs compute, in whole numbers: commands carried out in an order that the program allows.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <utility>

#include "program/bodies.h"
#include "program/library.h"
#include "program/progress.h"
#include "program/writes.h"
#include "program_text.h"

namespace t3sim::program {
namespace {

using Matrix = std::vector<std::int64_t>;  // row by row

// A number of its own for each element that the program has before.
std::int64_t given_value(std::uint32_t array, std::uint32_t gpu, std::uint64_t row, std::uint64_t column) {
  return static_cast<std::int64_t>((array * 7 + gpu * 5 + row * 3 + column * (row % 4 + 1)) % 11) - 5;
}

class Memories {
 public:
  explicit Memories(const Program& program) : p_(program) {
    for (std::uint32_t array = 0; array < p_.arrays.size(); ++array)
      for (std::uint32_t gpu = 0; gpu < p_.gpu_count; ++gpu) {
        const View& given = p_.arrays[array].given[gpu];
        if (p_.arrays[array].contents != Contents::values) continue;
        for (std::uint64_t r = given.first_row; r < given.first_row + given.rows; ++r)
          for (std::uint64_t c = 0; c < given.columns; ++c)
            element({array, gpu, 0}, r, c) = given_value(array, gpu, r, c);
      }
  }

  std::int64_t& element(const std::array<std::uint32_t, 3>& where, std::uint64_t row, std::uint64_t column) {
    const Array& array = p_.arrays[where[0]];
    Matrix& matrix = matrices_[where];
    if (matrix.empty())
      matrix.resize(array.rows * array.columns, array.contents == Contents::zeros ? 0 : kNothing);
    return matrix[row * array.columns + column];
  }
  std::int64_t& at(const View& view, std::uint64_t row, std::uint64_t column) {
    return element({view.array, view.gpu, view.copy}, view.first_row + row, view.first_column + column);
  }

  void carry_out(std::uint32_t gpu, const Command& command) {
    std::visit([&](const auto& action) { run(gpu, action); }, command.action);
  }

 private:
  static constexpr std::int64_t kNothing = 1'000'003;  // shows in every sum

  void run(std::uint32_t, const Launch& launch) {
    if (const auto* gemm = std::get_if<GemmBody>(&launch.body)) return multiply(launch, *gemm);
    const auto& sum = std::get<SumBody>(launch.body);
    for (std::uint64_t r = 0; r < sum.to.rows; ++r)
      for (std::uint64_t c = 0; c < sum.to.columns; ++c) {
        std::int64_t total = 0;
        for (const View& from : sum.from) total += at(from, r, c);
        at(sum.to, r, c) = total;
      }
  }
  void multiply(const Launch& launch, const GemmBody& gemm) {
    for (std::uint32_t tile = 0; tile < gemm.spec.c().grid.tiles(); ++tile) {
      Access target{tile_of(gemm, tile), true};
      const View own = target.view;
      target_of(p_, launch, tile, target);
      for (std::uint64_t r = 0; r < own.rows; ++r)
        for (std::uint64_t c = 0; c < own.columns; ++c) {
          const std::int64_t product =
              dot(gemm, own.first_row - gemm.c.first_row + r, own.first_column - gemm.c.first_column + c);
          std::int64_t& there = at(target.view, r, c);
          there = product + (gemm.accumulate || target.adds ? there : 0);
        }
    }
  }
  std::int64_t dot(const GemmBody& gemm, std::uint64_t row, std::uint64_t column) {
    const std::int64_t *a = &at(gemm.a, row, 0), *b = &at(gemm.b, 0, column);
    const std::uint64_t stride = p_.arrays[gemm.b.array].columns;
    std::int64_t sum = 0;
    for (std::uint64_t k = 0; k < gemm.a.columns; ++k) sum += a[k] * b[k * stride];
    return sum;
  }
  void run(std::uint32_t, const Copy& copy) {
    for (std::uint64_t r = 0; r < copy.to.rows; ++r)
      for (std::uint64_t c = 0; c < copy.to.columns; ++c) at(copy.to, r, c) = at(copy.from, r, c);
  }
  // The only one that a shipped program has.
  void run(std::uint32_t gpu, const Collective& reduce_scatter) {
    for (std::uint64_t r = 0; r < reduce_scatter.out.rows; ++r)
      for (std::uint64_t c = 0; c < reduce_scatter.out.columns; ++c) {
        std::int64_t total = 0;
        View in = reduce_scatter.in;
        for (in.gpu = 0; in.gpu < p_.gpu_count; ++in.gpu)
          total += at(in, gpu * reduce_scatter.out.rows + r, c);
        at(reduce_scatter.out, r, c) = total;
      }
  }
  template <class Other>
  void run(std::uint32_t, const Other&) {}

  const Program& p_;
  std::map<std::array<std::uint32_t, 3>, Matrix> matrices_;
};

// A program, carried out: each command when the last of its steps comes.
class Computed {
 public:
  Computed(const std::string& name, std::uint32_t gpus, const std::map<std::string, std::int64_t>& parameters)
      : program_(load(name, gpus, parameters)), memories_(program_) {
    const Steps steps(program_, true);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> last;
    for (std::uint32_t step = 0; step < steps.size(); ++step)
      last[{steps[step].gpu, steps[step].command}] = step;
    const Progress progress(steps);
    for (const std::uint32_t step : progress.order())
      if (steps[step].command != Step::kNoCommand && last[{steps[step].gpu, steps[step].command}] == step)
        memories_.carry_out(steps[step].gpu, steps.command(step));
  }

  const Array& array(const std::string& name) const { return program_.arrays[number(name)]; }
  std::int64_t value(const std::string& name, std::uint32_t gpu, std::uint64_t row, std::uint64_t column,
                     std::uint32_t copy = 0) {
    return memories_.element({number(name), gpu, copy}, row, column);
  }
  // Element of a times b of a GPU, as they were given.
  std::int64_t product(std::uint32_t a_gpu, std::uint64_t a_row, std::uint32_t b_gpu,
                       std::uint64_t column) const {
    std::int64_t sum = 0;
    for (std::uint64_t k = 0; k < array("a").columns; ++k)
      sum += given_value(number("a"), a_gpu, a_row, k) * given_value(number("b"), b_gpu, k, column);
    return sum;
  }
  std::uint32_t gpus() const { return program_.gpu_count; }

 private:
  static Program load(const std::string& name, std::uint32_t gpus,
                      const std::map<std::string, std::int64_t>& parameters) {
    Setting setting;
    setting.gpus = gpus;
    setting.parameters = parameters;
    return program_library::load(name, setting);
  }
  std::uint32_t number(const std::string& name) const {
    for (std::uint32_t i = 0; i < program_.arrays.size(); ++i)
      if (program_.arrays[i].name == name) return i;
    ADD_FAILURE() << "no array " << name;
    return 0;
  }

  Program program_;
  Memories memories_;
};

// Every GPU has all rows of a, gathered from `rows` at a time of each, times its own b.
void expect_gathered_product(const std::string& name, std::uint32_t gpus, std::uint64_t m, std::uint64_t rows,
                             std::map<std::string, std::int64_t> parameters = {}) {
  parameters.insert({{"m", static_cast<std::int64_t>(m)}, {"n", 64}, {"k", 128}});
  Computed run(name, gpus, parameters);
  const bool shards = run.array("a").rows != m;  // in an array of their own
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu)
    for (std::uint64_t row = 0; row < m; row += 5)
      for (std::uint64_t column = 0; column < 64; column += 7) {
        const auto owner = static_cast<std::uint32_t>(row / rows);
        ASSERT_EQ(run.value("c", gpu, row, column),
                  run.product(owner, shards ? row % rows : row, gpu, column))
            << name << ", GPU " << gpu << ", row " << row << ", column " << column;
      }
}

// Every GPU has its `rows` rows of the sum over all GPUs of a times b.
void expect_scattered_sum(const std::string& name, std::uint32_t gpus, std::uint64_t m, std::uint64_t rows,
                          std::uint32_t copy = 0) {
  Computed run(name, gpus, {{"m", static_cast<std::int64_t>(m)}, {"n", 64}, {"k", 64}});
  for (std::uint64_t row = 0; row < m; row += 5)
    for (std::uint64_t column = 0; column < 64; column += 7) {
      std::int64_t sum = 0;
      for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) sum += run.product(gpu, row, gpu, column);
      ASSERT_EQ(run.value("sum", static_cast<std::uint32_t>(row / rows), row % rows, column, copy), sum)
          << name << ", row " << row << ", column " << column;
    }
}

TEST(ProgramValues, AllGathersAndGemmsGiveTheProduct) {
  for (const char* name : {"all-gather-gemm", "all-gather-gemm-push"}) {
    expect_gathered_product(name, 4, 512, 128, {{"rows", 128}});
    expect_gathered_product(name, 4, 256, 64, {{"rows", 64}});  // tiles of 128 rows wait for two
    expect_gathered_product(name, 3, 600, 256, {{"rows", 128}});
  }
  expect_gathered_product("medium-grained-all-gather-gemm", 4, 256, 64);
  expect_gathered_product("medium-grained-all-gather-gemm", 3, 100, 34);
  for (const std::uint32_t gpus : {2U, 3U, 4U, 5U})
    expect_gathered_product("pipelined-all-gather-gemm", gpus, gpus * 16, 16);
}

TEST(ProgramValues, FiccosSchedulesGiveTheProduct) {
  for (const char* name : {"ficco-serial", "ficco-shard-p2p"}) expect_gathered_product(name, 4, 256, 64);
  for (const char* name : {"ficco-uniform-fused-1d", "ficco-hetero-fused-1d", "ficco-hetero-unfused-1d"})
    expect_gathered_product(name, 4, 256, 64, {{"chunks", 4}});
  expect_gathered_product("ficco-uniform-fused-2d", 4, 256, 64, {{"chunks", 2}});
}

TEST(ProgramValues, GemmsAndReduceScattersGiveTheSum) {
  for (const char* name : {"gemm-reduce-scatter", "gemm-reduce-scatter-add"}) {
    expect_scattered_sum(name, 3, 384, 128);
    expect_scattered_sum(name, 2, 300, 256);
  }
  expect_scattered_sum("medium-grained-gemm-reduce-scatter", 4, 64, 16, 3);
  expect_scattered_sum("medium-grained-gemm-reduce-scatter", 3, 100, 34, 2);
  for (const std::uint32_t gpus : {2U, 3U, 4U, 5U})
    expect_scattered_sum("pipelined-gemm-reduce-scatter", gpus, gpus * 16, 16);
}

TEST(ProgramValues, TwoStreamsGiveAProductAndASum) {
  Computed run("two-streams-gemm-reduce-scatter", 2, {{"m", 64}, {"n", 64}, {"k", 64}});
  EXPECT_EQ(run.value("c", 1, 9, 11), run.product(1, 9, 1, 11));
  EXPECT_EQ(run.value("mine", 1, 5, 11), given_value(3, 0, 37, 11) + given_value(3, 1, 37, 11));
}

TEST(ProgramValues, TheTutorialsSecondGemmTakesTheFirstOnesOutput) {
  Computed run("gemm-copy-gemm", 3, {{"m", 8}, {"n", 64}, {"k", 64}});
  std::int64_t sum = 0;
  for (std::uint64_t k = 0; k < 64; ++k) sum += run.product(2, 3, 2, k) * given_value(5, 0, k, 7);
  EXPECT_EQ(run.value("d", 0, 3, 7), sum);
}

}  // namespace
}  // namespace t3sim::program
