#include "validation/measured/rival_programs.h"

#include <fmt/format.h>

#include "kernel/library_kernel.h"

namespace t3sim {
namespace {

// PyTorch's own and cuBLAS's rows have no Triton kernel, whatever the shape's other rows have.
std::string kernel_of(const GatherGemmRow& row) {
  if (!row.kernel) return {};
  LibraryKernelName name;
  name.library = KernelLibrary::triton;
  name.tile = {row.kernel->tile_m, row.kernel->tile_n, row.kernel->tile_k};
  name.buffers = row.kernel->stages;
  return to_string(name);
}

RowProgram gather_gemm(const GatherGemmRow& row, const std::string& name,
                       std::map<std::string, std::uint64_t> parameters) {
  parameters["m"] = row.shape.m;
  parameters["n"] = row.shape.n;
  parameters["k"] = row.shape.k;
  return {name, std::move(parameters), kernel_of(row)};
}

}  // namespace

RowProgram overlap_program(const OverlapRow& row, const LibraryGemm& kernel) {
  RowProgram program{"pipelined-gemm-reduce-scatter", {}, {}};
  program.parameters = {{"m", row.shape.m}, {"n", row.shape.n}, {"k", row.shape.k}};
  if (row.op == "conc") {
    program.name = "two-streams-gemm-reduce-scatter";
    program.kernel = to_string(kernel.name);
  }
  return program;
}

RowProgram owner_sum_program(const FusedRow& row, const LibraryGemm& kernel) {
  RowProgram program{"gemm-reduce-scatter", {}, to_string(kernel.name)};
  program.parameters = {{"m", row.shape.m},
                        {"n", row.shape.n},
                        {"k", row.shape.k},
                        {"shift", row.op.starts_with("fused_a2a_shifted") ? 1U : 0U}};
  return program;
}

RowProgram gemm_alone(const GatherGemmRow& row) {
  return gather_gemm(row, "gather-then-gemm", {{"gather", 0}});
}

RowProgram library_then_gemm(const GatherGemmRow& row) {
  return gather_gemm(row, "gather-then-gemm", {{"library", 1}});
}

std::optional<RowProgram> gather_gemm_program(const GatherGemmRow& row) {
  const std::string& op = row.op;
  if (op == "triton_gemm" || op == "cublas_gemm") return gemm_alone(row);
  if (op == "nccl_all_gather") return gather_gemm(row, "gather-then-gemm", {{"library", 1}, {"gemm", 0}});
  if (op == "copy_all_gather") return gather_gemm(row, "gather-then-gemm", {{"gemm", 0}, {"barrier", 0}});
  if (op == "nccl_then_triton" || op == "nccl_then_cublas") return library_then_gemm(row);
  if (op == "copy_then_triton" || op == "copy_then_cublas")
    return gather_gemm(row, "gather-then-gemm", {{"barrier", 0}});
  if (op == "torch_fused_all_gather_matmul") return gather_gemm(row, "pipelined-all-gather-gemm", {});
  const std::uint64_t barrier = op.ends_with("_no_barrier") ? 0 : 1;
  if (op.starts_with("fused_pull"))
    return gather_gemm(row, "all-gather-gemm", {{"rows", row.comm_rows}, {"barrier", barrier}});
  if (op.starts_with("fused_push_write_value"))
    return gather_gemm(row, "all-gather-gemm-push", {{"rows", row.comm_rows}, {"barrier", barrier}});
  return std::nullopt;
}

std::optional<RowProgram> schedule_program(const ScheduleRow& row) {
  RowProgram program;
  program.parameters = {{"m", row.shape.m}, {"n", row.shape.n}, {"k", row.shape.k}};
  const bool whole = row.op == "serial" || row.op == "shard_p2p";
  if (!whole) program.parameters["chunks"] = row.chunks;
  if (row.op == "serial") program.name = "ficco-serial";
  if (row.op == "shard_p2p") program.name = "ficco-shard-p2p";
  if (row.op == "hetero_unfused_1d") program.name = "ficco-hetero-unfused-1d";
  if (row.op == "uniform_fused_1d") program.name = "ficco-uniform-fused-1d";
  if (row.op == "uniform_fused_2d") program.name = "ficco-uniform-fused-2d";
  if (row.op == "hetero_fused_1d") {  // of one peer: two neighbouring chunks a GEMM, nothing is gathered
    program.name = "ficco-hetero-unfused-1d";
    program.parameters["together"] = 2;
  }
  if (program.name.empty()) return std::nullopt;
  return program;
}

RowProgram contention_program(const ScheduleRow& row, std::uint64_t transfers) {
  RowProgram program{"gemms-beside-transfers", {}, {}};
  program.parameters = {{"m", row.shape.m}, {"n", row.shape.n}, {"k", row.shape.k}, {"transfers", transfers}};
  const bool columns = row.op.starts_with("gemms_col"), strided = row.op.find("copy_2d") != row.op.npos;
  program.parameters["pieces"] = row.chunks;
  program.parameters["along_k"] = columns ? 1 : 0;
  program.parameters["library"] = row.op.ends_with("nccl_all_gather") ? 1 : 0;
  program.parameters["chunks"] = strided || row.op.find("copy_1d") != row.op.npos ? row.chunks : 1;
  program.parameters["strided"] = strided ? 1 : 0;
  return program;
}

RowProgram whole_gemm_program(const GemmShape& shape) {
  DecomposedRow row;
  row.variant = "whole";
  row.shape = shape;
  return decomposed_program(row);
}

RowProgram decomposed_program(const DecomposedRow& row) {
  const bool along_k = row.variant.starts_with("col");
  RowProgram program{"decomposed-gemm", {}, {}};
  program.parameters = {{"m", row.shape.m}, {"n", row.shape.n}, {"k", row.shape.k}, {"pieces", row.pieces}};
  program.parameters["along_k"] = along_k ? 1 : 0;
  program.parameters["first_adds"] = along_k && !row.variant.ends_with("first_beta0") ? 1 : 0;
  return program;
}

}  // namespace t3sim
