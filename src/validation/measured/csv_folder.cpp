#include "validation/measured/csv_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "base/error.h"
#include "validation/measured/csv_row.h"
#include "validation/measured/rival_rows.h"

namespace t3sim {
namespace {

namespace fs = std::filesystem;

// Tiles are written 256x128 or 128x128x64.
void read_tile(const CsvRow& row, std::string_view text, std::span<std::uint32_t*> lengths) {
  std::size_t i = 0;
  while (i < lengths.size()) {
    const std::size_t end = text.find('x');
    *lengths[i++] = static_cast<std::uint32_t>(row.whole_of("tile", text.substr(0, end), 1, 4096));
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  if (i != lengths.size())
    row.fail(fmt::format("tile: '{}' is not {} lengths joined by x", row.text("tile"), lengths.size()));
}

std::uint32_t read_length(const CsvRow& row, const char* column, std::uint64_t max) {
  return static_cast<std::uint32_t>(row.whole(column, 1, max));
}

GemmShape read_shape(const CsvRow& row) {
  const auto length = [&](const char* column) { return read_length(row, column, 1 << 24); };
  return {length("M"), length("N"), length("K")};
}

std::string read_layout(const CsvRow& row) {
  const std::string layout = row.text("layout");
  if (layout != "NN" && layout != "NT" && layout != "TN" && layout != "TT")
    row.fail(fmt::format("layout: '{}' is none of NN, NT, TN, TT", layout));
  return layout;
}

// The fields that have the same name and meaning in every table that has them.
template <class Row>
Row read_common(const CsvRow& row) {
  Row r;
  r.place = row.place();
  if constexpr (requires { r.tag; }) r.tag = row.text("tag");
  if constexpr (requires { r.op; }) r.op = row.text("op");
  if constexpr (requires { r.kind; }) r.kind = row.text("kind");
  if constexpr (requires { r.test; }) r.test = row.text("test");
  if constexpr (requires { r.model; }) r.model = row.text("model");
  if constexpr (requires { r.sub; }) r.sub = row.text("sub");
  if constexpr (requires { r.world; }) r.world = static_cast<std::uint32_t>(row.whole("world", 2, 255));
  if constexpr (requires { r.tp; }) r.tp = read_length(row, "tp", 65536);
  if constexpr (requires { r.shape; }) r.shape = read_shape(row);
  if constexpr (requires { r.layout; }) r.layout = read_layout(row);
  if constexpr (requires { r.bytes; }) r.bytes = row.whole("bytes", 0, 1ULL << 40);
  if constexpr (requires { r.seconds; }) r.seconds = row.seconds(Row::kSeconds);
  if constexpr (requires { r.rest_s; })
    if (row.has("rest_s")) r.rest_s = row.not_negative("rest_s");
  return r;
}

// Of tables without other fields.
template <class Row>
MeasuredRow read(const CsvRow& row) {
  return read_common<Row>(row);
}

MeasuredRow read_collective(const CsvRow& row) {
  auto r = read_common<CollectiveRow>(row);
  if (r.bytes == 0) row.fail("bytes: must be greater than 0");
  return r;
}

MeasuredRow read_gemm_time(const CsvRow& row) {
  auto r = read_common<GemmTimeRow>(row);
  r.cold_s = row.seconds("cold_median_s");
  r.warm_s = row.seconds("warm_mean_s");
  return r;
}

MeasuredRow read_gemm_traffic(const CsvRow& row) {
  auto r = read_common<GemmTrafficRow>(row);
  r.kernel = row.text("kernel");
  if (!row.text("tile").empty()) {  // a kernel that only adds up what split-K left has none
    std::uint32_t* lengths[] = {&r.tile_m, &r.tile_n};
    read_tile(row, row.text("tile"), lengths);
    r.tile_k = read_length(row, "tile_k", 4096);
  }
  r.grid = read_length(row, "grid", 1 << 24);
  r.duration_ns = row.positive("duration_ns");
  r.dram_read = row.not_negative("dram_read_bytes");
  r.l2_read = row.positive("l2_read_bytes");
  return r;
}

MeasuredRow read_fused(const CsvRow& row) {
  auto r = read_common<FusedRow>(row);
  std::uint32_t* lengths[] = {&r.tile_m, &r.tile_n, &r.tile_k};
  read_tile(row, row.text("tile"), lengths);
  return r;
}

MeasuredRow read_timeline_case(const CsvRow& row) {
  auto r = read_common<TimelineCaseRow>(row);
  r.name = row.text("case");
  r.tile_m = read_length(row, "BM", 4096);
  r.tile_n = read_length(row, "BN", 4096);
  r.tile_k = read_length(row, "BK", 4096);
  r.stages = read_length(row, "stages", 8);
  return r;
}

MeasuredRow read_interference(const CsvRow& row) {
  auto r = read_common<InterferenceRow>(row);
  r.comm_bytes = row.whole("comm_bytes", 1, 1ULL << 40);
  r.gemm_alone_s = row.seconds("gemm_alone_s");
  r.gemm_shared_s = row.seconds("gemm_shared_s");
  r.comm_alone_s = row.seconds("comm_alone_s");
  r.comm_shared_s = row.seconds("comm_shared_s");
  return r;
}

MeasuredRow read_peer_copy(const CsvRow& row) {
  auto r = read_common<PeerCopyRow>(row);
  r.direction = row.text("direction");
  if (!row.text("ways").empty()) r.ways = static_cast<std::uint32_t>(row.whole("ways", 1, 2));
  r.moved = row.whole("bytes_per_call", 1, 1ULL << 40);
  if (row.text("pitch_bytes").empty()) return r;
  r.pitch = row.whole("pitch_bytes", 1, 1ULL << 30);
  r.width = row.whole("width_bytes", 1, r.pitch);
  r.height = row.whole("height", 1, 1ULL << 30);
  return r;
}

struct Table {
  std::string_view name;
  std::vector<std::string_view> columns;  // that tell it from the others
  MeasuredRow (*read)(const CsvRow&);     // null: known, but not predicted here
};

const std::vector<Table>& tables() {
  static const std::vector<Table> all{
      {"GEMM traffic",
       {"model", "sub", "tp", "M", "N", "K", "layout", "kernel", "tile", "tile_k", "grid", "duration_ns",
        "dram_read_bytes", "l2_read_bytes"},
       read_gemm_traffic},
      {"GEMM times",
       {"model", "sub", "tp", "M", "N", "K", "layout", "cold_median_s", "warm_mean_s"},
       read_gemm_time},
      {"interference",
       {"world", "kind", "model", "M", "N", "K", "comm_bytes", "gemm_alone_s", "gemm_shared_s",
        "comm_alone_s", "comm_shared_s"},
       read_interference},
      {"Triton GEMMs",
       {"case", "M", "N", "K", "BM", "BN", "BK", "group_m", "warps", "stages", "kernel_median_s"},
       read_timeline_case},
      {"fused stores", {"world", "op", "model", "M", "N", "K", "tp", "tile", "median_s"}, read_fused},
      {"overlap", {"tag", "world", "op", "model", "M", "N", "K", "tp", "median_s"}, read<OverlapRow>},
      {"collectives", {"tag", "world", "op", "bytes", "median_s"}, read_collective},
      {"peer copies",
       {"world", "test", "direction", "ways", "bytes_per_call", "pitch_bytes", "width_bytes", "height",
        "median_s"},
       read_peer_copy},
      {"all-gather + GEMM",
       {"world", "name", "M", "N_local", "K", "op", "comm_rows", "tile", "median_s",
        "overlap_eff_vs_nccl_seq"},
       read_gather_gemm},
      {"decomposed GEMMs",
       {"data", "name", "M", "N_local", "K", "variant", "pieces", "median_s"},
       read_decomposed},
      {"schedules",
       {"world", "data", "name", "M", "N_local", "K", "op", "kind", "chunks", "median_s",
        "speedup_over_serial", "note"},
       read_schedule},
      {"embedding + all-to-all",
       {"world", "op", "T", "rows_per_table", "batch", "pooling", "indices", "occupancy_pct", "grid",
        "median_s", "saving_over_baseline"},
       read_embedding},
      {"GEMV + all-reduce", {"world", "rows", "cols", "op", "rows_per_warp", "grid", "median_s"}, read_gemv},
      {"copies", {"test", "a", "b", "bytes", "median_s"}, read<CopyRow>},
      {"membench", {"gpu", "test", "param", "value", "unit"}, nullptr},
      {"timeline of tiles", {"case", "wg", "start_ns", "end_ns"}, nullptr},
  };
  return all;
}

const Table* table_of(const CsvTable& csv) {
  for (const Table& table : tables())
    if (std::ranges::all_of(table.columns, [&](std::string_view c) { return csv.has_column(c); }))
      return &table;
  return nullptr;
}

void read_rows(CsvTable& csv, const Table& table, const std::string& file, MeasuredFolder& folder) {
  while (true) {
    try {
      if (!csv.next_row()) return;
      folder.rows.push_back(table.read(CsvRow(csv, file)));
    } catch (const InputError& e) {
      folder.bad_rows.push_back(e.what());
    }
  }
}

bool is_csv(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".csv") || name.ends_with(".csv.gz") || name.ends_with(".csv.xz");
}

std::string known_tables() {
  std::string text;
  for (const Table& table : tables())
    if (table.read) text += fmt::format("\n  {}: {}", table.name, fmt::join(table.columns, ","));
  return text;
}

}  // namespace

MeasuredFolder read_measured_folder(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) throw InputError(fmt::format("{}: there is no such folder", path));
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file() && is_csv(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  MeasuredFolder folder;
  bool any = false;
  for (const fs::path& file : files) {
    const std::string name = file.lexically_relative(path).string();
    try {
      CsvTable csv(file);
      const Table* table = table_of(csv);
      if (!table) {
        folder.other_files.push_back(
            fmt::format("{}:1: of no known table: {}", file.string(), fmt::join(csv.columns(), ",")));
        continue;
      }
      any = any || table->read;
      if (table->read) read_rows(csv, *table, name, folder);
    } catch (const InputError& e) {  // an empty or damaged file
      folder.other_files.push_back(e.what());
    }
  }
  if (!any)
    throw InputError(fmt::format("{}: no CSV file in it has the columns of a table that is known:{}", path,
                                 known_tables()));
  if (folder.rows.empty() && folder.bad_rows.empty())
    throw InputError(fmt::format("{}: its tables have no rows", path));
  join_decomposed(folder.rows);
  join_schedules(folder.rows);
  join_fused(folder.rows);
  join_overlap(folder.rows);
  for (const MeasuredRow& row : folder.rows)
    if (const auto* traffic = std::get_if<GemmTrafficRow>(&row)) folder.kernels.add(*traffic);
  return folder;
}

KernelNames read_kernel_names(const std::string& folder) {
  if (!fs::is_directory(folder)) return {};
  try {
    return read_measured_folder(folder).kernels;
  } catch (const InputError&) {  // no table that is known
    return {};
  }
}

}  // namespace t3sim
