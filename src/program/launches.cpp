#include "program/launches.h"

#include <fmt/format.h>

#include "base/number.h"
#include "program/bodies.h"
#include "program/memory_bodies.h"
#include "program/rectangles.h"
#include "program/tiles.h"

namespace t3sim::program {
namespace {

using config::Node;

Piece piece_of(const Node& map, std::string_view key) {
  return Piece::whole(scalar(needed(map, key, key), key));
}

std::string shape_text(const View& view) { return fmt::format("{} x {}", view.rows, view.columns); }

// The CUs of "20" (the first 20) or "112 .. 131".
void evaluate_cus(const Context& c, const Setting& setting, const Node& node, Launch& launch) {
  const Piece piece = Piece::whole(scalar(node, "cus"));
  const bool range = piece.text.find("..") != piece.text.npos;
  const auto [first, last] =
      range ? evaluate_range(c.scope, piece) : std::pair{std::int64_t{0}, c.scope.evaluate(piece) - 1};
  const std::int64_t most = setting.cus == 0 ? 1 << 16 : setting.cus;
  if (last < first) throw error_at(piece, fmt::format("{}cus: the launch has no CUs", c.scope.prefix()));
  if (first < 0 || last >= most)
    throw error_at(piece,
                   fmt::format("{}cus {} .. {}; allowed: 0 to {}", c.scope.prefix(), first, last, most - 1));
  launch.first_cu = narrow<std::uint32_t>(first);
  launch.cus = narrow<std::uint32_t>(last - first + 1);
}

std::optional<std::uint32_t> number(const Context& c, const Node& node, std::string_view key,
                                    std::int64_t first, std::int64_t last) {
  const Node* value = optional(node, key);
  if (!value) return std::nullopt;
  return narrow<std::uint32_t>(c.scope.evaluate(Piece::whole(scalar(*value, key)), key, first, last));
}

KernelOptions options_of(const Context& c, const Launch& launch, const Node& node) {
  KernelOptions options;
  options.cus = launch.cus;
  if (const Node* name = optional(node, "kernel")) options.name = scalar(*name, "kernel").scalar;
  if (const Node* tile = optional(node, "tile")) {
    if (!options.name.empty()) throw error_at(tile->where, "tile: the kernel's name says it already");
    try {
      options.tile = tile_shape_from(scalar(*tile, "tile").scalar);
    } catch (const InputError& e) {
      throw error_at(tile->where, e.what());
    }
  }
  options.wavefronts = number(c, node, "wavefronts", 1, 64);
  options.buffers = number(c, node, "buffers", 1, 64);
  options.split_k = number(c, node, "split_k", 1, 1024);
  return options;
}

void check_shapes(const Context& c, const Node& node, const GemmBody& body) {
  const auto refuse = [&](const std::string& message) {
    throw error_at(node.where, fmt::format("{}gemm: {}", c.scope.prefix(), message));
  };
  if (body.a.columns != body.b.rows || body.c.rows != body.a.rows || body.c.columns != body.b.columns)
    refuse(fmt::format("c is {}, a {}, b {}: they must be m x n, m x k, k x n", shape_text(body.c),
                       shape_text(body.a), shape_text(body.b)));
  for (const auto& [name, view] : {std::pair{"a", body.a}, {"b", body.b}})
    if (share_elements(view, body.c))
      refuse(fmt::format("c overlaps {}, which other tiles still read", name));
  const DataType type = c.program.arrays[body.c.array].type;
  for (const auto& [name, view] : {std::pair{"a", body.a}, {"b", body.b}, {"c", body.c}}) {
    const Array& array = c.program.arrays[view.array];
    if (view.gpu != c.gpu)
      refuse(fmt::format("{} is on GPU {}; operands are in the kernel's own memory: copy them first{}", name,
                         view.gpu, name[0] == 'c' ? ", or say stores" : ""));
    if (array.type != type)
      refuse(fmt::format("{} is {}, c is {}: they must be of one type", name, t3sim::to_string(array.type),
                         t3sim::to_string(type)));
    if (address_of(array, view.copy, view.first_row, view.first_column) % kLineBytes != 0)
      refuse(fmt::format("{} begins within a {} B line; it must begin on one",
                         to_text(c.program, view, c.gpu), kLineBytes));
  }
}

void fill_operands(const Context& c, GemmBody& body) {
  GemmSpec& spec = body.spec;
  const auto array = [&](const View& view) -> const Array& { return c.program.arrays[view.array]; };
  spec.shape = {narrow<std::uint32_t>(body.c.rows), narrow<std::uint32_t>(body.c.columns),
                narrow<std::uint32_t>(body.a.columns)};
  spec.type = array(body.c).type;
  // op(A) and op(B) of column-major matrices: what is row-major is transposed.
  spec.layout = array(body.a).column_major ? (array(body.b).column_major ? GemmLayout::nn : GemmLayout::nt)
                                           : (array(body.b).column_major ? GemmLayout::tn : GemmLayout::tt);
  spec.row_major_output = !array(body.c).column_major;
  spec.a_address = address_of(c.program, body.a);
  spec.b_address = address_of(c.program, body.b);
  spec.c_address = address_of(c.program, body.c);
  spec.a_pitch = array(body.a).pitch_bytes;
  spec.b_pitch = array(body.b).pitch_bytes;
  spec.c_pitch = array(body.c).pitch_bytes;
}

GemmBody evaluate_gemm(const Context& c, const Setting& setting, const Launch& launch, const Node& node) {
  const Node& gemm = needed(node, "gemm", "launch");
  GemmBody body;
  body.a = evaluate_view(c, piece_of(gemm, "a"));
  body.b = evaluate_view(c, piece_of(gemm, "b"));
  body.c = evaluate_view(c, piece_of(gemm, "c"));
  if (const Node* accumulate = optional(gemm, "accumulate"))
    body.accumulate = scalar(*accumulate, "accumulate").scalar == "true" ||
                      (accumulate->scalar != "false" && c.scope.evaluate(*accumulate, "accumulate") != 0);
  check_shapes(c, gemm, body);
  const GemmShape shape{narrow<std::uint32_t>(body.c.rows), narrow<std::uint32_t>(body.c.columns),
                        narrow<std::uint32_t>(body.a.columns)};
  const KernelOptions options = options_of(c, launch, node);
  try {
    body.spec = setting.kernel(shape, c.program.arrays[body.c.array].type, options);
    fill_operands(c, body);
    body.spec.check();
  } catch (const InputError& e) {
    const Node* kernel = optional(node, options.name.empty() ? "tile" : "kernel");
    throw error_at(kernel ? kernel->where : gemm.where, c.scope.prefix() + e.what());
  }
  return body;
}

// What a sum reads or writes: its kernel moves whole sectors.
View evaluate_summand(const Context& c, const Piece& piece) {
  const View view = evaluate_view(c, piece);
  const Array& array = c.program.arrays[view.array];
  const std::uint64_t length = array.column_major ? view.rows : view.columns;
  if ((address_of(c.program, view) | length * element_bytes(array.type)) % kSectorBytes != 0)
    throw error_at(piece, fmt::format("{}sum: {} of {} must begin and end on {} B sectors", c.scope.prefix(),
                                      array.column_major ? "columns" : "rows",
                                      to_text(c.program, view, c.gpu), kSectorBytes));
  return view;
}

SumBody evaluate_sum(const Context& c, Loops& loops, const Node& sum) {
  SumBody body;
  body.to = evaluate_summand(c, piece_of(sum, "to"));
  body.add = evaluate_op(sum, c.program.arrays[body.to.array].type) == Op::update;
  const Node* from = optional(sum, "from");
  if (!from) return body;
  loops.each(*from, [&](const Node& leaf) {
    const Piece piece = Piece::whole(scalar(leaf, "from"));
    const View view = evaluate_summand(c, piece);
    if (view.gpu != c.gpu)
      throw error_at(piece,
                     fmt::format("{}sum: {} is on GPU {}; a kernel reads its own memory: copy it first",
                                 c.scope.prefix(), to_text(c.program, view, c.gpu), view.gpu));
    if (view.rows != body.to.rows || view.columns != body.to.columns)
      throw error_at(piece, fmt::format("{}sum: from is {}, to is {}: they must be alike", c.scope.prefix(),
                                        shape_text(view), shape_text(body.to)));
    const Array &in = c.program.arrays[view.array], &out = c.program.arrays[body.to.array];
    if (in.type != out.type || in.column_major != out.column_major)
      throw error_at(piece, fmt::format("{}sum: from and to must be of one type, and both row-major or both "
                                        "column-major",
                                        c.scope.prefix()));
    if (share_elements(view, body.to) && view != body.to)
      throw error_at(piece, fmt::format("{}sum: from overlaps to: it must be the same view, or another part",
                                        c.scope.prefix()));
    body.from.push_back(view);
  });
  return body;
}

// {rows, columns}: of a tile. None: the sum is not cut.
void cut_sum(const Context& c, const Node& sum, SumBody& body) {
  if (!optional(sum, "rows") && !optional(sum, "columns")) return;
  const auto extent = [&](const char* key, std::uint64_t all) {
    return number(c, sum, key, 1, narrow<std::int64_t>(all)).value_or(narrow<std::uint32_t>(all));
  };
  body.tile_rows = extent("rows", body.to.rows);
  body.tile_columns = extent("columns", body.to.columns);
  if (c.program.arrays[body.to.array].column_major)
    throw error_at(sum.where, fmt::format("{}sum: only what is row-major is cut", c.scope.prefix()));
}

// One phase behind those before it.
void add_phase(const Context& c, Loops& loops, const Node& node, Launch& launch) {
  check_keys(node, "then", {"sum", "poll", "order", "wait", "stores", "sets", "require", "for", "let", "if"});
  Phase phase;
  phase.first_tile = tiles_of(launch);
  if (const Node* sum = optional(node, "sum")) {
    check_keys(*sum, "sum", {"to", "from", "op", "rows", "columns"});
    SumBody body = evaluate_sum(c, loops, *sum);
    cut_sum(c, *sum, body);
    if (body.tile_rows == 0)
      throw error_at(sum->where, "then: the sum must be cut into tiles: rows, columns");
    phase.body = std::move(body);
  } else {
    PollBody body;
    body.tiles = narrow<std::uint32_t>(
        c.scope.evaluate(Piece::whole(scalar(needed(node, "poll", "then"), "poll")), "poll", 1, 1 << 22));
    body.nothing.gpu = c.gpu;
    needed(node, "wait", "poll");
    phase.body = body;
  }
  launch.then.push_back(std::move(phase));
  evaluate_tiles(c, loops, node, launch);
}

}  // namespace

Launch evaluate_launch(const Context& c, Loops& loops, const Setting& setting, const Node& node) {
  Launch launch;
  if (const Node* cus = optional(node, "cus")) evaluate_cus(c, setting, *cus, launch);
  launch.workgroups_per_cu = number(c, node, "workgroups_per_cu", 1, 64).value_or(0);
  if (const Node* priority = optional(node, "priority"))
    launch.priority = narrow<std::int32_t>(
        c.scope.evaluate(Piece::whole(scalar(*priority, "priority")), "priority", -100, 100));
  if (const Node* sum = optional(node, "sum")) {
    SumBody body = evaluate_sum(c, loops, *sum);
    cut_sum(c, *sum, body);
    const bool cut = body.tile_rows != 0;
    launch.body = std::move(body);
    if (cut) evaluate_tiles(c, loops, node, launch);
    return launch;
  }
  launch.workgroups = number(c, node, "workgroups", 1, 1 << 30).value_or(0);
  if (const Node* embedding = optional(node, "embedding"))
    launch.body = evaluate_embedding(c, *embedding);
  else if (const Node* gemv = optional(node, "gemv"))
    launch.body = evaluate_gemv(c, *gemv);
  else
    launch.body = evaluate_gemm(c, setting, launch, node);
  evaluate_tiles(c, loops, node, launch);
  if (const Node* then = optional(node, "then"))
    loops.each(*then, [&](const Node& leaf) { add_phase(c, loops, leaf, launch); });
  return launch;
}

}  // namespace t3sim::program
