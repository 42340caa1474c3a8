// Copies between GPUs by copy engines.
#include <gtest/gtest.h>

#include "runtime/hand_program.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kRows = 512, kColumns = 1024;
constexpr double kBytes = kRows * kColumns * 2;

// One copy of 1 MiB from GPU 1 to GPU 0, asked for by GPU `by`.
double copy_us(const Config& config, std::uint32_t by, std::uint32_t copies = 1) {
  HandProgram hand(2);
  const std::uint32_t a = hand.array("a", kRows, kColumns), b = hand.array("b", kRows, kColumns);
  for (std::uint32_t i = 0; i < copies; ++i)
    hand.issue(by, "s", program::Copy{hand.whole(a, 1), hand.whole(b, 0)});
  return run_program(config, hand.program()).time_us;
}

double wire_us(const Config& config, double header) {
  return kBytes * (1 + header / 128) / static_cast<double>(config.topology.link.bandwidth_Bps) * 1e6;
}

TEST(ACopy, GoesAtTheRateOfItsLink) {
  Config config = program_machine(2);
  const double fixed = copy_us(config, 1) - wire_us(config, 32);
  EXPECT_GT(fixed, 0.5);  // the way of the last packet
  EXPECT_LT(fixed, 0.5 + 1);
  // The second and third find some of it in the L2.
  EXPECT_NEAR(copy_us(config, 1, 3) - copy_us(config, 1), 2 * (wire_us(config, 32) + fixed), 2 * 0.15);
}

TEST(ACopy, SharesAHeaderAmongTheLinesOfAPacket) {
  Config config = program_machine(2);
  const double one = copy_us(config, 1);
  config.topology.link.bulk_packet_bytes = 256;
  EXPECT_NEAR(one - copy_us(config, 1), wire_us(config, 32) - wire_us(config, 16), 0.02);
}

TEST(APull, AsksFirst) {
  const Config config = program_machine(2);
  EXPECT_NEAR(copy_us(config, 0), copy_us(config, 1) + 0.5, 0.05);
}

// Both GPUs at once, of 1 MiB each.
double both_ways_us(const Config& config, bool pull) {
  HandProgram hand(2);
  const std::uint32_t a = hand.array("a", kRows, kColumns), b = hand.array("b", kRows, kColumns);
  for (const std::uint32_t gpu : {0U, 1U}) {
    const std::uint32_t there = 1 - gpu;
    hand.issue(gpu, "s",
               pull ? program::Copy{hand.whole(a, there), hand.whole(b, gpu)}
                    : program::Copy{hand.whole(a, gpu), hand.whole(b, there)});
  }
  return run_program(config, hand.program()).time_us;
}

TEST(APull, SendsItsRequestsAgainstWhatTheOtherGpuPulls) {
  Config config = program_machine(2);
  config.topology.link.bulk_packet_bytes = 256;
  const double pulls = both_ways_us(config, true), pushes = both_ways_us(config, false),
               alone = copy_us(config, 0);
  config.topology.link.pull_request_bytes =
      32;  // of 256, so an eighth of the data's time, but for the first way
  EXPECT_NEAR(both_ways_us(config, true) - pulls, wire_us(config, 0) / 8, 0.15 * wire_us(config, 0) / 8);
  EXPECT_EQ(both_ways_us(config, false), pushes);
  EXPECT_EQ(copy_us(config, 0), alone) << "nothing else goes that way";
}

TEST(ACopy, TakesTheTimeOfItsStartBeforeItsFirstRead) {
  Config config = program_machine(2);
  const double at_once = copy_us(config, 1);
  config.commands.copy_ps = 3'000'000;
  EXPECT_NEAR(copy_us(config, 1), at_once + 3, 0.01);
  EXPECT_NEAR(copy_us(config, 1, 2), 2 * (at_once + 3), 0.2);
}

TEST(CopiesInTwoStreams, ShareTheLink) {
  const Config config = program_machine(2);
  HandProgram hand(2);
  const std::uint32_t a = hand.array("a", kRows, kColumns), b = hand.array("b", kRows, kColumns);
  const std::uint32_t first = hand.issue(1, "s", program::Copy{hand.whole(a, 1), hand.whole(a, 0)});
  const std::uint32_t second = hand.issue(1, "t", program::Copy{hand.whole(b, 1), hand.whole(b, 0)});
  const ProgramResult result = run_program(config, hand.program());
  EXPECT_NEAR(result.time_us, copy_us(config, 1) + wire_us(config, 32), 0.3);
  EXPECT_NEAR(us(config, result.gpus[1].times[first].done), us(config, result.gpus[1].times[second].done),
              0.3);
}

TEST(CopiesInTwoStreams, WaitForAnEngineWhereThereIsOne) {
  Config config = program_machine(2);
  config.dma.engines = 1;
  HandProgram hand(2);
  const std::uint32_t a = hand.array("a", kRows, kColumns), b = hand.array("b", kRows, kColumns);
  const std::uint32_t first = hand.issue(1, "s", program::Copy{hand.whole(a, 1), hand.whole(a, 0)});
  const std::uint32_t second = hand.issue(1, "t", program::Copy{hand.whole(b, 1), hand.whole(b, 0)});
  const ProgramResult result = run_program(config, hand.program());
  EXPECT_GE(result.gpus[1].times[second].begun, result.gpus[1].times[first].done);
}

TEST(AStridedCopy, MovesItsRowsOnly) {
  const Config config = program_machine(2);
  HandProgram hand(2);
  const std::uint32_t a = hand.array("a", kRows, kColumns), b = hand.array("b", kRows, kColumns);
  program::View from = hand.whole(a, 1), to = hand.whole(b, 0);
  from.first_column = 64, from.columns = 128;
  to.columns = 128, to.first_row = 256, to.rows = 256, from.rows = 256;
  hand.issue(1, "s", program::Copy{from, to});
  const ProgramResult result = run_program(config, hand.program());
  EXPECT_EQ(result.gpus[1].link_bytes, 256 * 128 * 2);
  EXPECT_EQ(result.gpus[0].link_bytes, 0);
}

TEST(ACopyOfOffsetRows, SplitsWhatCrossesLinesAtEitherEnd) {
  const Config config = program_machine(2);
  HandProgram hand(2);
  const std::uint32_t a = hand.array("a", 16, kColumns), b = hand.array("b", 16, kColumns);
  program::View from = hand.whole(a, 1), to = hand.whole(b, 0);
  from.first_column = 16, from.columns = to.columns = 256;
  hand.issue(1, "s", program::Copy{from, to});
  EXPECT_EQ(run_program(config, hand.program()).gpus[1].link_bytes, 16 * 256 * 2);
}

TEST(ACopyOfOddRows, EndsAndMovesWholeSectors) {
  HandProgram hand(2);
  const std::uint32_t a = hand.array("a", 16, kColumns), b = hand.array("b", 16, kColumns);
  program::View from = hand.whole(a, 1), to = hand.whole(b, 0);
  from.columns = to.columns = 532;  // 33.25 sectors
  hand.issue(1, "s", program::Copy{from, to});
  EXPECT_EQ(run_program(program_machine(2), hand.program()).gpus[1].link_bytes, 16 * 34 * kSectorBytes);
}

}  // namespace
}  // namespace t3sim
