// The shipped fused operators and their baselines: sums and exchanges are exact, whoever computes what when.
#include <gtest/gtest.h>

#include "base/error.h"
#include "kernel/drawn_rows.h"
#include "runtime/hand_program.h"
#include "runtime/load_program.h"

namespace t3sim {
namespace {

using Parameters = std::map<std::string, std::uint64_t>;

Config fused_machine(const std::string& program, std::uint32_t gpus, const Parameters& parameters) {
  Config config = program.ends_with("-put") ? card_machine(gpus) : program_machine(gpus);
  config.run.functional = true;
  config.program.file = program;
  config.program.parameters = parameters;
  return config;
}

ProgramResult run_shipped(const std::string& program, std::uint32_t gpus, const Parameters& parameters) {
  const Config config = fused_machine(program, gpus, parameters);
  return run_program(config, load_program(config));
}

constexpr std::uint32_t kTables = 2, kOfTable = 50, kBatch = 16, kPooling = 5, kWidth = 64;

Parameters small_embedding(Parameters more) {
  more.merge(Parameters{{"tables", kTables},
                        {"rows", kOfTable},
                        {"batch", kBatch},
                        {"pooling", kPooling},
                        {"columns", kWidth}});
  return more;
}

// What the owner of a sample has of each table of each GPU.
void expect_pooled(const ProgramResult& result, std::uint32_t out, std::uint32_t gpus, double skew) {
  const std::uint32_t mine = kBatch / gpus;
  for (std::uint32_t from = 0; from < gpus; ++from) {
    const DrawnRows rows({kOfTable, kTables, kTables * kBatch, kPooling, skew, from + 1});
    for (std::uint32_t bag = 0; bag < kTables * kBatch; ++bag)
      for (const std::uint64_t column : {0U, 31U, 63U}) {
        std::int32_t sum = 0;
        for (std::uint32_t i = 0; i < kPooling; ++i)
          sum += result.values->before({0, from, 0, rows.row(bag, i), 1, column, 1});
        const std::uint32_t sample = bag % kBatch, table = from * kTables + bag / kBatch;
        ASSERT_EQ(result.values->now({out, sample / mine, 0, sample % mine, 1, table * kWidth + column, 1}),
                  sum)
            << gpus << " GPUs: bag " << bag << " of GPU " << from;
      }
  }
}

TEST(FusedEmbeddingAllToAll, GivesEveryOwnerItsSamplesOfAllTables) {
  for (const std::uint32_t gpus : {2U, 4U, 8U})
    for (const std::uint64_t remote_first : {0U, 1U})
      for (const std::uint64_t workgroups : {3U, 40U})
        expect_pooled(
            run_shipped("embedding-all-to-all", gpus,
                        small_embedding({{"remote_first", remote_first}, {"workgroups", workgroups}})),
            3, gpus, 0);
}

TEST(FusedEmbeddingAllToAll, PutsSlicesOfAnySizeWhereTheirOwnersWantThem) {
  for (const std::uint32_t gpus : {2U, 4U, 8U})
    for (const std::uint64_t slice : {1U, 2U, 3U})  // 3: the last one of a table and owner is partial
      if (slice <= kBatch / gpus)
        for (const std::uint64_t remote_first : {0U, 1U})
          expect_pooled(run_shipped("embedding-all-to-all-put", gpus,
                                    small_embedding({{"slice", slice},
                                                     {"remote_first", remote_first},
                                                     {"workgroups", 3 + 10 * slice}})),
                        4, gpus, 0);
}

TEST(PutsOfSlices, AreRefusedWhereASliceHasTwoOwnersOrNoCardTakesThem) {
  const char* const name = "embedding-all-to-all-put";
  const std::string two = refusal(fused_machine(name, 4, small_embedding({{"slice", 5}})));
  EXPECT_NE(two.find("slice <= mine"), std::string::npos) << two;
  EXPECT_NE(two.find(".yaml:"), std::string::npos) << two;
  EXPECT_NE(refusal(fused_machine(name, 2, small_embedding({{"slice", 4}, {"workgroups", 0}}))), "");
  Config no_card = fused_machine(name, 2, small_embedding({{"slice", 4}}));
  no_card.topology = program_machine(2).topology;
  const std::string none = refusal(no_card);
  EXPECT_NE(none.find("no network card takes puts from GPU 0 to GPU 1 (topology.card.puts); allowed: copy"),
            std::string::npos)
      << none;
}

TEST(APut, SaysWhichSliceIsPartial) {
  const Config config = fused_machine("embedding-all-to-all-put", 2, small_embedding({{"slice", 3}}));
  const program::Program program = load_program(config);
  int puts = 0, partial = 0;
  for (const program::Command& command : program.gpus[0].commands)
    if (const auto* copy = std::get_if<program::Copy>(&command.action)) {
      ++puts;
      partial += command.name.find("partial") != std::string::npos ? 1 : 0;
      EXPECT_EQ(copy->from.rows == 2, command.name.find("partial") != std::string::npos) << command.name;
    }
  EXPECT_EQ(puts, 6) << "8 bags of each of 2 tables, 3 at a time";
  EXPECT_EQ(partial, 2);
}

TEST(FusedGemmAllToAll, LeavesAsPromisedInAnyOrderOfTiles) {
  for (const std::uint32_t gpus : {2U, 4U, 8U})
    for (const std::uint64_t shift : {0U, 1U, 2U})
      EXPECT_EQ(run_shipped("gemm-all-to-all", gpus, {{"m", 1024}, {"n", 128}, {"k", 32}, {"shift", shift}})
                    .checked_elements,
                gpus * 1024 * 128);
  EXPECT_EQ(run_shipped("gemm-then-all-to-all", 4, {{"m", 1024}, {"n", 128}, {"k", 32}}).checked_elements,
            4 * 1024 * 128);
}

TEST(FusedEmbeddingAllToAll, LeavesWhatTheBaselineLeaves) {
  for (const std::uint32_t gpus : {2U, 4U, 8U})
    expect_pooled(run_shipped("embedding-then-all-to-all", gpus, small_embedding({{"zipf", 105}})), 4, gpus,
                  1.05);
}

TEST(FusedEmbeddingAllToAll, RefusesNoWorkgroupsAndSamplesThatAreNotDealtEvenly) {
  EXPECT_THROW(load_program(fused_machine("embedding-all-to-all", 2, small_embedding({{"workgroups", 0}}))),
               InputError);
  EXPECT_THROW(load_program(fused_machine("embedding-all-to-all", 3, small_embedding({}))), InputError);
}

void expect_sums(const ProgramResult& result, std::uint32_t sum_array, std::uint32_t gpus, std::uint64_t m,
                 std::uint64_t k) {
  for (std::uint64_t row = 0; row < m; ++row) {
    std::int32_t sum = 0;
    for (std::uint32_t g = 0; g < gpus; ++g)
      for (std::uint64_t i = 0; i < k; ++i)
        sum += result.values->before({0, g, 0, row, 1, i, 1}) * result.values->before({1, g, 0, 0, 1, i, 1});
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu)
      ASSERT_EQ(result.values->now({sum_array, gpu, 0, 0, 1, row, 1}), sum)
          << gpus << " GPUs: row " << row << " on GPU " << gpu;
  }
}

TEST(FusedGemvAllReduce, LeavesTheSumsOnEveryGpu) {
  for (const std::uint32_t gpus : {2U, 4U, 8U})
    for (const Parameters& flags : {Parameters{}, {{"flag_each_tile", 1}}, {{"low_latency", 1}}})
      for (const auto& [rows, workgroups] : {std::pair{1U, 8U}, {2U, 100U}}) {
        Parameters parameters{
            {"m", 256}, {"k", 128}, {"rows_per_wavefront", rows}, {"workgroups", workgroups}};
        parameters.insert(flags.begin(), flags.end());
        expect_sums(run_shipped("gemv-all-reduce", gpus, parameters), 4, gpus, 256, 128);
      }
}

// Over links whose way takes so long.
constexpr double kWayUs = 10;
double fused_gemv_us(std::uint32_t gpus, std::uint64_t each_tile) {
  Config config = fused_machine(
      "gemv-all-reduce", gpus,
      {{"m", 256}, {"k", 128}, {"rows_per_wavefront", 1}, {"workgroups", 8}, {"flag_each_tile", each_tile}});
  config.topology.link.latency_ps = 10'000'000;
  return run_program(config, load_program(config)).time_us;
}

// Of eight workgroups on two GPUs each has two tiles of the GEMV for the other GPU, and two of its sums. A flag for each
// tile is a fence more in both phases; but then the first tile's flag is on its way (10 us) while the second waits.
TEST(FusedGemvAllReduce, WaitsForOneFenceAWorkgroupRatherThanOneATile) {
  EXPECT_NEAR(fused_gemv_us(2, 1) - fused_gemv_us(2, 0), 2 * 2 * kWayUs - kWayUs, 2);
}

// Of eight workgroups on four GPUs each has a tile for every GPU, and sums one tile, which goes to three others: behind a fence
// for each, or behind one for all.
TEST(FusedGemvAllReduce, SendsItsSumsToAllGpusBehindOneFence) {
  EXPECT_NEAR(fused_gemv_us(4, 1) - fused_gemv_us(4, 0), (3 - 1) * 2 * kWayUs, 2);
}

TEST(FusedGemvAllReduce, LeavesWhatTheBaselineLeaves) {
  for (const std::uint32_t gpus : {2U, 4U})
    expect_sums(run_shipped("gemv-then-all-reduce", gpus, {{"m", 256}, {"k", 128}}), 3, gpus, 256, 128);
}

}  // namespace
}  // namespace t3sim
