#include "trace/import/timeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/csv.h"
#include "base/error.h"
#include "base/number.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kMaxTimeNs = 1'000'000'000'000;  // a kernel of a quarter of an hour
constexpr std::uint64_t kMaxTiles = 1 << 24;

// Columns of a timeline.
struct Columns {
  explicit Columns(const CsvTable& t)
      : name(t.column("case")),
        workgroup(t.column("wg")),
        row(t.column("tile_m")),
        col(t.column("tile_n")),
        cu(t.column("cu")),
        start(t.column("start_ns")),
        mainloop_end(t.column("mainloop_end_ns")),
        end(t.column("end_ns")) {}
  std::size_t name, workgroup, row, col, cu, start, mainloop_end, end;
};

std::uint32_t small_number(const CsvTable& table, std::size_t column) {
  const std::uint64_t value = table.number(column);
  if (value >= kMaxTiles) table.fail(fmt::format("{} is too large", value));
  return narrow<std::uint32_t>(value);
}

TimedTile read_tile(const CsvTable& table, const Columns& at) {
  const TimedTile tile{small_number(table, at.row), small_number(table, at.col),   small_number(table, at.cu),
                       table.number(at.start),      table.number(at.mainloop_end), table.number(at.end)};
  if (tile.start_ns > tile.mainloop_end_ns || tile.mainloop_end_ns > tile.end_ns || tile.end_ns > kMaxTimeNs)
    table.fail("start, end of main loop and end are not in order");
  return tile;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::uint64_t Timeline::end_ns() const {
  std::uint64_t end = 0;
  for (const TimedTile& tile : tiles) end = std::max(end, tile.end_ns);
  return end;
}

std::uint32_t Timeline::workgroups_per_cu() const {
  // (cu, time) -> workgroups that start there, less those that end.
  std::map<std::pair<std::uint32_t, std::uint64_t>, int> changes;
  for (const TimedTile& tile : tiles) {
    ++changes[{tile.cu, tile.start_ns}];
    --changes[{tile.cu, tile.end_ns}];
  }
  int running = 0, most = 1;
  for (const auto& [place, change] : changes) most = std::max(most, running += change);
  return narrow<std::uint32_t>(most);
}

std::vector<std::string> timeline_cases(const std::filesystem::path& path) {
  CsvTable table(path);
  const std::size_t column = table.column("case");
  std::vector<std::string> names;
  while (table.next_row())
    if (std::find(names.rbegin(), names.rend(), table.text(column)) == names.rend())
      names.emplace_back(table.text(column));
  return names;
}

Timeline read_timeline(const std::filesystem::path& path, const std::string& case_name) {
  CsvTable table(path);
  const Columns at(table);
  Timeline timeline{case_name, {}};
  std::vector<std::pair<std::uint32_t, TimedTile>> rows;
  while (table.next_row()) {
    if (timeline.case_name.empty()) timeline.case_name = table.text(at.name);
    if (table.text(at.name) != timeline.case_name) {
      if (!case_name.empty()) continue;
      throw InputError(
          fmt::format("{}: it has several cases, name one: {}", path.string(), joined(timeline_cases(path))));
    }
    rows.emplace_back(small_number(table, at.workgroup), read_tile(table, at));
    if (rows.size() > kMaxTiles) table.fail("more than 2^24 tiles");
  }
  const std::vector<std::string> cases = rows.empty() ? timeline_cases(path) : std::vector<std::string>();
  if (rows.empty() && cases.empty()) throw InputError(path.string() + ": has no rows");
  if (rows.empty())
    throw InputError(
        fmt::format("{}: there is no case '{}'; there are: {}", path.string(), case_name, joined(cases)));
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [workgroup, tile] : rows) timeline.tiles.push_back(tile);
  return timeline;
}

GemmSpec read_timeline_gemm(const std::filesystem::path& path, const std::string& case_name) {
  CsvTable table(path);
  const std::size_t name = table.column("case");
  while (table.next_row()) {
    if (table.text(name) != case_name) continue;
    const auto value = [&](std::string_view column) { return small_number(table, table.column(column)); };
    GemmSpec spec;
    spec.shape = {value("M"), value("N"), value("K")};
    spec.tile = {value("BM"), value("BN"), value("BK")};
    spec.layout = GemmLayout::tt;
    spec.wavefronts = value("warps");
    spec.buffers = value("stages");
    spec.order = {.kind = OrderKind::grouped, .group = value("group_m")};
    return spec;
  }
  throw InputError(fmt::format("{}: there is no case '{}'", path.string(), case_name));
}

}  // namespace t3sim
