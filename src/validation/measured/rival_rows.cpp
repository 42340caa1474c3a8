#include "validation/measured/rival_rows.h"

#include <algorithm>
#include <map>

namespace t3sim {
namespace {

constexpr std::uint64_t kMostLength = 1 << 24;

std::uint32_t length(const CsvRow& row, const char* column) {
  return static_cast<std::uint32_t>(row.whole(column, 1, kMostLength));
}

GemmShape shape_of(const CsvRow& row) { return {length(row, "M"), length(row, "N_local"), length(row, "K")}; }

// Not said: it was repeated for as long as what it was measured beside.
std::uint32_t calls_of(const CsvRow& row) {
  return !row.has("inner") || row.text("inner").empty() ? 0 : length(row, "inner");
}

bool zeros(const CsvRow& row) {
  const std::string data = row.text("data");
  if (data != "normal" && data != "A_zero") row.fail("data: '" + data + "' is neither normal nor A_zero");
  return data == "A_zero";
}

// 128x256x64x8x4: tile, warps, K steps in flight.
TritonKernel triton_of(const CsvRow& row) {
  TritonKernel kernel;
  std::string text = row.text("tile");
  std::uint32_t* const parts[] = {&kernel.tile_m, &kernel.tile_n, &kernel.tile_k, &kernel.warps,
                                  &kernel.stages};
  for (std::uint32_t* part : parts) {
    const std::size_t end = std::min(text.find('x'), text.size());
    *part = static_cast<std::uint32_t>(row.whole_of("tile", text.substr(0, end), 1, 4096));
    text.erase(0, end + 1);
  }
  return kernel;
}

}  // namespace

MeasuredRow read_gather_gemm(const CsvRow& row) {
  GatherGemmRow r;
  r.place = row.place();
  r.world = static_cast<std::uint32_t>(row.whole("world", 2, 255));
  r.name = row.text("name");
  r.shape = shape_of(row);
  r.op = row.text("op");
  if (!row.text("comm_rows").empty()) r.comm_rows = length(row, "comm_rows");
  if (!row.text("tile").empty()) r.kernel = triton_of(row);
  r.calls = calls_of(row);
  r.seconds = row.seconds(GatherGemmRow::kSeconds);
  const std::string efficiency = row.text("overlap_eff_vs_nccl_seq");
  if (!efficiency.empty()) r.efficiency = row.number("overlap_eff_vs_nccl_seq");
  return r;
}

MeasuredRow read_decomposed(const CsvRow& row) {
  DecomposedRow r;
  r.place = row.place();
  r.name = row.text("name");
  r.shape = shape_of(row);
  r.zeros = zeros(row);
  r.variant = row.text("variant");
  r.pieces = static_cast<std::uint32_t>(row.whole("pieces", 1, 4096));
  r.calls = calls_of(row);
  r.seconds = row.seconds(DecomposedRow::kSeconds);
  return r;
}

MeasuredRow read_schedule(const CsvRow& row) {
  ScheduleRow r;
  r.place = row.place();
  r.world = static_cast<std::uint32_t>(row.whole("world", 2, 255));
  r.name = row.text("name");
  r.shape = shape_of(row);
  r.zeros = zeros(row);
  r.op = row.text("op");
  r.kind = row.text("kind");
  r.chunks = static_cast<std::uint32_t>(row.whole("chunks", 1, 4096));
  r.calls = calls_of(row);
  r.seconds = row.seconds(ScheduleRow::kSeconds);
  if (!row.text("speedup_over_serial").empty()) r.speed_up = row.positive("speedup_over_serial");
  constexpr std::string_view kSlowDown = "slowdown ";
  const std::string note = row.text("note");
  if (note.starts_with(kSlowDown))
    r.slow_down = row.number_of("note", std::string_view(note).substr(kSlowDown.size()));
  return r;
}

namespace {

// Rows that were timed in turn.
struct Round {
  unsigned rows = 0;
  double seconds = 0;  // of all
  double gemm_s = 0;   // of the GEMM in one piece, alone; 0: not timed

  std::optional<double> share() const {
    if (gemm_s == 0 || seconds == 0) return std::nullopt;
    return std::min(1.0, rows * gemm_s / seconds);
  }
};

template <class Row>
std::string round_of(const Row& r) {
  return fmt::format("{} {} {} {} {}", r.place.gpu, r.zeros, r.shape.m, r.shape.n, r.shape.k);
}

}  // namespace

void join_decomposed(std::vector<MeasuredRow>& rows) {
  std::map<std::string, Round> rounds;
  for (const MeasuredRow& row : rows)
    if (const auto* r = std::get_if<DecomposedRow>(&row)) {
      Round& round = rounds[round_of(*r)];
      ++round.rows;
      round.seconds += r->seconds;
      if (r->variant == "whole") round.gemm_s = r->seconds;
    }
  for (MeasuredRow& row : rows)
    if (auto* r = std::get_if<DecomposedRow>(&row)) {
      const Round& round = rounds[round_of(*r)];
      r->whole_s = round.gemm_s;
      r->round_share = round.share();
    }
}

void join_schedules(std::vector<MeasuredRow>& rows) {
  const auto key = [](const ScheduleRow& r) { return fmt::format("{} {}", r.world, round_of(r)); };
  std::map<std::string, Round> rounds;
  for (const MeasuredRow& row : rows)
    if (const auto* r = std::get_if<ScheduleRow>(&row)) {
      Round& round = rounds[key(*r)];
      if (r->kind == "alone" && r->op == "gemm") round.gemm_s = r->seconds;
      if (r->kind != "schedule") continue;
      ++round.rows;
      round.seconds += r->seconds;
    }
  for (MeasuredRow& row : rows)
    if (auto* r = std::get_if<ScheduleRow>(&row)) r->round_share = rounds[key(*r)].share();
}

}  // namespace t3sim
