// Rows of measurements, as the tables of validation/measured/README.md have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernel/gemm.h"

namespace t3sim {

struct RowPlace {
  std::string file;
  std::uint64_t line = 0;
  std::string gpu;  // empty: the table does not say
};

// FP16, accumulated in FP32.
inline double flops(const GemmShape& s) { return 2.0 * s.m * s.n * s.k; }
inline double output_bytes(const GemmShape& s) { return 2.0 * s.m * s.n; }

// tag,world,op,bytes,median_s
struct CollectiveRow {
  static constexpr std::string_view kSeconds = "median_s";  // the column of `seconds`
  RowPlace place;
  std::string tag, op;
  std::uint32_t world = 0;
  std::uint64_t bytes = 0;  // the full array on each GPU
  double seconds = 0;
};

// gpu,model,sub,tp,M,N,K,layout,cold_median_s,warm_mean_s, and perhaps rest_s
struct GemmTimeRow {
  static constexpr double kFlushBytes = 256e6;  // written between two cold calls
  // From the rest on, each with 3 to warm up: 15 cold calls, then 3 times 20 warm ones (validation/measure/gemm.py).
  static constexpr std::uint32_t kColdCalls = 18, kWarmCalls = kColdCalls + 63;
  RowPlace place;
  std::string model, sub, layout;
  std::uint32_t tp = 0;
  GemmShape shape;
  double cold_s = 0, warm_s = 0;
  double rest_s = 0;  // of the GPU, before the row was read; 0: none that is known of
};

// model,sub,tp,M,N,K,layout,kernel,tile,tile_k,grid,duration_ns,dram_read_bytes,l2_read_bytes
struct GemmTrafficRow {
  RowPlace place;
  std::string model, sub, layout, kernel;
  std::uint32_t tp = 0;
  GemmShape shape;
  std::uint32_t tile_m = 0, tile_n = 0, tile_k = 0, grid = 0;
  double duration_ns = 0, dram_read = 0, l2_read = 0;
};

// tag,world,op,model,M,N,K,tp,median_s: a GEMM and a reduce-scatter, op gemm, rs, seq, conc or fused.
struct OverlapRow {
  static constexpr std::string_view kSeconds = "median_s";  // the column of `seconds`
  RowPlace place;
  std::string tag, op, model;
  std::uint32_t world = 0, tp = 0;
  GemmShape shape;
  double seconds = 0;
  std::optional<double> efficiency;  // of conc and fused: 1 - (t - gemm) / (seq - gemm)
  // Of the round in which the operations of a problem were timed one after the other: for how long, per GEMM, none ran.
  double gemm_pause_s = 0;
};

// world,op,model,M,N,K,tp,tile,median_s: a GEMM whose epilogue writes to the owner of the tile.
struct FusedRow {
  static constexpr std::string_view kSeconds = "median_s";  // the column of `seconds`
  RowPlace place;
  std::string op, model;
  std::uint32_t world = 0, tp = 0;
  GemmShape shape;
  std::uint32_t tile_m = 0, tile_n = 0, tile_k = 0;
  double seconds = 0;
  std::optional<double> efficiency;  // of stores and a local sum: 1 - (t - gemm) / (seq_rs - gemm)
  std::optional<double> saving;      // of stores alone: 1 - t / seq_a2a
  double gemm_pause_s = 0;           // as OverlapRow's
};

// gpu,case,M,N,K,BM,BN,BK,group_m,warps,stages,kernel_median_s, and perhaps rest_s
struct TimelineCaseRow {
  static constexpr std::string_view kSeconds = "kernel_median_s";  // the column of `seconds`
  static constexpr std::uint32_t kCalls = 18;                      // from the rest on
  RowPlace place;
  std::string name;
  GemmShape shape;
  std::uint32_t tile_m = 0, tile_n = 0, tile_k = 0;
  std::uint32_t stages = 0;  // K steps in flight
  double seconds = 0;
  double rest_s = 0;  // as in GemmTimeRow
};

// world,kind,model,M,N,K,comm_bytes,gemm_alone_s,gemm_shared_s,comm_alone_s,comm_shared_s
struct InterferenceRow {
  RowPlace place;
  std::string kind, model;
  std::uint32_t world = 0;
  GemmShape shape;
  std::uint64_t comm_bytes = 0;
  double gemm_alone_s = 0, gemm_shared_s = 0, comm_alone_s = 0, comm_shared_s = 0;
};

// test,a,b,bytes,median_s: copy-engine transfers.
struct CopyRow {
  static constexpr std::string_view kSeconds = "median_s";  // the column of `seconds`
  RowPlace place;
  std::string test;
  std::uint64_t bytes = 0;
  double seconds = 0;
};

// gpu,world,test,direction,ways,bytes_per_call,pitch_bytes,width_bytes,height,median_s: copies in a row between two
// GPUs, `direction` as the GPU whose engine it is sees it. Not 2D: no pitch, width and height.
struct PeerCopyRow {
  static constexpr std::string_view kSeconds = "median_s";  // the column of `seconds`
  RowPlace place;
  std::string test, direction;
  std::uint32_t ways = 1;   // 2: both GPUs copy at once
  std::uint64_t moved = 0;  // bytes of one copy
  std::uint64_t pitch = 0, width = 0, height = 0;
  double seconds = 0;
};

struct TritonKernel {
  std::uint32_t tile_m = 128, tile_n = 128, tile_k = 64, warps = 8, stages = 4;
};

// gpu,world,name,M,N_local,K,op,comm_rows,chunks,tile,median_s,overlap_eff_vs_nccl_seq: A's rows are gathered while a
// Triton GEMM waits for them, and what that is held against.
struct GatherGemmRow {
  static constexpr std::string_view kSeconds = "median_s";
  RowPlace place;
  std::string name, op;
  std::uint32_t world = 0;
  GemmShape shape;              // n: of a GPU
  std::uint32_t comm_rows = 0;  // that are copied at a time
  std::optional<TritonKernel> kernel;
  std::uint32_t calls = 1;  // in a row between two rests; 0: on and on
  double seconds = 0;
  std::optional<double> efficiency;  // 1 - (t - gemm) / (sequential - gemm)
};

// gpu,device,data,name,M,N_local,K,variant,pieces,median_s: a GEMM in pieces, one after the other on one GPU.
struct DecomposedRow {
  static constexpr std::string_view kSeconds = "median_s";
  RowPlace place;
  std::string name, variant;
  GemmShape shape;
  bool zeros = false;  // A is: far less power
  std::uint32_t pieces = 1;
  std::uint32_t calls = 1;  // in a row between two rests; 0: on and on
  double seconds = 0;
  double whole_s = 0;  // of the GEMM in one piece; 0: there is no such row
  // Of the round in which the series of a shape, GPU and data were timed in turn: for how much of it the GEMM in one piece would have run.
  std::optional<double> round_share;
};

// gpu,world,data,name,M,N_local,K,op,kind,chunks,median_s,speedup_over_serial,note: FiCCO's schedules, and what runs beside
// what.
struct ScheduleRow {
  static constexpr std::string_view kSeconds = "median_s";
  RowPlace place;
  std::string name, op, kind;
  std::uint32_t world = 0;
  GemmShape shape;
  bool zeros = false;
  std::uint32_t chunks = 1;
  std::uint32_t calls = 1;  // in a row between two rests; 0: on and on
  double seconds = 0;
  std::optional<double> speed_up, slow_down;
  std::optional<double> round_share;  // as DecomposedRow's, of the schedules of a shape
};

// gpu,world,op,T,rows_per_table,batch,pooling,indices,occupancy_pct,grid,median_s,saving_over_baseline: embedding bags of
// 256 FP32, alone, before a library's all-to-all and a shuffle, or stored straight to the owners.
struct EmbeddingRow {
  static constexpr std::string_view kSeconds = "median_s";
  RowPlace place;
  std::string op;
  std::uint32_t world = 0;
  std::uint32_t tables = 0, rows = 0, batch = 0,
                pooling = 0;     // a GPU's tables, of so many rows; all GPUs' samples
  std::uint32_t zipf = 0;        // 100 times the exponent; 0: uniform
  std::uint32_t workgroups = 0;  // 0: not said
  double occupancy = 0, seconds = 0;
  std::optional<double> saving;  // 1 - time / baseline's, at the same occupancy
  std::uint32_t baseline_workgroups = 0;
};

struct GemvChoice {
  std::uint32_t rows_per_wavefront = 0, workgroups = 0;
};

// gpu,world,rows,cols,op,rows_per_warp,grid,median_s: a GEMV whose partial sums all GPUs add up.
struct GemvRow {
  static constexpr std::string_view kSeconds = "median_s";
  RowPlace place;
  std::string op;
  std::uint32_t world = 0, m = 0, k = 0;
  GemvChoice choice;  // of our kernel; a library's: none
  double seconds = 0;
  // Of the fastest row of its operation and shape: its saving over mv+nccl, and all that it was the fastest of.
  std::optional<double> saving;
  std::vector<GemvChoice> choices;
};

using MeasuredRow = std::variant<EmbeddingRow, GemvRow, GatherGemmRow, DecomposedRow, ScheduleRow,
                                 CollectiveRow, GemmTimeRow, GemmTrafficRow, OverlapRow, FusedRow,
                                 TimelineCaseRow, InterferenceRow, CopyRow, PeerCopyRow>;

}  // namespace t3sim
