// The traces that come with the program (traces/).
#include <gtest/gtest.h>

#include "kernel/gemm_kernel.h"
#include "trace/trace_kernel.h"
#include "trace/trace_summary.h"

namespace t3sim {
namespace {

const std::filesystem::path kTraces = std::filesystem::path(T3SIM_SOURCE_DIR) / "traces";

TEST(KeptTraces, AllCanBeReadToTheirEnd) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kTraces)) {
    if (entry.path().extension() != ".t3t") continue;
    TraceKernel kernel(entry.path());
    EXPECT_GT(summarize(kernel, kernel.header().gemm, {}).groups, 0U) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 8U);
}

TEST(KeptTraces, TheMainCaseIsTheOneOfThePaper) {
  TraceKernel file(kTraces / "t-nlg-fc2-tp8.t3t");
  GemmSpec spec;
  spec.shape = {8192, 4256, 2128};
  spec.layout = GemmLayout::tn;
  spec.place(0);
  EXPECT_EQ(file.header().gemm, spec);
  GemmKernel recipe(spec);
  Group expected, got;
  std::unique_ptr<WorkgroupProgram> a, b;
  for (std::uint32_t i = 0; i < recipe.workgroups(); ++i) {
    a = recipe.program(i, std::move(a));
    b = file.program(i, std::move(b));
    while (a->next(expected)) ASSERT_TRUE(b->next(got) && got == expected) << "workgroup " << i;
    ASSERT_FALSE(b->next(got)) << "workgroup " << i;
  }
}

}  // namespace
}  // namespace t3sim
