// What a program's overlap is held against: its kernels alone, its communication alone, the pieces in one.
#include "runtime/overlap.h"

#include <gtest/gtest.h>

#include "program/evaluate.h"
#include "runtime/alone.h"
#include "runtime/hand_program.h"
#include "runtime/load_program.h"

namespace t3sim {
namespace {

Config machine() {
  Config config = program_machine(2);
  config.workload.tile = {64, 64, 32};
  config.workload.wavefronts = 4;
  return config;
}

program::Program program_of(const Config& config, const std::string& streams) {
  program::Setting setting;
  setting.gpus = config.gpus.count;
  setting.kernel = machine_kernels(config);
  return program::evaluate(
      program::read_text(
          "name: x\narrays: {a: {rows: 512, columns: 512}, b: {rows: 512, columns: 512}, "
          "c: {rows: 512, columns: 512}, d: {rows: 512, columns: 512}, e: {rows: 512, columns: 512}}\n"
          "signals: {s: 1}\nlet: {next: (rank + 1) % gpus}\nstreams:\n" +
              streams,
          "x.yaml"),
      setting);
}

Overlap overlap_of(const std::string& streams) {
  const Config config = machine();
  const program::Program program = program_of(config, streams);
  return overlap_of(config, program, run_program(config, program), 1);
}

constexpr const char* kGemm = "    - launch: {gemm: {a: a, b: b, c: c}}\n";
constexpr const char* kCopy = "    - copy: {from: d, to: e@next}\n";

TEST(Overlap, OfOneAfterTheOtherIsNone) {
  const Overlap o = overlap_of(std::string("  s:\n") + kGemm + kCopy);
  ASSERT_TRUE(o.efficiency());
  EXPECT_NEAR(*o.efficiency(), 0, 0.05);
  EXPECT_NEAR(o.time_us, o.sequential_us(), 0.02 * o.time_us);
  EXPECT_NEAR(*o.kernel_contention, 1, 0.02);
  EXPECT_NEAR(*o.communication_contention, 1, 0.02);
}

TEST(Overlap, OfTwoStreamsHidesTheCopy) {
  const Overlap o = overlap_of(std::string("  s:\n") + kGemm + "  t:\n" + kCopy);
  EXPECT_NEAR(*o.efficiency(), 1, 0.05);
  EXPECT_NEAR(*o.kernel_contention, 1, 0.02);  // the copy takes a tenth of what memory has
  EXPECT_FALSE(o.whole_gemm_us);
  EXPECT_DOUBLE_EQ(*o.copy_decomposition(), 1);
}

TEST(Overlap, OfASumBesideACopyCostsBothMemory) {
  const Overlap o = overlap_of(
      std::string("  s:\n    - repeat: 8\n      launch: {sum: {from: [a, b, c], to: c}}\n  t:\n") + kCopy);
  EXPECT_GT(*o.kernel_contention, 1.005);
}

// As in gemm-copy-gemm: only the copy keeps the second GEMM behind the first.
TEST(Overlap, OfKernelsThatOnlyCopiesKeepApartIsHeldAgainstOneAtATime) {
  const Overlap o =
      overlap_of(std::string("  s:\n") + kGemm + kCopy +
                 "    - signal: s@next\n  t:\n    - wait: s\n    - launch: {gemm: {a: e, b: b, c: a}}\n");
  EXPECT_NEAR(*o.kernel_contention, 1, 0.02);
  EXPECT_NEAR(o.time_us, o.sequential_us(), 0.03 * o.time_us);
}

TEST(Overlap, OfKernelsSideBySideIsWhatTheyTakeFromEachOther) {
  const Overlap o =
      overlap_of(std::string("  s:\n") + kGemm + kCopy + "  t:\n    - launch: {gemm: {a: d, b: b, c: a}}\n");
  EXPECT_GT(*o.kernel_contention, 1.2);
}

TEST(Overlap, WithoutCommunicationHasNoEfficiency) {
  const Overlap o = overlap_of(std::string("  s:\n") + kGemm);
  EXPECT_FALSE(o.efficiency());
  EXPECT_FALSE(o.communication_contention);
}

std::string whole_of(const std::string& streams) {
  const Config config = machine();
  const auto gemm = whole_gemm(config, program_of(config, streams));
  if (!gemm) return "none";
  const auto extent = [&](std::size_t i) { return gemm->arrays[i]; };
  return std::to_string(extent(0).rows) + " x " + std::to_string(extent(1).columns) + " x " +
         std::to_string(extent(0).columns);
}

TEST(TheWholeGemm, IsMadeOfPiecesOfRowsOfColumnsOrOfK) {
  EXPECT_EQ(
      whole_of(
          "  s:\n    - for: {i: 0 .. 3}\n      do: [{launch: {gemm: {a: \"a[rows i * 128 : i * 128 + 128]\", "
          "b: b, c: \"c[rows i * 128 : i * 128 + 128]\"}}}]\n"),
      "512 x 512 x 512");
  EXPECT_EQ(
      whole_of(
          "  s:\n    - for: {i: 0 .. 1}\n      do: [{launch: {gemm: {a: a, b: \"b[columns i * 256 : i * 256 "
          "+ 256]\", c: \"c[columns i * 256 : i * 256 + 256]\"}}}]\n"),
      "512 x 512 x 512");
  EXPECT_EQ(
      whole_of("  s:\n    - for: {i: 0 .. 3}\n      do: [{launch: {gemm: {a: \"a[columns i * 128 : i * 128 + "
               "128]\", b: \"b[rows i * 128 : i * 128 + 128]\", c: c, accumulate: i > 0}}}]\n"),
      "512 x 512 x 512");
  EXPECT_EQ(whole_of(std::string("  s:\n") + kGemm), "none");
  EXPECT_EQ(whole_of(std::string("  s:\n") + kGemm + "    - launch: {gemm: {a: c, b: a, c: d}}\n"), "none");
}

TEST(Decomposition, OfAGemmIsItsPiecesAgainstTheWhole) {
  const Overlap o = overlap_of(
      "  s:\n    - for: {i: 0 .. 7}\n      do: [{launch: {gemm: {a: \"a[rows i * 64 : i * 64 + 64]\", b: b, "
      "c: "
      "\"c[rows i * 64 : i * 64 + 64]\"}}}]\n");
  EXPECT_EQ(o.whole_gemm, "512 x 512 x 512");
  EXPECT_GT(*o.gemm_decomposition(), 1.2);  // a piece has a tile for each CU, the whole hides each start
}

TEST(Decomposition, OfCopiesIsThemAgainstOneForEachPairOfGpus) {
  Config config = machine();
  config.commands.copy_ps = 5'000'000;
  const program::Program program = program_of(config,
                                              "  s:\n    - for: {i: 0 .. 7}\n      do: [{copy: {from: "
                                              "\"a[rows i * 64 : i * 64 + 64]\", to: \"e@next[rows "
                                              "i * 64 : i * 64 + 64]\"}}]\n");
  const Overlap o = overlap_of(config, program, run_program(config, program), 1);
  EXPECT_NEAR(o.communication_us - *o.whole_copies_us, 7 * 5, 6);
}

TEST(CommunicationAlone, MovesWhatTilesStoreIntoOtherMemories) {
  Config config = machine();
  config.program.file = "gemm-reduce-scatter";
  config.program.parameters = {{"m", 512}, {"n", 256}, {"k", 128}};
  const program::Program program = load_program(config);
  const auto bytes = [&](const program::Program& p) { return run_program(config, p).gpus[0].link_bytes; };
  EXPECT_EQ(bytes(communication_alone(program).program), bytes(program));
  EXPECT_EQ(bytes(whole_copies(communication_alone(program).program)), bytes(program));
  EXPECT_EQ(bytes(kernels_alone(program, run_program(config, program)).program), 0U);
}

TEST(KernelsAlone, WaitForNothing) {
  Config config = machine();
  config.program.file = "all-gather-gemm";
  config.program.parameters = {{"m", 512}, {"n", 256}, {"k", 128}, {"rows", 128}};
  const program::Program program = load_program(config);
  const ProgramResult result = run_program(config, program);
  EXPECT_LT(run_program(config, kernels_alone(program, result).program).time_us, result.time_us);
  EXPECT_FALSE(overlap_of(config, program, result, 1).kernel_contention);  // its time is mostly waiting
}

}  // namespace
}  // namespace t3sim
