// Embedding bags and GEMV as launches of programs: values, traffic, order, persistent workgroups.
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "kernel/drawn_rows.h"
#include "program/check.h"
#include "program/dependences.h"
#include "program/evaluate.h"
#include "runtime/hand_program.h"
#include "runtime/load_program.h"

namespace t3sim {
namespace {

Config bodies_machine(std::uint32_t gpus, bool functional = true) {
  Config config = program_machine(gpus);
  config.run.functional = functional;
  return config;
}

ProgramResult run_text(const std::string& yaml, const Config& config) {
  program::Setting setting;
  setting.gpus = config.gpus.count;
  setting.cus = static_cast<std::uint32_t>(config.gpu.cus);
  const program::Program program = program::evaluate(program::read_text(yaml, "p.yaml"), setting);
  check(program);
  check_dependences(program);
  return run_program(config, program);
}

// Every GPU has two tables; the bags of all of them, by owner of the batch's rows: GPU p gets half, or a quarter.
constexpr std::uint32_t kTableRows = 50, kBagRows = 7, kBagsATable = 24;

std::string embedding(const std::string& more, const std::string& launch = "") {
  return "name: p\n"
         "arrays:\n"
         "  e: {rows: 100, columns: 64, type: FP32}\n"
         "  i: {rows: 48, columns: 8, type: FP32}\n"
         "  out: {rows: 48, columns: 64, type: FP32}\n"
         "  got: {rows: 48, columns: 64, type: FP32, copies: gpus}\n"
         "streams:\n  s:\n"
         "    - launch:\n"
         "        embedding: {table: e, to: out, indices: i, pooling: 7, tables: 2" +
         more + "}\n" + launch + "    - barrier\n";
}

// What bag `bag` of a GPU is in column `column`.
std::int32_t bag_value(const ProgramResult& result, std::uint32_t gpu, std::uint32_t bag,
                       std::uint64_t column, double skew) {
  const DrawnRows rows({kTableRows, 2, 2 * kBagsATable, kBagRows, skew, gpu + 1});
  std::int32_t sum = 0;
  for (std::uint32_t i = 0; i < kBagRows; ++i)
    sum += result.values->before({0, gpu, 0, rows.row(bag, i), 1, column, 1});
  return sum;
}

TEST(EmbeddingBags, AreSumsOfDrawnRowsWhoeverTakesThem) {
  for (const std::string launch : {"", "        workgroups: 5\n", "        workgroups_per_cu: 1\n",
                                   "        workgroups: 40\n        order: (row * 7) % 48\n"})
    for (const double skew : {0.0, 1.05}) {
      const std::string yaml = embedding(skew == 0 ? "" : ", skew: 1.05, unroll: 3", launch);
      const ProgramResult result = run_text(yaml, bodies_machine(2));
      for (std::uint32_t gpu = 0; gpu < 2; ++gpu)
        for (std::uint32_t bag = 0; bag < 48; ++bag)
          for (const std::uint64_t column : {0U, 31U, 63U})
            ASSERT_EQ(result.values->now({2, gpu, 0, bag, 1, column, 1}),
                      bag_value(result, gpu, bag, column, skew))
                << yaml << "GPU " << gpu << ", bag " << bag;
    }
}

// Fused with the all-to-all: bags are stored into the memory of who owns them, others' first or as they come.
TEST(EmbeddingBags, GoToTheirOwnersInAnyOrder) {
  for (const std::uint32_t gpus : {2U, 4U, 8U})
    for (const std::string order : {"", "        order: \"row % 24 * gpus / 24 == rank\"\n"}) {
      const std::string launch =
          order + "        workgroups: 11\n        stores: {to: \"got@(row % 24 * gpus / 24)[copy rank]\"}\n";
      const ProgramResult result = run_text(embedding("", launch), bodies_machine(gpus));
      for (std::uint32_t from = 0; from < gpus; ++from)
        for (std::uint32_t bag = 0; bag < 48; ++bag) {
          const std::uint32_t owner = bag % 24 * gpus / 24;
          ASSERT_EQ(result.values->now({3, owner, from, bag, 1, 5, 1}), bag_value(result, from, bag, 5, 0))
              << gpus << " GPUs, bag " << bag << " of GPU " << from;
        }
    }
}

TEST(EmbeddingBags, ReadTheirRowsFromMemory) {
  const std::string yaml =
      "name: p\narrays: {e: {rows: 1000000, columns: 256, type: FP32}, out: {rows: 64, columns: 256, type: "
      "FP32}}\n"
      "streams: {s: [{launch: {embedding: {table: e, to: out, pooling: 8}}}]}\n";
  const ProgramResult result = run_text(yaml, bodies_machine(2, false));
  const DrawnRows rows({1'000'000, 1, 64, 8, 0, 1});
  std::set<std::uint64_t> distinct;  // half of the L2: what is drawn again is there
  for (std::uint32_t bag = 0; bag < 64; ++bag)
    for (std::uint32_t i = 0; i < 8; ++i) distinct.insert(rows.row(bag, i));
  EXPECT_EQ(result.gpus[0].dram.read(Traffic::gemm), distinct.size() * 1024);
}

TEST(PersistentWorkgroups, TakeLongerWhenTheyAreFewer) {
  const auto time = [](std::uint32_t workgroups) {
    return run_text(
               "name: p\narrays: {e: {rows: 1000000, columns: 256, type: FP32}, out: {rows: 256, columns: "
               "256, type: FP32}}\n"
               "streams: {s: [{launch: {embedding: {table: e, to: out, pooling: 20}, workgroups: " +
                   std::to_string(workgroups) + "}}]}\n",
               bodies_machine(2, false))
        .time_us;
  };
  EXPECT_GT(time(2), 3.5 * time(8));
  EXPECT_GT(time(8), 1.1 * time(64));
}

TEST(Gemv, IsTheProductWhoeverTakesItsRows) {
  for (const std::string keys :
       {"", ", rows_per_wavefront: 2, unroll: 1", ", wavefronts: 4, rows_per_wavefront: 4"})
    for (const std::string launch : {"", ", workgroups: 3", ", order: 0 - tile"}) {
      const std::string yaml =
          "name: p\n"
          "arrays: {w: {rows: 208, columns: 1056}, x: {rows: 1, columns: 1056}, y: {rows: 1, columns: 208}}\n"
          "streams: {s: [{launch: {gemv: {w: w, x: x, y: y" +
          keys + "}" + launch + "}}]}\n";
      const ProgramResult result = run_text(yaml, bodies_machine(2));
      for (std::uint64_t row = 0; row < 208; ++row) {
        std::int32_t sum = 0;
        for (std::uint64_t k = 0; k < 1056; ++k)
          sum +=
              result.values->before({0, 1, 0, row, 1, k, 1}) * result.values->before({1, 1, 0, 0, 1, k, 1});
        ASSERT_EQ(result.values->now({2, 1, 0, 0, 1, row, 1}), sum) << keys << launch << ", row " << row;
      }
    }
}

// A tile's part of y goes to its owner, who adds the parts when all flags are there.
TEST(Gemv, AndAllReduceBySignalsIsTheSumOverGpus) {
  const std::string yaml =
      "name: p\n"
      "arrays:\n"
      "  w: {rows: 256, columns: 512}\n  x: {rows: 1, columns: 512}\n  y: {rows: 1, columns: 256}\n"
      "  parts: {rows: 1, columns: 256, copies: gpus}\n  sum: {rows: 1, columns: 256}\n"
      "signals: {done: 1}\n"
      "let: {mine: 256 / gpus}\n"
      "streams:\n  s:\n"
      "    - launch:\n"
      "        gemv: {w: w, x: x, y: y, rows_per_wavefront: 2}\n"
      "        order: \"column * tile_n / mine == rank\"\n"
      "        stores: {to: \"parts@(column * tile_n / mine)[copy rank]\"}\n"
      "        sets: \"done@(column * tile_n / mine) += 1\"\n"
      "    - wait: done >= mine / 16 * gpus\n"
      "    - launch: {sum: {from: {for: {p: 0 .. gpus - 1}, do: \"parts[copy p, columns rank * mine : (rank "
      "+ 1) * mine]\"},"
      " to: \"sum[columns rank * mine : (rank + 1) * mine]\"}}\n";
  for (const std::uint32_t gpus : {2U, 4U}) {
    const ProgramResult result = run_text(yaml, bodies_machine(gpus));
    for (std::uint64_t row = 0; row < 256; ++row) {
      std::int32_t sum = 0;
      for (std::uint32_t g = 0; g < gpus; ++g)
        for (std::uint64_t k = 0; k < 512; ++k)
          sum +=
              result.values->before({0, g, 0, row, 1, k, 1}) * result.values->before({1, g, 0, 0, 1, k, 1});
      const auto owner = static_cast<std::uint32_t>(row * gpus / 256);
      ASSERT_EQ(result.values->now({4, owner, 0, 0, 1, row, 1}), sum) << gpus << " GPUs, row " << row;
    }
  }
}

}  // namespace
}  // namespace t3sim
