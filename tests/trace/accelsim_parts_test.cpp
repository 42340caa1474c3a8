// Opcodes, addresses, sectors and cycles: the pieces of the Accel-Sim importer.
#include <gtest/gtest.h>

#include "base/error.h"
#include "trace/import/accelsim/coalesce.h"
#include "trace/import/accelsim/instruction.h"
#include "trace/import/accelsim/issue_model.h"
#include "trace/temporary.h"

namespace t3sim::accelsim {
namespace {

using testing_support::TemporaryFolder;
using testing_support::write_file;

Instruction parsed(const std::string& line, const LineFormat& format = {}) {
  TemporaryFolder folder;
  TextSource source(write_file(folder / "line", line));
  static std::string_view text;
  static std::string kept;
  source.next_line(text);
  kept = text;
  Instruction instruction;
  parse_instruction(kept, format, source, instruction);
  return instruction;
}

std::string error_of_instruction(const std::string& line) {
  try {
    parsed(line);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::vector<std::pair<std::uint64_t, std::uint32_t>> sector_runs(const std::vector<std::uint64_t>& lanes,
                                                                 std::uint32_t width) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> runs;
  for_each_sector_run(lanes, width, [&](std::uint64_t address, std::uint32_t bytes) {
    runs.push_back({address, bytes});
  });
  return runs;
}

using Runs = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

TEST(AccelSimOpcode, SaysTheWidthOfAnAccessBeforeTheLineDoes) {
  EXPECT_EQ(parse_opcode("LDG.E.128.SYS").width_bytes, 16U);
  EXPECT_EQ(parse_opcode("STG.E.64").width_bytes, 8U);
  EXPECT_EQ(parse_opcode("LDG.E.U16").width_bytes, 2U);
  EXPECT_EQ(parse_opcode("LDG.E.S8.SYS").width_bytes, 1U);
  EXPECT_EQ(parse_opcode("LDG.E").width_bytes, 4U);
}

TEST(AccelSimOpcode, TellsWhatAnInstructionDoes) {
  EXPECT_EQ(parse_opcode("LDG.E.128.SYS").kind, OpKind::load);
  EXPECT_EQ(parse_opcode("STG.E").kind, OpKind::store);
  EXPECT_EQ(parse_opcode("RED.E.ADD.F32").kind, OpKind::reduction);
  EXPECT_EQ(parse_opcode("LDS.U.128").kind, OpKind::shared);
  EXPECT_EQ(parse_opcode("BAR.SYNC").kind, OpKind::barrier);
  EXPECT_EQ(parse_opcode("HFMA2.MMA").kind, OpKind::half);
  EXPECT_EQ(parse_opcode("IMAD.MOV.U32").kind, OpKind::integer);
  EXPECT_EQ(parse_opcode("UTMALDG.2D").kind, OpKind::unsupported);
  EXPECT_EQ(parse_opcode("SOMETHING.NEW").kind, OpKind::other);
}

TEST(AccelSimOpcode, KnowsTheFlopsOfTensorInstructions) {
  EXPECT_EQ(parse_opcode("HMMA.884.F32.F32.STEP0").warp_flops * 16, 2U * 16 * 16 * 16);
  EXPECT_EQ(parse_opcode("HMMA.884.F16.F16.STEP1").warp_flops * 8, 2U * 16 * 16 * 16);
  EXPECT_EQ(parse_opcode("HMMA.16816.F32").warp_flops, 2U * 16 * 8 * 16);
  EXPECT_EQ(parse_opcode("IMMA.16832.S8.S8").warp_flops, 2U * 16 * 8 * 32);
  EXPECT_EQ(parse_opcode("HGMMA.64x128x16.F32").warp_flops * 4, 2U * 64 * 128 * 16);
  EXPECT_EQ(parse_opcode("HMMA.STRANGE").warp_flops, 0U);
}

TEST(AccelSimInstruction, ReadsRegistersAndAddressesWithAStride) {
  const Instruction i = parsed("00b0 ffffffff 1 R120 LDG.E.128.SYS 1 R4 16 1 0x7f0000000000 16 0 ");
  EXPECT_EQ(i.opcode, "LDG.E.128.SYS");
  EXPECT_EQ(i.active(), 32U);
  EXPECT_EQ(*i.destinations.begin(), 120);
  EXPECT_EQ(*i.sources.begin(), 4);
  EXPECT_EQ(i.addresses[31], 0x7f0000000000U + 31 * 16);
}

TEST(AccelSimInstruction, ReadsAddressesOneByOne) {
  const Instruction i = parsed("0000 00000005 1 R1 LDG.E 1 R4 4 0 0x100 200 0");
  EXPECT_EQ(i.addresses[0], 0x100U);
  EXPECT_EQ(i.addresses[1], 0x200U);
}

TEST(AccelSimInstruction, ReadsEachDeltaAgainstThePreviousActiveLane) {
  const Instruction i = parsed("0000 0000000b 1 R1 LDG.E 1 R4 4 2 0x100 16 -32 0");
  EXPECT_EQ(i.addresses[0], 0x100U);
  EXPECT_EQ(i.addresses[1], 0x110U);
  EXPECT_EQ(i.addresses[2], 0xf0U);
}

TEST(AccelSimInstruction, ASingleActiveLaneHasNoDeltas) {
  const Instruction i = parsed("0000 00000100 1 R1 LDG.E 1 R4 4 2 0x100 0");
  EXPECT_EQ(i.active(), 1U);
  EXPECT_EQ(i.addresses[0], 0x100U);
}

TEST(AccelSimInstruction, AnEmptyMaskIsReadToo) {
  EXPECT_EQ(parsed("0000 00000000 1 R1 LDG.E 1 R4 4 1 0x0 0 0").active(), 0U);
}

TEST(AccelSimInstruction, TheImmediateMayBeAbsent) {
  EXPECT_EQ(parsed("0000 ffffffff 0 EXIT 0 0").immediate, 0U);
  EXPECT_EQ(parsed("0000 ffffffff 0 DEPBAR.LE 0 0 2").immediate, 2U);
}

TEST(AccelSimInstruction, OldTracersPutTheThreadBlockInFront) {
  const Instruction i = parsed("0 0 0 3 0010 ffffffff 1 R7 MOV 0 0", {.tracer_version = 2});
  EXPECT_EQ(i.opcode, "MOV");
}

TEST(AccelSimInstruction, LineInformationIsSkipped) {
  const Instruction i =
      parsed("117 0010 ffffffff 1 R7 MOV 0 0", {.tracer_version = 5, .has_line_info = true});
  EXPECT_EQ(i.opcode, "MOV");
}

TEST(AccelSimInstruction, WhatIsWrongWithALineIsSaid) {
  EXPECT_NE(error_of_instruction("0000 ffffffff 1 R1").find(":1: the line ends before its opcode"),
            std::string::npos);
  EXPECT_NE(error_of_instruction("0000 fffffffff 0 EXIT 0 0").find("mask 'fffffffff' is not a number"),
            std::string::npos);
  EXPECT_NE(error_of_instruction("0000 1 1 R999 MOV 0 0").find("'R999' is no register"), std::string::npos);
  EXPECT_NE(error_of_instruction("0000 1 1 R1 LDG 1 R2 4 7 0x0").find("address mode 7 is unknown"),
            std::string::npos);
}

TEST(AccelSimCoalescing, AWarpOfConsecutiveWordsIsFourSectors) {
  std::vector<std::uint64_t> lanes;
  for (std::uint64_t i = 0; i < 32; ++i) lanes.push_back(0x1000 + 4 * i);
  EXPECT_EQ(sector_runs(lanes, 4), (Runs{{0x1000, 128}}));
}

TEST(AccelSimCoalescing, AnUnalignedWarpTouchesOneSectorMore) {
  std::vector<std::uint64_t> lanes;
  for (std::uint64_t i = 0; i < 32; ++i) lanes.push_back(0x1010 + 4 * i);
  EXPECT_EQ(sector_runs(lanes, 4), (Runs{{0x1000, 160}}));
}

TEST(AccelSimCoalescing, ASectorCountsOnceHoweverManyLanesWantIt) {
  EXPECT_EQ(sector_runs({0x2000, 0x1000, 0x2004, 0x1000}, 4), (Runs{{0x1000, 32}, {0x2000, 32}}));
}

TEST(AccelSimCoalescing, AnAccessAcrossASectorBoundaryTouchesBoth) {
  EXPECT_EQ(sector_runs({0x101c}, 8), (Runs{{0x1000, 64}}));
}

TEST(AccelSimCoalescing, LinesAreCountedOnceThoughRunsOfThemHaveGaps) {
  const auto lines = [](const std::vector<std::uint64_t>& lanes) {
    return for_each_sector_run(lanes, 4, [](std::uint64_t, std::uint32_t) {});
  };
  EXPECT_EQ(lines({0x1000, 0x1040}), 1U);
  EXPECT_EQ(lines({0x1060, 0x1080}), 2U);
  EXPECT_EQ(lines({0x1000, 0x1080, 0x10c0, 0x1180}), 3U);
}

TEST(AccelSimSharedMemory, WithoutConflictsAWordTakesACycleAndSixteenBytesFour) {
  std::vector<std::uint64_t> words, vectors;
  for (std::uint64_t i = 0; i < 32; ++i) {
    words.push_back(4 * i);
    vectors.push_back(16 * i);
  }
  EXPECT_EQ(shared_memory_cycles(words, 4), 1U);
  EXPECT_EQ(shared_memory_cycles(vectors, 16), 4U);
}

TEST(AccelSimSharedMemory, LanesOnOneBankWaitForOneAnotherUnlessTheyWantTheSameWord) {
  std::vector<std::uint64_t> column, same(32, 64);
  for (std::uint64_t i = 0; i < 32; ++i) column.push_back(128 * i);
  EXPECT_EQ(shared_memory_cycles(column, 4), 32U);
  EXPECT_EQ(shared_memory_cycles(same, 4), 1U);
}

TEST(AccelSimIssueModel, NumbersAreSetByNameAndWrongOnesAreExplained) {
  IssueModel model = issue_model("ampere");
  model.set("schedulers=2");
  EXPECT_EQ(model.schedulers, 2U);
  EXPECT_THROW(model.set("schedulers=0"), InputError);
  EXPECT_THROW(model.set("schedulers=two"), InputError);
  EXPECT_THROW(model.set("sheduler=2"), InputError);
  EXPECT_THROW(issue_model("fermi"), InputError);
}

}  // namespace
}  // namespace t3sim::accelsim
