// Imported kernels that are said to be a GEMM.
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "trace/accelsim_text.h"
#include "trace/import/accelsim/import.h"
#include "trace/temporary.h"
#include "trace/trace_kernel.h"

namespace t3sim::accelsim {
namespace {

using namespace testing_support;

const std::filesystem::path kGemm =
    std::filesystem::path(T3SIM_SOURCE_DIR) / "tests/trace/data/accelsim/gemm-8tb/kernel-1.traceg.gz";

// The sample's matrices are row-major, M 256, N 512, K 128: column-major, C' = B' A'.
GemmSpec sample_gemm() {
  GemmSpec spec;
  spec.shape = {512, 256, 128};
  spec.layout = GemmLayout::nn;
  spec.a_address = 0x7f0010000000;
  spec.b_address = 0x7f0000000000;
  spec.c_address = 0x7f0020000000;
  return spec;
}

std::string error_of(const std::filesystem::path& kernel, const GemmSpec& spec) {
  TemporaryFolder folder;
  ImportOptions options;
  options.gemm = spec;
  try {
    import_kernel(kernel, folder / "out.t3t", options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(AccelSimDeclaredGemm, EveryWavefrontTileGetsExactlyItsSectors) {
  TemporaryFolder folder;
  ImportOptions options;
  options.gemm = sample_gemm();
  import_kernel(kGemm, folder / "out.t3t", options);
  TraceKernel kernel(folder / "out.t3t");
  const TiledMatrix c = kernel.header().gemm->c();
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> sectors;
  for (std::uint32_t i = 0; i < kernel.workgroups(); ++i) {
    const auto program = kernel.program(i, nullptr);
    for (Group group; program->next(group);)
      for (const auto& run : group.stores) sectors[{group.tile, run.wavefront}] += run.bytes / kSectorBytes;
  }
  EXPECT_EQ(sectors.size(), 8U * 8U);
  for (const auto& [place, count] : sectors) EXPECT_EQ(count, c.sectors({place.first, place.second}));
}

TEST(AccelSimDeclaredGemm, AWorkgroupsTileIsWhereItStores) {
  TemporaryFolder folder;
  ImportOptions options;
  options.gemm = sample_gemm();
  import_kernel(kGemm, folder / "out.t3t", options);
  const TraceKernel kernel(folder / "out.t3t");
  // Block (1, 0, 0) has columns 128 to 255 of the row-major output: the second row of tiles here.
  EXPECT_EQ(kernel.tile(0), 0U);
  EXPECT_EQ(kernel.tile(1), kernel.header().gemm->c().grid.index(1, 0));
}

TEST(AccelSimDeclaredGemm, AKernelThatIsAnotherGemmIsRefused) {
  GemmSpec spec = sample_gemm();
  spec.shape = {256, 512, 128};
  EXPECT_NE(error_of(kGemm, spec).find("workgroup 0 stores to"), std::string::npos);
  spec = sample_gemm();
  spec.c_address = 0x7f0030000000;
  EXPECT_NE(error_of(kGemm, spec).find("which is outside the output"), std::string::npos);
  spec = sample_gemm();
  spec.tile = {64, 128, 32};
  EXPECT_NE(error_of(kGemm, spec).find("stores to tile 0 and to tile"), std::string::npos);
}

TEST(AccelSimDeclaredGemm, AKernelThatDoesNotStoreItsTileOnceIsRefused) {
  TemporaryFolder folder;
  GemmSpec spec;
  spec.shape = {64, 1, 32};
  spec.tile = {64, 1, 32};
  spec.c_address = 0x1000;
  const auto kernel = [&](const std::string& stores) {
    return write_file(folder / "k", accelsim_kernel(stores));
  };
  const std::string store = "0000 ffffffff 0 STG.E 2 R4 R5 4 1 0x1000 4 0\n";
  EXPECT_EQ(error_of(kernel(store), spec), "");
  EXPECT_NE(error_of(kernel(store + store), spec).find("stores 8 sectors to tile 0, which has 4"),
            std::string::npos);
  EXPECT_NE(error_of(kernel("0000 ffffffff 1 R1 MOV 0 0\n"), spec).find("workgroup 0 stores nothing"),
            std::string::npos);
}

}  // namespace
}  // namespace t3sim::accelsim
