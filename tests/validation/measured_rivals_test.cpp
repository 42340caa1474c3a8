// Rows of Flux's and FiCCO's methods: read, joined, and each a shipped program with parameters that it has.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "program/library.h"
#include "validation/measured/csv_folder.h"
#include "validation/measured/rival_programs.h"
#include "validation/measured/validation.h"

namespace t3sim {
namespace {

std::string shipped() { return std::string(T3SIM_SOURCE_DIR) + "/validation/measured/data/h200x2"; }

MeasuredFolder folder_with(const std::string& name, const std::string& text) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "rows.csv") << text;
  return read_measured_folder(folder.string());
}

void expect_to_load(const RowProgram& row, std::uint32_t gpus) {
  program::Setting setting;
  setting.gpus = gpus;
  for (const auto& [name, value] : row.parameters)
    setting.parameters[name] = static_cast<std::int64_t>(value);
  EXPECT_NO_THROW(program::evaluate(program_library::read(row.name), setting)) << row.name;
}

TEST(RowsOfRivals, AreProgramsThatAreShippedWithParametersThatTheyHave) {
  std::map<std::string, int> programs;
  for (const MeasuredRow& any : read_measured_folder(shipped()).rows) {
    std::optional<RowProgram> program;
    std::uint32_t gpus = 2;
    if (const auto* row = std::get_if<GatherGemmRow>(&any)) program = gather_gemm_program(*row);
    if (const auto* row = std::get_if<ScheduleRow>(&any)) program = schedule_program(*row);
    if (const auto* row = std::get_if<DecomposedRow>(&any); row && row->pieces < 64)
      program = decomposed_program(*row);
    if (program && programs[program->name]++ < 3) expect_to_load(*program, gpus);
  }
  EXPECT_EQ(programs.size(), 10U);
}

TEST(RowsOfRivals, NameTheKernelOfTriton) {
  const MeasuredFolder folder =
      folder_with("gather",
                  "gpu,world,name,M,N_local,K,op,comm_rows,tile,median_s,inner,overlap_eff_vs_nccl_seq\n"
                  "NVIDIA H200,2,x,1024,1280,8192,fused_pull,256,128x256x64x8x3,1e-4,8,-0.02\n");
  ASSERT_EQ(folder.rows.size(), 1U);
  const auto& row = std::get<GatherGemmRow>(folder.rows[0]);
  EXPECT_EQ(*row.efficiency, -0.02);
  EXPECT_EQ(row.calls, 8U);
  const RowProgram program = *gather_gemm_program(row);
  EXPECT_EQ(program.kernel, "triton_128x256x64_s3_g8");
  EXPECT_EQ(program.parameters.at("rows"), 256U);
  EXPECT_EQ(program.parameters.at("barrier"), 1U);
}

TEST(RowsOfDecomposedGemms, AreHeldAgainstTheWholeOfTheirShapeAndData) {
  const MeasuredFolder folder =
      folder_with("dil",
                  "data,name,M,N_local,K,variant,pieces,median_s,inner\n"
                  "normal,g,1024,1024,4096,col64,64,3e-3,1\nnormal,g,1024,1024,4096,whole,1,2e-3,1\n"
                  "A_zero,g,1024,1024,4096,row8,8,3e-3,1\nodd,g,1024,1024,4096,row8,8,3e-3,1\n");
  EXPECT_EQ(folder.bad_rows.size(), 1U);
  const MeasuredValidation validation = measured_cases(folder, Judged::all);
  ASSERT_EQ(validation.cases.size(), 1U);
  EXPECT_EQ(validation.cases[0].kind, CaseKind::dil_cols64);
  EXPECT_DOUBLE_EQ(validation.cases[0].measured, 1.5);
  EXPECT_EQ(validation.left_out.at("decomposed GEMMs without one in one piece"), 1U);
}

TEST(RowsOfRivals, HaveErrorsInPointsWhereTheyAreSharesOfATime) {
  MeasuredCase c;
  c.measured = 90;
  c.ours = 81;
  c.kind = CaseKind::ag_gemm_efficiency;
  EXPECT_DOUBLE_EQ(c.error_pct(), 9);
  c.kind = CaseKind::ag_gemm;
  EXPECT_NEAR(c.error_pct(), 100 * (90.0 / 81 - 1), 1e-9);
}

}  // namespace
}  // namespace t3sim
