#include "program/tile_sets.h"

#include <algorithm>
#include <map>

#include "base/number.h"
#include "program/bodies.h"

namespace t3sim::program {
namespace {

using Key = std::vector<std::uint64_t>;

// The number of the phase.
std::uint64_t body_of(const Launch& launch, std::uint32_t tile) {
  return narrow<std::uint64_t>(
      std::ranges::count_if(launch.then, [&](const Phase& phase) { return tile >= phase.first_tile; }));
}

// What two tiles have in common if they are in one set.
Key key_of(const Launch& launch, std::uint32_t tile) {
  Key key;
  for (const SignalWait& w : launch.waits.of(tile))
    key.insert(key.end(), {1, w.word.signals, w.word.index, w.word.gpu, w.value});
  for (const SignalSet& s : launch.sets.of(tile))
    key.insert(key.end(),
               {2, s.word.signals, s.word.index, s.word.gpu, s.value, s.add, s.fence, s.in_store, s.last});
  key.push_back(body_of(launch, tile));
  for (const TileTarget& t : launch.stores.of(tile)) key.insert(key.end(), {3, t.gpu, ordinal(t.op)});
  return key;
}

// The second view joins the first one, if it continues it: below it, or to its right.
bool join(View& first, const View& second) {
  if (first.array != second.array || first.copy != second.copy || first.gpu != second.gpu) return false;
  if (first.first_row == second.first_row && first.rows == second.rows &&
      second.first_column == first.first_column + first.columns) {
    first.columns += second.columns;
    return true;
  }
  if (first.first_column == second.first_column && first.columns == second.columns &&
      second.first_row == first.first_row + first.rows) {
    first.rows += second.rows;
    return true;
  }
  return false;
}

// Tiles come row by row: pieces of a row are joined first, then rows.
void add_joined(std::vector<Access>& row, std::vector<Access>& all, const Access& access) {
  if (!row.empty() && row.back().view.first_row == access.view.first_row &&
      join(row.back().view, access.view))
    return;
  if (!row.empty() && row.back().view.first_row != access.view.first_row) {
    for (const Access& done : row)
      if (all.empty() || !join(all.back().view, done.view)) all.push_back(done);
    row.clear();
  }
  row.push_back(access);
}

// What the tiles write: their part of the output, or where they are stored.
std::vector<Access> written(const Program& program, const Launch& launch,
                            const std::vector<std::uint32_t>& tiles) {
  std::vector<Access> row, all;
  for (const std::uint32_t tile : tiles) {
    Access access{tile_of(launch, tile), true};
    target_of(program, launch, tile, access);
    add_joined(row, all, access);
  }
  for (const Access& done : row)
    if (all.empty() || !join(all.back().view, done.view)) all.push_back(done);
  return all;
}

// Of a sum in tiles, a tile reads of each operand what it is of the output.
std::vector<Access> read_by_sum(const SumBody& sum, const Launch& launch,
                                const std::vector<std::uint32_t>& tiles) {
  std::vector<Access> all;
  for (const View& from : sum.from) {
    std::vector<Access> row;
    for (const std::uint32_t tile : tiles) {
      View part = tile_of(launch, tile);
      part.array = from.array, part.copy = from.copy, part.gpu = from.gpu;
      part.first_row += from.first_row - sum.to.first_row;
      part.first_column += from.first_column - sum.to.first_column;
      add_joined(row, all, {part});
    }
    for (const Access& done : row)
      if (all.empty() || !join(all.back().view, done.view)) all.push_back(done);
  }
  return all;
}

// Panels of A, or of B, that belong to rows (columns) of tiles.
void add_panels(View panel, bool rows, std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges,
                std::vector<Access>& all) {
  std::ranges::sort(ranges);
  std::uint64_t end = 0;
  bool open = false;
  for (const auto& [first, count] : ranges) {
    if (open && first <= end) {
      end = std::max(end, first + count);
      (rows ? all.back().view.rows : all.back().view.columns) =
          end - (rows ? all.back().view.first_row : all.back().view.first_column);
      continue;
    }
    (rows ? panel.first_row : panel.first_column) = first;
    (rows ? panel.rows : panel.columns) = count;
    all.push_back({panel});
    end = first + count;
    open = true;
  }
}

std::vector<Access> accesses_of_tiles(const Program& program, const Launch& launch,
                                      const std::vector<std::uint32_t>& tiles) {
  const Body& body = body_tile(launch, tiles[0]).body;
  if (std::holds_alternative<PollBody>(body)) return {};
  std::vector<Access> all = written(program, launch, tiles);
  if (const auto* sum = std::get_if<SumBody>(&body)) {
    const std::vector<Access> read = read_by_sum(*sum, launch, tiles);
    all.insert(all.end(), read.begin(), read.end());
    return all;
  }
  if (!std::holds_alternative<GemmBody>(body)) {
    for (const View& view : inputs_of(body)) all.push_back({view});
    return all;
  }
  const auto& gemm = std::get<GemmBody>(launch.body);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> rows, columns;
  for (const std::uint32_t tile : tiles) {
    const View own = tile_of(launch.body, tile);
    rows.emplace_back(gemm.a.first_row + own.first_row - gemm.c.first_row, own.rows);
    columns.emplace_back(gemm.b.first_column + own.first_column - gemm.c.first_column, own.columns);
    if (gemm.accumulate) all.push_back({own});
  }
  add_panels(gemm.a, true, std::move(rows), all);
  add_panels(gemm.b, false, std::move(columns), all);
  return all;
}

}  // namespace

std::vector<TileSet> tile_sets(const Program& program, const Launch& launch) {
  std::map<Key, std::vector<std::uint32_t>> by_key;
  const std::uint32_t tiles = tiles_of(launch);
  for (std::uint32_t tile = 0; tile < tiles; ++tile) by_key[key_of(launch, tile)].push_back(tile);
  std::vector<TileSet> sets;
  for (auto& [key, members] : by_key) {
    TileSet set;
    const auto waits = launch.waits.of(members[0]);
    const auto signals = launch.sets.of(members[0]);
    set.waits.assign(waits.begin(), waits.end());
    set.sets.assign(signals.begin(), signals.end());
    set.accesses = accesses_of_tiles(program, launch, members);
    set.tiles = std::move(members);
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace t3sim::program
