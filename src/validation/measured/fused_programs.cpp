#include "validation/measured/rival_programs.h"

namespace t3sim {
namespace {

RowProgram embedding(const EmbeddingRow& row, const std::string& name,
                     std::map<std::string, std::uint64_t> parameters) {
  parameters["tables"] = row.tables;
  parameters["rows"] = row.rows;
  parameters["batch"] = row.batch;
  parameters["pooling"] = row.pooling;
  parameters["zipf"] = row.zipf;
  if (row.workgroups != 0) parameters["workgroups"] = row.workgroups;
  return {name, std::move(parameters), {}};
}

RowProgram gemv(const GemvRow& row, const std::string& name,
                std::map<std::string, std::uint64_t> parameters) {
  parameters["m"] = row.m;
  parameters["k"] = row.k;
  if (row.choice.workgroups != 0) {  // the library's kernel: a workgroup for each tile, two rows a wavefront
    parameters["rows_per_wavefront"] = row.choice.rows_per_wavefront;
    parameters["workgroups"] = row.choice.workgroups;
  }
  return {name, std::move(parameters), {}};
}

}  // namespace

std::optional<RowProgram> embedding_program(const EmbeddingRow& row) {
  const std::string kUnfused = "embedding-then-all-to-all", kFused = "embedding-all-to-all";
  const bool alone = row.op.starts_with("kernel");
  const std::uint64_t per_table = row.op.ends_with("_per_table") ? 1 : 0;
  if (row.op == "kernel" || row.op == "kernel_a_block_a_vector" || row.op == "kernel_per_table" ||
      row.op == "baseline" || row.op == "baseline_per_table") {
    if (!alone) return embedding(row, kUnfused, {{"per_table", per_table}});
    return embedding(row, kUnfused, {{"per_table", per_table}, {"exchange", 0}, {"gpus_at_work", 1}});
  }
  if (row.op.starts_with("fused_zero_copy_oblivious")) return embedding(row, kFused, {{"remote_first", 0}});
  if (row.op.starts_with("fused_zero_copy_remote_first"))
    return embedding(row, kFused, {{"remote_first", 1}});
  return std::nullopt;
}

RowProgram embedding_baseline(const EmbeddingRow& row) {
  EmbeddingRow baseline = row;
  baseline.op = "baseline";
  baseline.workgroups = row.baseline_workgroups;
  return *embedding_program(baseline);
}

std::optional<RowProgram> gemv_program(const GemvRow& row) {
  const std::string kUnfused = "gemv-then-all-reduce", kFused = "gemv-all-reduce";
  if (row.op == "mv" || row.op == "own") return gemv(row, kUnfused, {{"reduce", 0}, {"gpus_at_work", 1}});
  if (row.op == "mv+nccl" || row.op == "own+nccl") return gemv(row, kUnfused, {});
  if (row.op == "all_reduce_nccl") return gemv(row, kUnfused, {{"gemv", 0}});
  if (row.op == "fused") return gemv(row, kFused, {{"flag_each_tile", 1}});
  if (row.op == "fused_ll") return gemv(row, kFused, {{"low_latency", 1}});
  return std::nullopt;
}

RowProgram gemv_baseline(const GemvRow& row) {
  GemvRow baseline = row;
  baseline.op = "mv+nccl";
  baseline.choice = {};
  return *gemv_program(baseline);
}

}  // namespace t3sim
