// Whole kernels through the Accel-Sim importer.
#include "trace/import/accelsim/import.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/error.h"
#include "trace/accelsim_imported.h"
#include "trace/accelsim_text.h"
#include "trace/packed.h"
#include "trace/temporary.h"
#include "trace/trace_kernel.h"

namespace t3sim::accelsim {
namespace {

using namespace testing_support;

std::string error_of(const std::string& text) {
  TemporaryFolder folder;
  try {
    import_text(folder, text);
  } catch (const InputError& error) {
    EXPECT_FALSE(std::filesystem::exists(folder / "out.t3t"));
    return error.what();
  }
  return "";
}

std::string text_of(const std::filesystem::path& packed) {
  TextSource source(packed);
  std::string text;
  for (std::string_view line; source.next_line(line);) text += std::string(line) + "\n";
  return text;
}

// Sectors that LDG and STG lines touch, counted from the words of each line and nothing else.
struct SectorCount {
  std::uint64_t loads = 0, stores = 0;
};

std::uint64_t sectors_of_line(std::istringstream& words, std::uint32_t mask, const std::string& opcode) {
  const std::uint64_t width = opcode.find(".128") != opcode.npos ? 16 : 4;
  std::set<std::uint64_t> sectors;
  int mode = 0;
  std::uint64_t address = 0;
  std::int64_t step = 0;
  words >> mode >> std::hex >> address >> std::dec;
  if (mode == 1) words >> step;
  for (int lane = 0, active = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    if (mode == 2 && active > 0) words >> step;
    if (active++ > 0) address += static_cast<std::uint64_t>(step);
    for (std::uint64_t byte = 0; byte < width; ++byte) sectors.insert((address + byte) / 32);
  }
  return sectors.size();
}

SectorCount count_sectors(const std::string& text) {
  SectorCount count;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool load = line.find(" LDG.") != line.npos, store = line.find(" STG.") != line.npos;
    if (!load && !store) continue;
    std::istringstream words(line);
    std::string pc, opcode, register_name;
    std::uint32_t mask = 0;
    int registers = 0, width = 0;
    words >> pc >> std::hex >> mask >> std::dec >> registers;
    while (registers-- > 0) words >> register_name;
    words >> opcode >> registers;
    while (registers-- > 0) words >> register_name;
    words >> width;
    (load ? count.loads : count.stores) += sectors_of_line(words, mask, opcode);
  }
  return count;
}

TEST(AccelSimImport, TheSectorsOfTheSamplesAreExact) {
  for (const char* sample : {"gemm-8tb", "gemm-small", "vectoradd"}) {
    TemporaryFolder folder;
    const auto kernel = kSamples / sample / "kernel-1.traceg.gz";
    const SectorCount expected = count_sectors(text_of(kernel));
    const Imported imported = import_file(folder, kernel);
    EXPECT_GT(expected.loads, 0U);
    EXPECT_EQ(imported.summary.counts.load_sectors, expected.loads) << sample;
    EXPECT_EQ(imported.summary.counts.store_sectors, expected.stores) << sample;
    EXPECT_EQ(imported.sectors(false), expected.loads) << sample;
    EXPECT_EQ(imported.sectors(true), expected.stores) << sample;
  }
}

TEST(AccelSimImport, TheGemmOf320WorkgroupsWouldMake1638400SectorAccesses) {
  // M 2048, N 2560, K 256 is 40 times the sample's 8 blocks and twice its K (PEERS.md).
  TemporaryFolder folder;
  const Imported imported = import_file(folder, kSamples / "gemm-8tb/kernel-1.traceg.gz");
  const BlockCounts& counts = imported.summary.counts;
  EXPECT_EQ(counts.load_sectors * 40 * 2 + counts.store_sectors * 40, 1'638'400U);
}

TEST(AccelSimImport, KeepsWhatTheHeadOfTheKernelSays) {
  TemporaryFolder folder;
  const Imported imported = import_file(folder, kSamples / "gemm-8tb/kernel-1.traceg.gz");
  const TraceHeader& header = imported.kernel->header();
  EXPECT_EQ(header.name, "synth_hgemm_128x128x32");
  EXPECT_EQ(header.workgroups, 8U);
  EXPECT_EQ(header.traits.wavefronts, 8U);
  EXPECT_EQ(header.traits.lds_bytes, 32768U);
  EXPECT_EQ(header.traits.register_bytes, 128U * 4 * 256);
}

TEST(AccelSimImport, PlainGzipAndXzGiveTheSameTrace) {
  const std::string text = text_of(kSamples / "gemm-small/kernel-1.traceg.gz");
  TemporaryFolder folder;
  import_text(folder, text);
  const std::string plain = read_file(folder / "out.t3t");
  import_text(folder, gzip(text));
  EXPECT_EQ(read_file(folder / "out.t3t"), plain);
  import_text(folder, xz(text));
  EXPECT_EQ(read_file(folder / "out.t3t"), plain);
}

TEST(AccelSimImport, AListNamesItsKernelsPackedOrNot) {
  const auto kernels = kernels_of_list(kSamples / "gemm-8tb/kernelslist.g");
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].filename(), "kernel-1.traceg.gz");
}

TEST(AccelSimImport, OlderTracersAreReadAndNewerOnesRefused) {
  const std::string block = accelsim_block({"0000 ffffffff 1 R1 MOV 0 0\n"});
  for (const unsigned version : {3U, 4U, 5U}) {
    TemporaryFolder folder;
    EXPECT_EQ(import_text(folder, accelsim_head(1, 1, version) + block).summary.counts.instructions, 1U);
  }
  EXPECT_NE(error_of(accelsim_head(1, 1, 6) + block).find("tracer version 6 is newer than this program"),
            std::string::npos);
}

TEST(AccelSimImport, LineNumbersOfTheSourceMayBeInFront) {
  TemporaryFolder folder;
  const Imported imported =
      import_text(folder, accelsim_head(1, 1, 5, 1) +
                              accelsim_block({"42 0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x1000 4 0\n"}));
  EXPECT_EQ(imported.summary.counts.load_sectors, 4U);
}

TEST(AccelSimImport, ATruncatedFileIsRefusedAndLeavesNoTrace) {
  const std::string whole = accelsim_head(2, 1) + accelsim_block({"0000 ffffffff 1 R1 MOV 0 0\n"}) +
                            accelsim_block({"0000 ffffffff 1 R1 MOV 0 0\n"});
  EXPECT_NE(error_of(whole.substr(0, whole.size() - 10)).find("it is truncated"), std::string::npos);
  EXPECT_NE(
      error_of(whole.substr(0, whole.find("#BEGIN_TB", whole.find("#END_TB")))).find("1 of 2 thread blocks"),
      std::string::npos);
  EXPECT_NE(error_of("-kernel name = x\n").find("no '#traces format' line"), std::string::npos);
}

TEST(AccelSimImport, WhatDoesNotFitTheHeadIsRefused) {
  const std::string mov = "0000 ffffffff 1 R1 MOV 0 0\n";
  EXPECT_NE(error_of(accelsim_head(1, 1) + accelsim_block({mov}) + accelsim_block({mov}))
                .find("more thread blocks"),
            std::string::npos);
  EXPECT_NE(error_of(accelsim_head(1, 1) + accelsim_block({mov, mov})).find("warp 1 of a block of 1 warps"),
            std::string::npos);
  EXPECT_NE(error_of(accelsim_kernel("0000 ffffffff 0 UTMALDG.2D 0 0\n")).find("tensor memory accelerator"),
            std::string::npos);
}

TEST(AccelSimImport, ProgressReachesTheEndOfTheFile) {
  TemporaryFolder folder;
  ImportOptions options;
  std::uint64_t reports = 0, last = 0, all = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t of) {
    ++reports;
    last = done;
    all = of;
  };
  const std::string text = text_of(kSamples / "gemm-8tb/kernel-1.traceg.gz");
  import_kernel(write_file(folder / "kernel.traceg", text), folder / "out.t3t", options);
  EXPECT_GE(reports, 2U);
  EXPECT_EQ(all, text.size());
  EXPECT_LE(last, all);
}

}  // namespace
}  // namespace t3sim::accelsim
