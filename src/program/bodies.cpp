#include "program/bodies.h"

#include <fmt/format.h>

#include "base/number.h"

namespace t3sim::program {
namespace {

TileGrid rows_in_tiles(const View& view, std::uint32_t rows, std::uint32_t columns) {
  return {narrow<std::uint32_t>(view.rows), narrow<std::uint32_t>(view.columns), {rows, columns, 1, 2, true}};
}

struct Output {
  const View& operator()(const GemmBody& body) const { return body.c; }
  const View& operator()(const SumBody& body) const { return body.to; }
  const View& operator()(const EmbeddingBody& body) const { return body.to; }
  const View& operator()(const GemvBody& body) const { return body.y; }
  const View& operator()(const PollBody& body) const { return body.nothing; }
};

struct Grid {
  TileGrid operator()(const GemmBody& body) const { return body.spec.c().grid; }
  TileGrid operator()(const SumBody& body) const {
    return body.tile_rows == 0 ? TileGrid() : rows_in_tiles(body.to, body.tile_rows, body.tile_columns);
  }
  TileGrid operator()(const PollBody& body) const { return {body.tiles, 1, {1, 1, 1, 2, true}}; }
  TileGrid operator()(const EmbeddingBody& body) const {
    return rows_in_tiles(body.to, 1, narrow<std::uint32_t>(body.to.columns));
  }
  TileGrid operator()(const GemvBody& body) const {
    return rows_in_tiles(body.y, 1, body.wavefronts * body.rows_per_wavefront);
  }
};

struct Inputs {
  std::vector<View> operator()(const GemmBody& body) const {
    std::vector<View> views{body.a, body.b};
    if (body.accumulate) views.push_back(body.c);
    return views;
  }
  std::vector<View> operator()(const SumBody& body) const { return body.from; }
  std::vector<View> operator()(const EmbeddingBody& body) const {
    std::vector<View> views{body.table};
    if (body.indices) views.push_back(*body.indices);
    return views;
  }
  std::vector<View> operator()(const GemvBody& body) const { return {body.w, body.x}; }
  std::vector<View> operator()(const PollBody&) const { return {}; }
};

struct Description {
  const std::function<std::string(const View&)>& text;
  std::string operator()(const GemmBody& body) const {
    return fmt::format("gemm {} {} {} * {}", text(body.c), body.accumulate ? "+=" : "=", text(body.a),
                       text(body.b));
  }
  std::string operator()(const SumBody& body) const {
    if (body.add)
      return fmt::format("add {} to {}", body.from.empty() ? "nothing" : text(body.from[0]), text(body.to)) +
             (body.from.size() > 1 ? fmt::format(" and {} more", body.from.size() - 1) : "");
    if (body.from.empty()) return "zero " + text(body.to);
    if (body.from.size() == 1) return fmt::format("copy by CUs {} to {}", text(body.from[0]), text(body.to));
    return fmt::format("sum {} = {} and {} more", text(body.to), text(body.from[0]), body.from.size() - 1);
  }
  std::string operator()(const EmbeddingBody& body) const {
    return fmt::format("embedding {} = bags of {} rows of {}", text(body.to), body.bags.pooling,
                       text(body.table));
  }
  std::string operator()(const GemvBody& body) const {
    return fmt::format("gemv {} = {} * {}", text(body.y), text(body.w), text(body.x));
  }
  std::string operator()(const PollBody& body) const { return fmt::format("wait for {} tiles", body.tiles); }
};

}  // namespace

const View& output_of(const Body& body) { return std::visit(Output{}, body); }
TileGrid grid_of(const Body& body) { return std::visit(Grid{}, body); }
std::vector<View> inputs_of(const Body& body) { return std::visit(Inputs{}, body); }

View tile_of(const Body& body, std::uint32_t tile) {
  if (const auto* poll = std::get_if<PollBody>(&body)) return poll->nothing;
  const Block block = grid_of(body).block(tile);
  View view = output_of(body);
  view.first_row += block.row;
  view.first_column += block.column;
  view.rows = block.rows;
  view.columns = block.columns;
  return view;
}

std::uint32_t tiles_of(const Launch& launch) {
  const bool more = !launch.then.empty();
  return grid_of(more ? launch.then.back().body : launch.body).tiles() +
         (more ? launch.then.back().first_tile : 0);
}

BodyTile body_tile(const Launch& launch, std::uint32_t tile) {
  for (auto phase = launch.then.rbegin(); phase != launch.then.rend(); ++phase)
    if (tile >= phase->first_tile) return {phase->body, tile - phase->first_tile};
  return {launch.body, tile};
}

View tile_of(const Launch& launch, std::uint32_t tile) {
  const BodyTile part = body_tile(launch, tile);
  return tile_of(part.body, part.tile);
}

std::uint32_t target_gpu(const Launch& launch, std::uint32_t tile) {
  const auto targets = launch.stores.of(tile);
  return targets.empty() ? output_of(body_tile(launch, tile).body).gpu : targets[0].gpu;
}

void each_body(const Launch& launch, const std::function<void(const Body&)>& f) {
  f(launch.body);
  for (const Phase& phase : launch.then) f(phase.body);
}

std::string describe(const Body& body, const std::function<std::string(const View&)>& text) {
  return std::visit(Description{text}, body);
}

}  // namespace t3sim::program
