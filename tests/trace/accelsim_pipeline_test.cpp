// How long instructions take on their way from the schedulers to the units.
#include "trace/import/accelsim/issue_pipeline.h"

#include <gtest/gtest.h>

#include "trace/accelsim_imported.h"
#include "trace/accelsim_text.h"

namespace t3sim::accelsim {
namespace {

using namespace testing_support;
using Unit = PipelineInstruction::Unit;

// From its issue an instruction is in a collector and, where it has no operands to read, at its unit's exit after one
// cycle, in the unit after two. An operand is read in the half cycle after that, so one that has some is there a cycle
// later.
constexpr std::uint64_t kWay = 2, kRead = 1;

PipelineInstruction operation(Unit unit, std::uint16_t busy, std::uint16_t destination,
                              std::uint16_t source = kZeroRegister) {
  PipelineInstruction i;
  i.unit = unit;
  i.busy = i.latency = busy;
  i.destination = destination;
  i.destinations = 1;
  i.sources[0] = source;
  return i;
}

WarpWork independent(Unit unit, std::uint16_t busy, std::size_t count) {
  WarpWork work;
  for (std::size_t i = 0; i < count; ++i)
    work.push_back(operation(unit, busy, static_cast<std::uint16_t>(i % 250)));
  return work;
}

std::uint64_t cycles(const std::vector<WarpWork>& warps, const IssueModel& model = {}) {
  std::vector<const WarpWork*> works;
  for (const WarpWork& work : warps) works.push_back(&work);
  return pipeline_cycles(model, works);
}

TEST(AccelSimPipeline, AUnitTakesAnInstructionOnceAnInterval) {
  EXPECT_EQ(cycles({independent(Unit::tensor, 2, 100)}), kWay + 200);
}

TEST(AccelSimPipeline, ASchedulerIssuesOneInstructionACycle) {
  EXPECT_EQ(cycles({independent(Unit::none, 1, 60), {}, {}, {}, independent(Unit::none, 1, 40)}), 100U);
}

TEST(AccelSimPipeline, SchedulersHaveUnitsOfTheirOwn) {
  const WarpWork work = independent(Unit::tensor, 2, 100);
  EXPECT_EQ(cycles({work, work, work, work}), kWay + 200);
  EXPECT_EQ(cycles({work, {}, {}, {}, work}), kWay + 400);  // warps 0 and 4 have the same one
}

TEST(AccelSimPipeline, WhatNeedsAResultIsIssuedWhenItIsWrittenBack) {
  const auto first = operation(Unit::integer, 4, 1);
  EXPECT_EQ(cycles({{first, operation(Unit::integer, 4, 2)}}), kWay + 4 + 4);
  EXPECT_EQ(cycles({{first, operation(Unit::integer, 4, 2, 1)}}), kWay + 4 + 1 + kWay + kRead + 4);
  EXPECT_EQ(cycles({{first, operation(Unit::integer, 4, 1)}}), kWay + 4 + 1 + kWay + 4);
}

TEST(AccelSimPipeline, TheLoadAndStoreUnitServesTheWholeCu) {
  const WarpWork work = independent(Unit::memory, 4, 10);
  EXPECT_EQ(cycles({work, work, work, work}), kWay + 160);
}

TEST(AccelSimPipeline, AccessesThatWaitKeepCollectorsFromMatrixWork) {
  // Each scheduler has a warp that loads and one that multiplies, for 1600 cycles each.
  const WarpWork accesses = independent(Unit::memory, 8, 50), products = independent(Unit::tensor, 2, 800);
  std::vector<WarpWork> warps(4, accesses);
  warps.insert(warps.end(), 4, products);
  IssueModel model;
  model.collectors = 256;  // never the limit: one hides the other
  EXPECT_LT(cycles(warps, model), 1620U);
  model.collectors = 8;
  EXPECT_GT(cycles(warps, model), 2000U);
}

PipelineInstruction with_sources(std::initializer_list<std::uint16_t> sources) {
  PipelineInstruction i = operation(Unit::fp32, 2, 1);
  std::copy(sources.begin(), sources.end(), i.sources.begin());
  return i;
}

// Registers 4 and 8 are in one of the four banks, 5 to 7 in the others.
TEST(AccelSimPipeline, ABankDeliversTwoOperandsACycle) {
  EXPECT_EQ(cycles({{with_sources({4})}}), kWay + kRead + 2);
  EXPECT_EQ(cycles({{with_sources({4, 5, 6, 7})}}), kWay + kRead + 2);
  EXPECT_EQ(cycles({{with_sources({4, 8})}}), kWay + kRead + 2);
  EXPECT_EQ(cycles({{with_sources({4, 8, 12})}}), kWay + kRead + 1 + 2);
  EXPECT_EQ(cycles({{with_sources({4, 4, 4})}}), kWay + kRead + 2);
}

// 20 instructions of four operands in one bank keep it for 40 cycles; one operand each of 20 others is in it too, or in
// another bank. Of collectors there are enough.
TEST(AccelSimPipeline, OperandsOfTwoInstructionsWaitForTheSameBank) {
  const auto last = [](std::uint16_t register_of_second) {
    WarpWork first(20, with_sources({4, 8, 12, 16})), second(20, with_sources({register_of_second}));
    for (WarpWork* work : {&first, &second})
      for (PipelineInstruction& i : *work) i.busy = i.latency = 1, i.destinations = 0;
    for (PipelineInstruction& i : second) i.unit = Unit::integer;
    IssueModel model;
    model.collectors = 256;
    return cycles({first, {}, {}, {}, second}, model);
  };
  EXPECT_LT(last(5), 48U);
  EXPECT_GE(last(20), 50U);
}

// 16 sectors an access. The L1 takes in 96, then the load and store unit waits until it has sent some on.
TEST(AccelSimPipeline, GlobalLoadsWaitWhereTheL1SendsOnASectorACycle) {
  WarpWork loads = independent(Unit::memory, 4, 20);
  for (PipelineInstruction& i : loads) i.sectors = 16;
  IssueModel model;
  EXPECT_EQ(cycles({loads}, model), kWay + 20 * 16 - 96);
  model.l1_miss_sectors = 4;
  EXPECT_EQ(cycles({loads}, model), kWay + 20 * 4);
}

TEST(AccelSimPipeline, ATensorInstructionTakesItsFlopsAtTheRateOfOneScheduler) {
  const IssueModel model;
  EXPECT_EQ(model.timing(parse_opcode("HMMA.884.F32.F32.STEP0")).interval, 2U);
  EXPECT_EQ(issue_model("ampere").timing(parse_opcode("HMMA.16816.F32")).interval, 8U);
}

TEST(AccelSimPipeline, BlocksOnOneCuHideEachOthersLatencies) {
  std::string chain;
  for (int i = 0; i < 100; ++i) chain += "0000 ffffffff 1 R1 IADD3 1 R1 0 0\n";
  std::string text = accelsim_head(16, 1);
  for (int block = 0; block < 16; ++block) text += accelsim_block({chain});
  TemporaryFolder folder;
  const auto cycles_with = [&](const char* cus) {
    ImportOptions options;
    options.model.set(cus);
    import_kernel(write_file(folder / "kernel.traceg", text), folder / "out.t3t", options);
    TraceKernel kernel(folder / "out.t3t");
    Group group;
    kernel.program(0, nullptr)->next(group);
    return group.cycles;
  };
  const std::uint32_t alone = cycles_with("cus=16"), sixteen = cycles_with("cus=1");
  EXPECT_EQ(alone, 100 * (kWay + kRead + 2 + 2) - 2);  // latency-bound; nobody waits for the last result
  EXPECT_EQ(sixteen, (kWay + kRead + 4 * 100 * 2 + 15) / 16);  // four warps keep each scheduler's unit busy
}

}  // namespace
}  // namespace t3sim::accelsim
