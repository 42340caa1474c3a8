#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "kernel/gemm_kernel.h"
#include "trace/temporary.h"
#include "trace/trace_kernel.h"
#include "trace/trace_writer.h"

namespace t3sim {
namespace {

using testing_support::read_file;
using testing_support::TemporaryFolder;
using testing_support::write_file;

GemmSpec gemm(GemmShape shape, GemmLayout layout = GemmLayout::tn) {
  GemmSpec spec;
  spec.shape = shape;
  spec.layout = layout;
  spec.place(0x10000000);
  return spec;
}

TraceHeader header_of(const GemmSpec& spec) {
  TraceHeader header;
  header.name = "a GEMM";
  header.source = "test";
  header.date = "2026-11-21";
  header.gemm = spec;
  return header;
}

std::filesystem::path write_gemm(const TemporaryFolder& folder, const GemmSpec& spec) {
  GemmKernel kernel(spec);
  write_trace(folder / "gemm.t3t", header_of(spec), kernel);
  return folder / "gemm.t3t";
}

// Fails unless both kernels have the same groups.
void expect_same(KernelSource& expected, KernelSource& got) {
  ASSERT_EQ(got.workgroups(), expected.workgroups());
  EXPECT_EQ(got.traits(), expected.traits());
  std::unique_ptr<WorkgroupProgram> a, b;
  Group group_a, group_b;
  for (std::uint32_t i = 0; i < expected.workgroups(); ++i) {
    ASSERT_EQ(got.tile(i), expected.tile(i));
    a = expected.program(i, std::move(a));
    b = got.program(i, std::move(b));
    while (a->next(group_a)) {
      ASSERT_TRUE(b->next(group_b)) << "workgroup " << i;
      ASSERT_TRUE(group_a == group_b) << "workgroup " << i;
    }
    ASSERT_FALSE(b->next(group_b)) << "workgroup " << i;
  }
}

void expect_error(const std::filesystem::path& path, const std::string& part) {
  try {
    TraceKernel kernel(path);
    Group group;
    for (std::uint32_t i = 0; i < kernel.workgroups(); ++i)
      for (const auto program = kernel.program(i, nullptr); program->next(group);) {
      }
    FAIL() << "no error: " << part;
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find(path.string()), 0U) << text;
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST(TraceFile, GivesTheSameGroupsAsTheRecipe) {
  TemporaryFolder folder;
  for (const GemmLayout layout : {GemmLayout::nn, GemmLayout::nt, GemmLayout::tn, GemmLayout::tt}) {
    const GemmSpec spec = gemm({1000, 700, 300}, layout);
    GemmKernel recipe(spec);
    TraceKernel file(write_gemm(folder, spec));
    expect_same(recipe, file);
  }
}

TEST(TraceFile, GivesTheSameGroupsForSplitKAndPersistentKernels) {
  TemporaryFolder folder;
  GemmSpec spec = gemm({1000, 700, 300});
  spec.split_k = 3;
  spec.persistent = 7;
  spec.buffers = 4;
  spec.order = {.kind = OrderKind::grouped, .group = 3, .start_tile = 5};
  GemmKernel recipe(spec);
  TraceKernel file(write_gemm(folder, spec));
  expect_same(recipe, file);
}

TEST(TraceFile, RemembersWhichLoadsStream) {
  TemporaryFolder folder;
  GemmSpec spec = gemm({256, 256, 64});
  spec.bypass_l1 = true;
  GemmKernel recipe(spec);
  TraceKernel file(write_gemm(folder, spec));
  expect_same(recipe, file);
}

TEST(TraceFile, KeepsItsHeader) {
  TemporaryFolder folder;
  const GemmSpec spec = gemm({1000, 700, 300});
  const TraceKernel file(write_gemm(folder, spec));
  EXPECT_EQ(file.header().gemm, spec);
  EXPECT_EQ(file.header().name, "a GEMM");
  EXPECT_EQ(file.header().date, "2026-11-21");
  EXPECT_EQ(file.header().workgroups, 48U);
}

TEST(TraceFile, BeginsWithAHeadThatPeopleCanRead) {
  TemporaryFolder folder;
  const std::string text = read_file(write_gemm(folder, gemm({1000, 700, 300})));
  for (const char* line :
       {"t3sim-trace 1\n", "\nname = a GEMM\n", "\ntile = 128x128x32\n", "\nlayout = TN\n",
        "\norder = row-major\n", "\nwavefronts = 8\n", "\ntype = FP16\n", "\nsource = test\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST(TraceFile, OfThePapersFc2IsFarBelowOneMegabyte) {
  TemporaryFolder folder;
  const auto path = write_gemm(folder, gemm({8192, 4256, 2128}));
  EXPECT_LT(std::filesystem::file_size(path), 100'000U);
}

TEST(TraceFile, IsTheSameBytesEachTimeItIsWritten) {
  TemporaryFolder folder;
  const std::string first = read_file(write_gemm(folder, gemm({1000, 700, 300})));
  EXPECT_EQ(read_file(write_gemm(folder, gemm({1000, 700, 300}))), first);
}

// A kernel with no regularity at all.
class RandomKernel final : public KernelSource {
 public:
  std::uint32_t workgroups() const override { return 40; }
  std::uint32_t tile(std::uint32_t i) const override { return i * 7919 % 40; }
  unsigned buffers() const override { return 3; }
  std::unique_ptr<WorkgroupProgram> program(std::uint32_t i, std::unique_ptr<WorkgroupProgram>) override {
    return std::make_unique<Program>(i);
  }

 private:
  class Program final : public WorkgroupProgram {
   public:
    explicit Program(std::uint32_t seed) : random_(seed), left_(random_() % 60) {}
    bool next(Group& group) override {
      if (left_ == 0) return false;
      --left_;
      group.clear();
      fill(group.loads);
      fill(group.stores);
      group.cycles = random_() % 3 * 1000;
      group.delay_cycles = random_() % 2 * 700;
      group.matrix_flops = std::uint64_t{random_()} * random_();
      group.useful_flops = random_() % 2;
      group.tile = random_() % 4 == 0 ? kNoTile : random_();
      group.not_before_ps = random_() % 2 * random_();
      if ((group.wait = random_() % 3 == 0)) {
        group.wait_step = random_();
        group.wait_tile = random_();
      }
      return true;
    }

   private:
    void fill(std::vector<Run>& runs) {
      for (std::uint32_t n = random_() % 100; n > 0; --n)
        runs.push_back({(std::uint64_t{random_()} << 32 | random_()) >> random_() % 64, random_() % 4096 + 1,
                        static_cast<std::uint8_t>(random_() % 64), random_() % 2 == 0, random_() % 2 == 0});
    }
    std::independent_bits_engine<std::mt19937, 32, std::uint32_t> random_;
    std::uint32_t left_;
  };
};

TEST(TraceFile, HoldsKernelsWithoutAnyRegularity) {
  TemporaryFolder folder;
  RandomKernel kernel;
  TraceHeader header;
  write_trace(folder / "random.t3t", header, kernel);
  TraceKernel file(folder / "random.t3t");
  EXPECT_FALSE(file.header().gemm.has_value());
  expect_same(kernel, file);
}

TEST(TraceFile, ProgramsOfSeveralWorkgroupsMayRunSideBySide) {
  TemporaryFolder folder;
  RandomKernel kernel;
  write_trace(folder / "random.t3t", {}, kernel);
  TraceKernel file(folder / "random.t3t");
  std::vector<std::unique_ptr<WorkgroupProgram>> expected, got;
  for (std::uint32_t i = 0; i < 40; ++i) {
    expected.push_back(kernel.program(i, nullptr));
    got.push_back(file.program(i, nullptr));
  }
  Group a, b;
  for (int round = 0; round < 60; ++round)
    for (std::size_t i = 0; i < 40; ++i) {
      const bool more = expected[i]->next(a);
      ASSERT_EQ(got[i]->next(b), more);
      ASSERT_TRUE(!more || a == b);
    }
}

TEST(TraceFile, CutAnywhereIsReportedAsSuch) {
  TemporaryFolder folder;
  const std::string whole = read_file(write_gemm(folder, gemm({1000, 700, 300})));
  for (std::size_t length = 0; length < whole.size(); length += 97)
    expect_error(write_file(folder / "cut.t3t", whole.substr(0, length)), "");
  expect_error(write_file(folder / "cut.t3t", whole.substr(0, whole.size() - 1)), "truncated");
  expect_error(write_file(folder / "cut.t3t", whole.substr(0, 100)), "the file ends inside the head");
}

TEST(TraceFile, DamagedDataIsFoundAndItsPlaceIsNamed) {
  TemporaryFolder folder;
  std::string bytes = read_file(write_gemm(folder, gemm({1000, 700, 300})));
  const std::size_t body = bytes.find("\n\n") + 2;
  bytes[body + 200] = static_cast<char>(bytes[body + 200] ^ 1);
  expect_error(write_file(folder / "damaged.t3t", bytes),
               "byte " + std::to_string(body) + ": the chunk that begins here is corrupt");
}

TEST(TraceFile, OfANewerVersionIsRefusedByName) {
  TemporaryFolder folder;
  std::string bytes = read_file(write_gemm(folder, gemm({1000, 700, 300})));
  bytes.replace(0, 13, "t3sim-trace 2");
  expect_error(write_file(folder / "newer.t3t", bytes), "format version 2 is newer than this program");
}

TEST(TraceFile, ThatIsSomethingElseIsRefused) {
  TemporaryFolder folder;
  expect_error(write_file(folder / "other.t3t", "cycle 0x0 R\n"), "this is no t3sim trace");
  expect_error(write_file(folder / "empty.t3t", ""), "line 1: the file ends inside the head");
  expect_error(folder.path(), "is not a regular file");
  expect_error(folder / "missing.t3t", "cannot open");
}

TEST(TraceFile, WithAHeadThatContradictsItselfIsRefused) {
  TemporaryFolder folder;
  const std::string whole = read_file(write_gemm(folder, gemm({1000, 700, 300})));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string bytes = whole;
    bytes.replace(bytes.find(from), from.size(), to);
    return write_file(folder / "wrong.t3t", bytes);
  };
  expect_error(with("buffers = 2", "buffers = 0"), "buffers must be 1 to 64");
  expect_error(with("buffers = 2", "bufers = 2"), "unknown key 'bufers'");
  expect_error(with("buffers = 2", "wavefronts = 8"), "wavefronts comes twice");
  expect_error(with("layout = TN\n", ""), "keys are missing");
  expect_error(with("m = 1000", "m = many"), "m: 'many' is not a whole number in range");
  expect_error(with("workgroups = 48", "workgroups = 47"),
               "the number of workgroups is not that of the head");
}

TEST(TraceFile, WithSomethingBehindItsEndIsRefused) {
  TemporaryFolder folder;
  const std::string whole = read_file(write_gemm(folder, gemm({1000, 700, 300})));
  expect_error(write_file(folder / "longer.t3t", whole + "x"), "there is something behind the end");
}

TEST(TraceWriter, LeavesNothingBehindWhenItDoesNotFinish) {
  TemporaryFolder folder;
  TraceHeader header;
  header.workgroups = 2;
  {
    TraceWriter writer(folder / "part.t3t", header);
    writer.begin_workgroup(0);
    EXPECT_THROW(writer.finish(), InputError);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TraceWriter, SaysWhenAPlaceCannotBeWritten) {
  TemporaryFolder folder;
  TraceHeader header;
  header.workgroups = 1;
  EXPECT_THROW(TraceWriter(folder / "no-such-folder/x.t3t", header), InputError);
}

}  // namespace
}  // namespace t3sim
