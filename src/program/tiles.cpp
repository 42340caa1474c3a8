#include "program/tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/number.h"
#include "kernel/gemm_kernel.h"
#include "program/bodies.h"
#include "program/text.h"

namespace t3sim::program {
namespace {

using config::Node;

constexpr std::uint32_t kMostTiles = 1 << 22;

// The names of a tile in a scope, while it lives.
class TileNames {
 public:
  TileNames(Scope& scope, const TileGrid& grid) : scope_(scope), grid_(grid), first_(scope.size()) {
    for (const char* name : {"tile", "row", "column"}) scope.add(name, 0);
    scope.add("tile_rows", grid.tile_rows());
    scope.add("tile_columns", grid.tile_cols());
    scope.add("tile_m", grid.tile_m());
    scope.add("tile_n", grid.tile_n());
  }
  ~TileNames() { scope_.shrink(first_); }
  TileNames(const TileNames&) = delete;
  TileNames& operator=(const TileNames&) = delete;

  void set(std::uint32_t tile) {
    scope_.set(first_, tile);
    scope_.set(first_ + 1, grid_.tile_row(tile));
    scope_.set(first_ + 2, grid_.tile_col(tile));
  }

 private:
  Scope& scope_;
  const TileGrid& grid_;
  std::size_t first_;
};

std::vector<std::uint32_t> sorted_order(const Context& c, const Node& order, const Body& body,
                                        TileNames& names) {
  std::vector<std::uint32_t> tiles = own_order(body);
  std::vector<std::int64_t> keys(tiles.size());
  for (const std::uint32_t tile : tiles) {
    names.set(tile);
    keys[tile] = c.scope.evaluate(order, "order");
  }
  std::ranges::stable_sort(tiles, {}, [&](std::uint32_t tile) { return keys[tile]; });
  return tiles;
}

// Where the first element of a tile goes, as {to, row, column, op} says.
class TargetReader {
 public:
  TargetReader(const Context& c, const Node& node, const Body& body, std::uint32_t tile)
      : c_(c), node_(node), output_(output_of(body)), own_(tile_of(body, tile)) {}

  TileTarget target() const {
    check_keys(node_, "stores", {"to", "row", "column", "op", "for", "let", "if"});
    const Piece to = Piece::whole(scalar(needed(node_, "to", "stores"), "to"));
    const View view = evaluate_view(c_, to);
    check_array(to, view);
    const std::uint64_t row = position("row", own_.first_row - output_.first_row, own_.rows, view.rows);
    const std::uint64_t column =
        position("column", own_.first_column - output_.first_column, own_.columns, view.columns);
    const std::uint64_t there = address_of(c_.program.arrays[view.array], view.copy, view.first_row + row,
                                           view.first_column + column);
    return {view.gpu, static_cast<std::int64_t>(there - address_of(c_.program, own_)),
            evaluate_op(node_, c_.program.arrays[view.array].type)};
  }

 private:
  void check_array(const Piece& to, const View& view) const {
    const Array& there = c_.program.arrays[view.array];
    const Array& c = c_.program.arrays[output_.array];
    const bool one_row = own_.rows == 1 && !c.column_major;  // no matter where a second one would be
    if (there.type != c.type || there.column_major != c.column_major ||
        (!one_row && there.pitch_bytes != c.pitch_bytes))
      throw error_at(
          to, fmt::format("{}stores: {} must be of the output's type, and as wide in memory ({} and {} B)",
                          c_.scope.prefix(), there.name, c.pitch_bytes, there.pitch_bytes));
  }
  std::uint64_t position(const char* key, std::uint64_t in_c, std::uint64_t extent,
                         std::uint64_t room) const {
    const Node* node = optional(node_, key);
    const std::int64_t first = node ? c_.scope.evaluate(*node, key) : narrow<std::int64_t>(in_c);
    if (first < 0 || narrow<std::uint64_t>(first) + extent > room)
      throw error_at(node ? node->where : node_.where,
                     fmt::format("{}stores: a tile of {} {}s goes to {} {} of {}", c_.scope.prefix(), extent,
                                 key, key, first, room));
    return narrow<std::uint64_t>(first);
  }

  const Context& c_;
  const Node& node_;
  const View& output_;
  View own_;
};

// `tile` is one of the body's, `all` its number in the launch.
void add_target(const Context& c, const Node& leaf, const BodyTile& part, std::uint32_t all, Launch& launch) {
  const TileTarget target = TargetReader(c, leaf, part.body, part.tile).target();
  if (!launch.stores.of(all).empty())
    throw error_at(leaf.where,
                   fmt::format("{}stores: tile {} goes to two places", c.scope.prefix(), part.tile));
  launch.stores.add(all, target);
}

void add_set(const Context& c, const Node& leaf, std::uint32_t tile, Launch& launch) {
  const SignalSet set = evaluate_set(c, leaf);
  if (set.in_store && set.word.gpu != target_gpu(launch, tile))
    throw error_at(leaf.where, fmt::format("{}sets: a word that comes with the tile's stores must be on "
                                           "their GPU, {}",
                                           c.scope.prefix(), target_gpu(launch, tile)));
  if (set.last && std::holds_alternative<GemmBody>(launch.body))
    throw error_at(leaf.where,
                   fmt::format("{}sets: fence: last is of embedding, gemv and sum; a GEMM's workgroups "
                               "take tiles as they come",
                               c.scope.prefix()));
  launch.sets.add(tile, set);
}

// Of the tiles that the kernel has.
void check_requirement(const Context& c, const Node& require, const TileGrid& grid) {
  if (c.scope.evaluate(require, "require") == 0)
    throw error_at(require.where,
                   fmt::format("{}require: the launch needs {}; here tile_m = {}, tile_n = {}",
                               c.scope.prefix(), require.scalar, grid.tile_m(), grid.tile_n()));
}

// A word, or {word, fence}.
const Node& checked_set(const Node& leaf) {
  if (leaf.type != Node::Type::map) return scalar(leaf, "sets");
  check_keys(leaf, "sets", {"word", "fence", "for", "let", "if"});
  check_fence(leaf, {"true", "false", "store", "last"});
  return leaf;
}

}  // namespace

Op evaluate_op(const Node& stores, DataType type) {
  const Node* op = optional(stores, "op");
  if (!op || op->scalar == "store") return Op::write;
  if (op->scalar == "add") {
    if (type == DataType::fp16 || type == DataType::fp32) return Op::update;
    throw error_at(op->where, fmt::format("op: add: there are no atomic additions of {}; allowed: FP16, FP32",
                                          t3sim::to_string(type)));
  }
  throw error_at(op->where, unknown("op", op->scalar, {"store", "add"}));
}

std::vector<std::uint32_t> own_order(const Body& body) {
  const auto* gemm = std::get_if<GemmBody>(&body);
  if (!gemm) {
    std::vector<std::uint32_t> ascending(grid_of(body).tiles());
    std::iota(ascending.begin(), ascending.end(), 0U);
    return ascending;
  }
  GemmSpec one_each = gemm->spec;
  one_each.persistent = 0;
  one_each.split_k = 1;
  one_each.split_workspace = false;
  const GemmKernel kernel(one_each);
  std::vector<std::uint32_t> tiles;
  for (std::uint32_t i = 0; i < kernel.workgroups(); ++i)
    if (kernel.tile(i) != kNoTile) tiles.push_back(kernel.tile(i));
  return tiles;
}

void evaluate_tiles(const Context& c, Loops& loops, const Node& node, Launch& launch) {
  const std::size_t phase = launch.then.size();
  const Body& body = phase == 0 ? launch.body : launch.then.back().body;
  const std::uint32_t first = phase == 0 ? 0 : launch.then.back().first_tile;
  const Node* order = optional(node, "order");
  const Node* wait = optional(node, "wait");
  const Node* stores = optional(node, "stores");
  const Node* sets = optional(node, "sets");
  const Node* require = optional(node, "require");
  if (!order && !wait && !stores && !sets && !require) return;
  const TileGrid grid = grid_of(body);
  if (grid.tiles() > kMostTiles)
    throw error_at(node.where,
                   fmt::format("{}{} tiles; at most {} where order, wait, stores or sets are said",
                               c.scope.prefix(), grid.tiles(), kMostTiles));
  TileNames names(c.scope, grid);
  if (require) check_requirement(c, *require, grid);
  if (order) (phase == 0 ? launch.order : launch.then.back().order) = sorted_order(c, *order, body, names);
  for (std::uint32_t tile = 0; tile < grid.tiles(); ++tile) {
    names.set(tile);
    if (wait)
      loops.each(*wait, [&](const Node& leaf) {
        launch.waits.add(first + tile, evaluate_wait(c, Piece::whole(scalar(leaf, "wait"))));
      });
    if (stores)
      loops.each(*stores, [&](const Node& leaf) { add_target(c, leaf, {body, tile}, first + tile, launch); });
    if (sets)
      loops.each(*sets, [&](const Node& leaf) { add_set(c, checked_set(leaf), first + tile, launch); });
  }
}

}  // namespace t3sim::program
