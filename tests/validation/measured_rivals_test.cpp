// Rows of Flux's and FiCCO's methods: read, joined, and each a shipped program with parameters that it has.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <tuple>

#include "program/library.h"
#include "validation/measured/csv_folder.h"
#include "validation/measured/pairs.h"
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
    if (const auto* row = std::get_if<EmbeddingRow>(&any)) program = embedding_program(*row);
    if (const auto* row = std::get_if<GemvRow>(&any)) program = gemv_program(*row);
    if (program && programs[program->name]++ < 3) expect_to_load(*program, gpus);
  }
  EXPECT_EQ(programs.size(), 14U);
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

// With four, in 128 KiB, a CU has place for one workgroup of 128x128; with three for two.
TEST(RowsOfTritonsGemms, HaveTheKStepsInFlightThatTheirFileSays) {
  const MeasuredFolder folder = folder_with("timeline",
                                            "gpu,case,M,N,K,BM,BN,BK,group_m,warps,stages,kernel_median_s\n"
                                            "NVIDIA H200,x,16384,3072,384,128,128,64,8,4,4,1e-4\n"
                                            "NVIDIA H200,y,16384,3072,384,128,256,64,8,8,3,1e-4\n"
                                            "NVIDIA H200,z,16384,3072,384,128,256,64,8,8,9,1e-4\n");
  EXPECT_EQ(folder.bad_rows.size(), 1U);
  ASSERT_EQ(folder.rows.size(), 2U);
  const auto name_of = [&](std::size_t i) {
    return to_string(kernel_of(std::get<TimelineCaseRow>(folder.rows[i])).name);
  };
  EXPECT_EQ(name_of(0), "triton_128x128x64_s4_g8");
  EXPECT_EQ(name_of(1), "triton_128x256x64_s3_g8");
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

// The others of their shape and data say for how long the matrix units rested.
TEST(RowsOfDecomposedGemms, KnowForHowMuchOfTheirRoundTheGemmAloneWouldRun) {
  const MeasuredFolder folder =
      folder_with("dil_round",
                  "data,name,M,N_local,K,variant,pieces,median_s,inner\n"
                  "normal,g,1024,1024,4096,whole,1,2e-3,1\nnormal,g,1024,1024,4096,row8,8,3e-3,1\n"
                  "normal,g,1024,1024,4096,col64,64,15e-3,1\nA_zero,g,1024,1024,4096,row8,8,3e-3,1\n");
  ASSERT_EQ(folder.rows.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_DOUBLE_EQ(*std::get<DecomposedRow>(folder.rows[i]).round_share, 3 * 2.0 / 20);
  EXPECT_FALSE(std::get<DecomposedRow>(folder.rows[3]).round_share) << "no GEMM in one piece";
}

TEST(RowsOfSchedules, KnowForHowMuchOfTheirRoundTheGemmAloneWouldRun) {
  const std::string row = "2,normal,g,1024,1024,4096,";
  const MeasuredFolder folder =
      folder_with("schedule_round",
                  "world,data,name,M,N_local,K,op,kind,chunks,median_s,inner,speedup_over_serial,note\n" +
                      row + "serial,schedule,1,5e-3,1,1,\n" + row + "shard_p2p,schedule,1,3e-3,1,1.67,\n" +
                      row + "gemm,alone,1,2e-3,1,,\n" + row + "copy,alone,1,1e-3,1,,\n");
  ASSERT_EQ(folder.rows.size(), 4U);
  EXPECT_DOUBLE_EQ(*std::get<ScheduleRow>(folder.rows[0]).round_share, 2 * 2.0 / 8) << "of the schedules";
}

TEST(RowsOfFusedOperators, AreHeldAgainstTheirBaseline) {
  const MeasuredFolder folder = folder_with(
      "embedding",
      "gpu,world,op,T,rows_per_table,batch,pooling,indices,occupancy_pct,grid,median_s,saving_over_baseline\n"
      "NVIDIA H200,2,baseline,4,1000000,64,70,uniform,50,2112,2e-4,\n"
      "NVIDIA H200,2,fused_zero_copy_oblivious,4,1000000,64,70,uniform,50,2112,1e-4,0.5\n"
      "NVIDIA H200,1,kernel,4,20000,64,70,zipf1.05,25,1056,1e-4,\n"
      "NVIDIA H200,2,shuffle,4,20000,64,70,zipf1.05,,,1e-4,\n"
      "NVIDIA H200,1,kernel,4,20000,64,70,zipfx,25,1056,1e-4,\n");
  EXPECT_EQ(folder.bad_rows.size(), 1U);
  const MeasuredValidation validation = measured_cases(folder, Judged::all);
  ASSERT_EQ(validation.cases.size(), 4U);
  EXPECT_EQ(validation.cases[0].kind, CaseKind::embedding);
  EXPECT_EQ(validation.cases[2].kind, CaseKind::embedding_saving);
  EXPECT_DOUBLE_EQ(validation.cases[2].measured, 50);
  EXPECT_EQ(validation.cases[3].kind, CaseKind::embedding_cached);
  const auto& fused = std::get<EmbeddingRow>(validation.cases[2].row);
  EXPECT_EQ(embedding_baseline(fused).parameters.at("workgroups"), 2112U);
  EXPECT_EQ(embedding_program(std::get<EmbeddingRow>(validation.cases[3].row))->parameters.at("zipf"), 105U);
}

// The saving is of the fastest, which may be another one in ours.
TEST(RowsOfFusedOperators, SaveOverTheLibraryAtTheirBest) {
  const MeasuredFolder folder = folder_with("gemv",
                                            "gpu,world,rows,cols,op,rows_per_warp,grid,median_s\n"
                                            "NVIDIA H200,2,8192,4096,mv+nccl,,,4e-5\n"
                                            "NVIDIA H200,2,8192,4096,fused,1,660,3e-5\n"
                                            "NVIDIA H200,2,8192,4096,fused,2,512,2e-5\n");
  const MeasuredValidation validation = measured_cases(folder, Judged::all);
  ASSERT_EQ(validation.cases.size(), 4U);
  EXPECT_EQ(validation.cases[3].kind, CaseKind::gemv_saving);
  EXPECT_DOUBLE_EQ(validation.cases[3].measured, 50);
  EXPECT_EQ(std::get<GemvRow>(validation.cases[3].row).choices.size(), 2U);
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

TEST(RowsOfOverlap, GainOverTheGemmAndTheCollectiveOfTheirProblem) {
  const MeasuredFolder folder = folder_with("overlap",
                                            "tag,world,op,model,M,N,K,tp,median_s\n"
                                            "default,4,gemm,g,1024,1024,4096,4,1e-4\n"
                                            "default,4,seq,g,1024,1024,4096,4,3e-4\n"
                                            "default,4,conc,g,1024,1024,4096,4,3.2e-4\n"
                                            "default,4,fused,g,1024,1024,4096,4,2e-4\n"
                                            "default,4,fused,g,1024,1024,2048,4,2e-4\n");
  const auto efficiency = [&](std::size_t i) { return std::get<OverlapRow>(folder.rows[i]).efficiency; };
  EXPECT_FALSE(efficiency(1));
  EXPECT_NEAR(*efficiency(2), -0.1, 1e-12);
  EXPECT_NEAR(*efficiency(3), 0.5, 1e-12);
  EXPECT_FALSE(efficiency(4));  // of another K
  const auto pause_s = [&](std::size_t i) { return std::get<OverlapRow>(folder.rows[i]).gemm_pause_s; };
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(pause_s(i), 1.3e-4, 1e-12) << i;  // 9.2e-4 for four GEMMs
  EXPECT_EQ(pause_s(4), 0);
}

TEST(RowsOfOverlap, SaveOverTheAllToAllOfTheirTile) {
  const MeasuredFolder folder =
      folder_with("stores",
                  "world,op,model,M,N,K,tp,tile,median_s\n"
                  "4,seq_a2a,g,1024,1024,4096,4,128x128x64,4e-4\n4,gemm,g,1024,1024,4096,4,128x128x64,1e-4\n"
                  "4,seq_rs,g,1024,1024,4096,4,128x128x64,5e-4\n"
                  "4,fused_a2a_naive,g,1024,1024,4096,4,128x128x64,5e-4\n"
                  "4,fused_a2a_shifted,g,1024,1024,4096,4,128x128x64,3e-4\n"
                  "4,fused_a2a_shifted_then_reduce,g,1024,1024,4096,4,128x128x64,4e-4\n");
  std::map<std::string, double> shares;
  for (const MeasuredCase& c : measured_cases(folder, Judged::all).cases)
    if (in_points(c.kind)) shares[std::get<FusedRow>(c.row).op] = c.measured;
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_NEAR(shares["fused_a2a_naive"], -25, 1e-9);
  EXPECT_NEAR(shares["fused_a2a_shifted"], 25, 1e-9);
  EXPECT_NEAR(shares["fused_a2a_shifted_then_reduce"], 25, 1e-9);
}

TEST(RowsOfContention, AreGemmsInPiecesBesideTransfers) {
  ScheduleRow row;
  row.shape = {8192, 1024, 4096};
  row.chunks = 8;
  row.op = "gemms_col8_while_copy_2d_8";
  const auto strided = contention_program(row, 3).parameters;
  EXPECT_EQ(strided.at("along_k"), 1U);
  EXPECT_EQ(strided.at("pieces"), 8U);
  EXPECT_EQ(strided.at("chunks"), 8U);
  EXPECT_EQ(strided.at("strided"), 1U);
  EXPECT_EQ(strided.at("transfers"), 3U);
  row.op = "gemms_row8_while_nccl_all_gather";
  const auto library = contention_program(row, 0).parameters;
  EXPECT_EQ(library.at("along_k"), 0U);
  EXPECT_EQ(library.at("library"), 1U);
  EXPECT_EQ(library.at("chunks"), 1U);
  expect_to_load(contention_program(row, 2), 2);
}

MeasuredCase gathered(const std::string& op, double measured, double ours) {
  GatherGemmRow row;
  row.op = op;
  row.world = 2;
  row.shape = {1024, 1280, 8192};
  MeasuredCase c;
  c.kind = CaseKind::ag_gemm;
  c.id = op;
  c.measured = measured;
  c.ours = ours;
  c.row = row;
  return c;
}

TEST(PairsOfRivals, AreOfMethodsThatDifferByMoreThanADraw) {
  const auto pairs =
      measured_pairs({gathered("nccl_then_cublas", 100, 100), gathered("fused_pull", 90, 101),
                      gathered("fused_push_write_value", 80, 90), gathered("triton_gemm", 50, 50),
                      gathered("torch_fused_all_gather_matmul", 99, 80)});
  ASSERT_EQ(pairs.size(), 4U);  // not: fused and fused; one after the other and medium-grained, a draw
  EXPECT_EQ(pairs[0].faster, "fused_pull");
  EXPECT_FALSE(pairs[0].right());
  EXPECT_EQ(pairs[1].faster, "fused_push_write_value");
  EXPECT_TRUE(pairs[1].right());
}

TEST(PairsOfRivals, AreOfOneMachine) {
  MeasuredCase other = gathered("fused_pull", 90, 101);
  other.machine = "another GPU";
  EXPECT_EQ(measured_pairs({gathered("nccl_then_cublas", 100, 100), other}).size(), 0U);
}

TEST(RowsOfRivals, NeedNoColumnThatIsNotDocumented) {
  const MeasuredFolder folder =
      folder_with("documented",
                  "gpu,world,name,M,N_local,K,op,comm_rows,chunks,tile,median_s,overlap_eff_vs_nccl_seq\n"
                  "NVIDIA H200,2,x,1024,1280,8192,fused_pull,256,4,128x256x64x8x3,1e-4,0.5\n");
  EXPECT_EQ(folder.bad_rows.size(), 0U);
  ASSERT_EQ(folder.rows.size(), 1U);
  EXPECT_EQ(std::get<GatherGemmRow>(folder.rows[0]).calls, 0U);
}

// A value may have been chosen on a row's time: then what was worked out of that time is not judged, either.
TEST(RowsOfRivals, AreInOneHalfWithWhatIsWorkedOutOfThem) {
  std::map<std::string, std::set<bool>> halves;  // by line
  std::size_t worked_out = 0;
  for (const MeasuredCase& c : measured_cases(read_measured_folder(shipped()), Judged::half).cases) {
    halves[c.place().file + std::to_string(c.place().line)].insert(c.calibration);
    worked_out += !c.reading.empty();
  }
  EXPECT_GT(worked_out, 80U);
  for (const auto& [line, of] : halves) EXPECT_EQ(of.size(), 1U) << line;
}

// Rows of schedules have speed-ups: the larger one is the faster, also than one after the other, which has none.
TEST(PairsOfRivals, OfSchedulesGoByTheirSpeedUps) {
  std::vector<MeasuredCase> cases;
  for (const auto& [op, measured, ours] :
       {std::tuple{"shard_p2p", 1.5, 1.1}, {"uniform_fused_1d", 1.2, 1.0}}) {
    ScheduleRow row;
    row.op = op;
    row.world = 2;
    row.kind = "schedule";
    row.speed_up = measured;
    MeasuredCase c = gathered(op, measured, ours);
    c.kind = CaseKind::ficco_schedules;
    c.row = row;
    cases.push_back(c);
  }
  const auto pairs = measured_pairs(cases);
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(pairs[0].faster, "shard_p2p");
  EXPECT_NEAR(pairs[0].measured_ratio, 1.25, 1e-12);
  EXPECT_TRUE(pairs[0].right());
  for (const std::size_t serial : {1U, 2U}) EXPECT_TRUE(pairs[serial].slower.starts_with("serial world 2"));
  EXPECT_NEAR(pairs[1].measured_ratio, 1.5, 1e-12);
  EXPECT_TRUE(pairs[1].right());
  EXPECT_FALSE(pairs[2].right()) << "ours says a draw, which is not faster";
}

}  // namespace
}  // namespace t3sim
