#include "program/memory_bodies.h"

#include <fmt/format.h>

#include <charconv>

#include "base/number.h"

namespace t3sim::program {
namespace {

using config::Node;

Piece piece_of(const Node& map, std::string_view key, std::string_view body) {
  return Piece::whole(scalar(needed(map, key, body), key));
}

std::uint32_t count_of(const Context& c, const Node& map, std::string_view key, std::int64_t otherwise,
                       std::int64_t last) {
  const Node* node = optional(map, key);
  return narrow<std::uint32_t>(node ? c.scope.evaluate(Piece::whole(scalar(*node, key)), key, 1, last)
                                    : otherwise);
}

[[noreturn]] void refuse(const Context& c, const Piece& piece, const std::string& what) {
  throw error_at(piece, c.scope.prefix() + what);
}

// A view of whole rows in the own memory, which workgroups read or write in whole sectors.
View rows_of(const Context& c, const Node& map, std::string_view key, std::string_view body) {
  const Piece piece = piece_of(map, key, body);
  const View view = evaluate_view(c, piece);
  const Array& array = c.program.arrays[view.array];
  if (view.gpu != c.gpu)
    refuse(c, piece, fmt::format("{}: {} is on GPU {}; it must be here", body, key, view.gpu));
  if (array.column_major) refuse(c, piece, fmt::format("{}: {} must be row-major", body, key));
  if ((address_of(c.program, view) | view.columns * element_bytes(array.type)) % kSectorBytes != 0)
    refuse(c, piece,
           fmt::format("{}: rows of {} must begin and end on {} B sectors", body, key, kSectorBytes));
  return view;
}

// A number, or an expression in per cent: "zipf %".
double decimal(const Context& c, const Node& node) {
  double value = 0;
  const std::string& text = scalar(node, "skew").scalar;
  if (text.ends_with('%')) {
    const Piece piece = Piece::whole(node);
    return 0.01 *
           static_cast<double>(c.scope.evaluate(piece.from(0, piece.text.size() - 1), "skew", 0, 1000));
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 10))
    throw error_at(
        node.where,
        fmt::format("skew: found \"{}\"; allowed: 0 (uniform) to 10, Zipf's exponent, or an expression in %",
                    text));
  return value;
}

}  // namespace

EmbeddingBody evaluate_embedding(const Context& c, const Node& node) {
  EmbeddingBody body;
  body.table = rows_of(c, node, "table", "embedding");
  body.to = rows_of(c, node, "to", "embedding");
  const Piece to = piece_of(node, "to", "embedding");
  if (body.table.columns != body.to.columns ||
      c.program.arrays[body.table.array].type != c.program.arrays[body.to.array].type)
    refuse(c, to,
           fmt::format("embedding: rows of to have {} elements, those of table {}; they must be alike",
                       body.to.columns, body.table.columns));
  BagSpec& bags = body.bags;
  bags.pooling = count_of(c, node, "pooling", 1, 1 << 20);
  bags.tables = count_of(c, node, "tables", 1, 1 << 20);
  bags.bags = narrow<std::uint32_t>(body.to.rows);
  if (body.table.rows % bags.tables != 0 || bags.bags % bags.tables != 0)
    refuse(c, to,
           fmt::format("embedding: {} rows and {} bags in {} tables: they must be multiples", body.table.rows,
                       bags.bags, bags.tables));
  bags.rows = body.table.rows / bags.tables;
  if (const Node* skew = optional(node, "skew")) bags.skew = decimal(c, *skew);
  bags.seed = count_of(c, node, "seed", c.gpu + 1, 1LL << 31);  // every GPU draws rows of its own
  body.unroll = count_of(c, node, "unroll", 4, 1024);
  body.thread_bytes = count_of(c, node, "thread_bytes", 16, 16);
  if (optional(node, "indices")) {
    body.indices = rows_of(c, node, "indices", "embedding");
    if (body.indices->rows != body.to.rows)
      refuse(c, to,
             fmt::format("embedding: indices has {} rows, to {}: they must be as many", body.indices->rows,
                         body.to.rows));
  }
  return body;
}

GemvBody evaluate_gemv(const Context& c, const Node& node) {
  GemvBody body;
  body.w = rows_of(c, node, "w", "gemv");
  body.x = rows_of(c, node, "x", "gemv");
  body.y = rows_of(c, node, "y", "gemv");
  if (body.x.rows != 1 || body.y.rows != 1 || body.x.columns != body.w.columns ||
      body.y.columns != body.w.rows)
    refuse(
        c, piece_of(node, "y", "gemv"),
        fmt::format("gemv: w is {} x {}, x {} x {}, y {} x {}: they must be m x k, 1 x k, 1 x m", body.w.rows,
                    body.w.columns, body.x.rows, body.x.columns, body.y.rows, body.y.columns));
  const DataType type = c.program.arrays[body.y.array].type;
  if (c.program.arrays[body.w.array].type != type || c.program.arrays[body.x.array].type != type)
    refuse(c, piece_of(node, "y", "gemv"), "gemv: w, x and y must be of one type");
  body.wavefronts = count_of(c, node, "wavefronts", body.wavefronts, 32);
  body.rows_per_wavefront = count_of(c, node, "rows_per_wavefront", 1, 64);
  body.unroll = count_of(c, node, "unroll", body.unroll, 64);
  body.registers = count_of(c, node, "registers", narrow<std::int64_t>(body.registers), 255);
  return body;
}

}  // namespace t3sim::program
