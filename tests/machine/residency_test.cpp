// How many workgroups a CU holds, and what is left of its LDS for the L1: each resource where it alone decides.
#include <gtest/gtest.h>

#include "machine/config.h"

namespace t3sim {
namespace {

GpuConfig cu() {
  GpuConfig gpu;
  gpu.threads_per_cu = 2048;
  gpu.wavefront_threads = 32;
  gpu.registers_bytes = 256 << 10;
  gpu.l1_lds_bytes = 160 << 10;
  gpu.lds_bytes = 128 << 10;  // of these
  return gpu;
}

KernelTraits workgroup(std::uint32_t wavefronts, std::uint64_t register_bytes, std::uint64_t lds_bytes) {
  KernelTraits traits;
  traits.wavefronts = wavefronts;
  traits.register_bytes = register_bytes;
  traits.lds_bytes = lds_bytes;
  return traits;
}

TEST(Residency, IsLimitedByThreads) {
  EXPECT_EQ(workgroups_per_cu(cu(), workgroup(8, 1024, 1024)), 8U);
  EXPECT_EQ(workgroups_per_cu(cu(), workgroup(9, 1024, 1024)), 7U);
}

TEST(Residency, IsLimitedByRegisters) {
  EXPECT_EQ(workgroups_per_cu(cu(), workgroup(1, 64 << 10, 1024)), 4U);
  EXPECT_EQ(workgroups_per_cu(cu(), workgroup(1, (64 << 10) + 1, 1024)), 3U);
}

TEST(Residency, IsLimitedByLds) {
  EXPECT_EQ(workgroups_per_cu(cu(), workgroup(1, 1024, 32 << 10)), 4U);
  EXPECT_EQ(workgroups_per_cu(cu(), workgroup(1, 1024, (32 << 10) + 1)), 3U);
}

TEST(Residency, IsNoneWhereAWorkgroupDoesNotFit) {
  EXPECT_EQ(workgroups_per_cu(cu(), workgroup(65, 1024, 1024)), 0U);
  EXPECT_EQ(workgroups_per_cu(cu(), workgroup(1, (256 << 10) + 1, 1024)), 0U);
  EXPECT_EQ(workgroups_per_cu(cu(), workgroup(1, 1024, (128 << 10) + 1)), 0U);
}

TEST(Residency, IsWhatTheKernelSaysWhereItSaysSo) {
  KernelTraits traits = workgroup(8, 1024, 1024);
  traits.workgroups_per_cu = 3;
  EXPECT_EQ(workgroups_per_cu(cu(), traits), 3U);
}

// Table 1: a stage of the paper's GEMM is 160 workgroups, two a CU: registers decide.
TEST(Residency, OfThePapersGemmIsTwo) {
  Config config;
  config.workload.m = config.workload.n = config.workload.k = 1024;
  EXPECT_EQ(workgroups_per_cu(cu(), kernel_traits(config)), 2U);
}

TEST(L1, HasWhatTheWorkgroupsLeaveOfTheLds) {
  EXPECT_EQ(l1_bytes(cu(), workgroup(8, 1024, 32 << 10), 2), 96U << 10);
  EXPECT_EQ(l1_bytes(cu(), workgroup(8, 1024, 32 << 10), 5), 0U);
  EXPECT_EQ(l1_bytes(cu(), workgroup(8, 1024, 0), 4), 160U << 10);
}

}  // namespace
}  // namespace t3sim
