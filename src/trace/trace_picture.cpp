#include "trace/trace_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/number.h"

namespace t3sim {
namespace {

constexpr std::size_t kWidth = 72;
constexpr std::size_t kMaxRows = 32;

char sign_of(std::uint32_t stage) {
  constexpr std::string_view kSigns = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return stage == kNoStage ? '.' : kSigns[stage % kSigns.size()];
}

std::size_t column_of(double at_ns, double end_ns) {
  if (end_ns <= 0) return 0;
  return std::min(static_cast<std::size_t>(at_ns / end_ns * kWidth), kWidth - 1);
}

std::string bar(const StageSummary& stage, double end_ns) {
  std::string text(kWidth, ' ');
  const std::size_t begin = column_of(stage.begin_ns, end_ns),
                    store = column_of(stage.first_store_ns, end_ns), end = column_of(stage.end_ns, end_ns);
  for (std::size_t i = begin; i <= end; ++i) text[i] = i >= store && stage.store_bytes > 0 ? '=' : '#';
  return text;
}

// Stages [first, end) as one.
StageSummary merged(const std::vector<StageSummary>& stages, std::size_t first, std::size_t end) {
  StageSummary all = stages[first];
  for (std::size_t i = first + 1; i < end; ++i) {
    all.tiles += stages[i].tiles;
    all.load_bytes += stages[i].load_bytes;
    all.store_bytes += stages[i].store_bytes;
    all.begin_ns = std::min(all.begin_ns, stages[i].begin_ns);
    all.first_store_ns = std::min(all.first_store_ns, stages[i].first_store_ns);
    all.end_ns = std::max(all.end_ns, stages[i].end_ns);
  }
  return all;
}

std::string row_name(std::size_t first, std::size_t end) {
  return end - first == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, end - 1);
}

}  // namespace

std::string picture_of_stages(const TraceSummary& summary) {
  const std::size_t count = summary.stages.size();
  const std::size_t per_row = (count + kMaxRows - 1) / kMaxRows;
  const double end_ns = summary.end_ns();
  std::string text = fmt::format("{:>9} {:>6} {:>9} {:>9}  0{:>{}.1f} us\n", "stage", "tiles", "load MB",
                                 "store MB", end_ns / 1000, kWidth - 1);
  for (std::size_t first = 0; first < count; first += per_row) {
    const std::size_t end = std::min(first + per_row, count);
    const StageSummary stage = merged(summary.stages, first, end);
    text += fmt::format("{:>9} {:>6} {:>9.2f} {:>9.2f} |{}|\n", row_name(first, end), stage.tiles,
                        real(stage.load_bytes) / 1e6, real(stage.store_bytes) / 1e6, bar(stage, end_ns));
  }
  return text;
}

std::string picture_of_tiles(const TraceSummary& summary, const TileGrid& grid) {
  if (summary.stage_of_tile.empty()) return "";
  const auto row_step = narrow<std::uint32_t>((grid.tile_rows() + kMaxRows - 1) / kMaxRows);
  const auto col_step = narrow<std::uint32_t>((grid.tile_cols() + kWidth - 1) / kWidth);
  std::string text =
      fmt::format("{} x {} tiles, M downwards, N to the right", grid.tile_rows(), grid.tile_cols());
  if (row_step > 1 || col_step > 1) text += fmt::format("; a sign is {} x {} tiles", row_step, col_step);
  text += "\n";
  for (std::uint32_t row = 0; row < grid.tile_rows(); row += row_step) {
    text += "  ";
    for (std::uint32_t col = 0; col < grid.tile_cols(); col += col_step)
      text += sign_of(summary.stage_of_tile[grid.index(row, col)]);
    text += "\n";
  }
  return text;
}

}  // namespace t3sim
