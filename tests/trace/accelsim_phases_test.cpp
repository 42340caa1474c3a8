// How the Accel-Sim importer cuts the instructions of a thread block into groups.
#include <gtest/gtest.h>

#include "trace/accelsim_imported.h"
#include "trace/accelsim_text.h"

namespace t3sim::accelsim {
namespace {

using namespace testing_support;

TEST(AccelSimPhases, ABarrierEndsAPhaseForAllWarps) {
  TemporaryFolder folder;
  const std::string before = "0000 ffffffff 1 R1 IADD3 1 R1 0 0\n",
                    barrier = "0010 ffffffff 0 BAR.SYNC 0 0 0\n";
  const Imported imported = import_text(
      folder, accelsim_head(1, 2) +
                  accelsim_block({before + barrier + before + before, before + before + barrier + before}));
  const std::vector<Group> groups = imported.groups();
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(imported.summary.counts.barriers, 2U);
  // Warps are on schedulers of their own. Two additions, of which the second needs the first's result: each
  // is 3 cycles under way and computes for 2, the first writes back for 2.
  EXPECT_EQ(groups[0].cycles, 12U);
  EXPECT_EQ(groups[1].cycles, 12U);
}

// Two blocks of four warps for a CU, 32 registers a thread: 4096 a block. Those that fit share the CU's pipeline and
// fill each other's gaps: a block's part of the time is less than what one takes alone.
TEST(AccelSimPhases, BlocksThatFitOnACuTogetherShareItsPipeline) {
  std::string warp;
  for (int i = 0; i < 64; ++i) warp += "0000 ffffffff 1 R" + std::to_string(i % 16) + " IADD3 0 0\n";
  const std::string first = accelsim_block({warp, warp, warp, warp});
  std::string second = first;
  second.replace(second.find("0,0,0"), 5, "1,0,0");
  const auto cycles = [&](std::uint32_t cus, std::uint32_t registers) {
    TemporaryFolder folder;
    IssueModel model;
    model.cus = cus;
    model.registers = registers;
    return import_text(folder, accelsim_head(2, 4) + first + second, model).groups().at(0).cycles;
  };
  const std::uint32_t alone = cycles(2, 65536);
  EXPECT_EQ(cycles(1, 4096), alone);
  EXPECT_EQ(cycles(1, 8191), alone);
  EXPECT_LT(cycles(1, 8192), alone);
}

TEST(AccelSimPhases, AUseOfALoadedRegisterEndsAPhaseAndGetsTheLoads) {
  TemporaryFolder folder;
  const Imported imported =
      import_text(folder, accelsim_kernel("0000 ffffffff 1 R8 LDG.E 1 R4 4 1 0x1000 4 0\n"
                                          "0010 ffffffff 1 R5 IADD3 1 R4 0 0\n"
                                          "0020 ffffffff 1 R6 FADD 2 R8 R5 0 0\n"
                                          "0030 ffffffff 0 STG.E 2 R4 R6 4 1 0x2000 4 0\n"));
  const std::vector<Group> groups = imported.groups();
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_TRUE(groups[0].loads.empty());
  ASSERT_EQ(groups[1].loads.size(), 1U);
  EXPECT_EQ(groups[1].loads[0].bytes, 128U);
  EXPECT_EQ(groups[1].stores.size(), 1U);
}

TEST(AccelSimPhases, ALoadWhoseAddressWasLoadedComesInALaterPhase) {
  TemporaryFolder folder;
  const Imported imported =
      import_text(folder, accelsim_kernel("0000 ffffffff 1 R4 LDG.E.64 1 R2 8 1 0x1000 8 0\n"
                                          "0010 ffffffff 1 R6 LDG.E 1 R5 4 1 0x8000 4 0\n"
                                          "0020 ffffffff 1 R7 IADD3 1 R6 0 0\n"));
  const std::vector<Group> groups = imported.groups();
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[1].loads.at(0).address, 0x1000U);
  EXPECT_EQ(groups[2].loads.at(0).address, 0x8000U);
}

TEST(AccelSimPhases, LoadsThatNobodyUsesStayWhereTheyWereIssued) {
  TemporaryFolder folder;
  const Imported imported =
      import_text(folder, accelsim_kernel("0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0\n"));
  ASSERT_EQ(imported.groups().size(), 1U);
  EXPECT_EQ(imported.groups()[0].loads.size(), 1U);
}

TEST(AccelSimPhases, AsynchronousCopiesWaitAtTheirDependencyBarrier) {
  TemporaryFolder folder;
  const std::string compute = "0050 ffffffff 1 R32 HMMA.16816.F32 3 R96 R104 R32 0 0\n";
  const Imported imported = import_text(
      folder,
      accelsim_kernel(
          "0000 ffffffff 0 LDGSTS.E.128 1 R2 16 1 0x1000 16 0\n0010 ffffffff 0 LDGDEPBAR 0 0 0\n" + compute +
          "0020 ffffffff 0 LDGSTS.E.128 1 R2 16 1 0x2000 16 0\n"
          "0030 ffffffff 0 LDGDEPBAR 0 0 0\n0040 ffffffff 0 DEPBAR.LE 0 0 1\n" +
          compute + "0060 ffffffff 0 DEPBAR.LE 0 0 0\n" + compute));
  const std::vector<Group> groups = imported.groups();
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[1].loads.at(0).address, 0x1000U);
  EXPECT_EQ(groups[2].loads.at(0).address, 0x2000U);
  EXPECT_EQ(imported.kernel->buffers(), 3U);
}

TEST(AccelSimPhases, AtomicsAreUpdates) {
  TemporaryFolder folder;
  const Imported imported =
      import_text(folder, accelsim_kernel("0000 ffffffff 0 RED.E.ADD.F32 2 R2 R3 4 1 0x1000 4 0\n"));
  EXPECT_EQ(imported.summary.counts.update_sectors, 4U);
  EXPECT_TRUE(imported.groups().at(0).stores.at(0).update);
}

TEST(AccelSimPhases, GenericAccessesGoWhereTheirAddressIs) {
  TemporaryFolder folder;
  const Imported imported =
      import_text(folder, accelsim_kernel("0000 ffffffff 1 R4 LD.E 1 R2 4 1 0x7fff00000100 4 0\n"
                                          "0010 ffffffff 1 R5 LD.E 1 R2 4 1 0x7ffe00000100 4 0\n"
                                          "0020 ffffffff 1 R6 LD.E 1 R2 4 1 0x7f0000000000 4 0\n"));
  EXPECT_EQ(imported.summary.counts.load_sectors, 4U);
  EXPECT_EQ(imported.summary.counts.local_accesses, 1U);
}

TEST(AccelSimPhases, LoadsOfADoubleBufferedLoopAreInFlightWhileThePhaseBeforeComputes) {
  TemporaryFolder folder;
  const Imported imported = import_file(folder, kSamples / "gemm-small/kernel-1.traceg.gz");
  EXPECT_EQ(imported.kernel->buffers(), 2U);
  const std::vector<Group> groups = imported.groups();
  // Set-up; twice: matrix work, then what was loaded meanwhile goes to shared memory; at last the output.
  ASSERT_EQ(groups.size(), 6U);
  for (const std::size_t compute : {1U, 3U}) {
    EXPECT_EQ(groups[compute].useful_flops, 2U * 128 * 128 * 32);
    EXPECT_TRUE(groups[compute].loads.empty());
    EXPECT_FALSE(groups[compute + 1].loads.empty());
  }
  EXPECT_FALSE(groups[5].stores.empty());
}

}  // namespace
}  // namespace t3sim::accelsim
