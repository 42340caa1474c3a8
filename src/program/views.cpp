#include "program/views.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"

namespace t3sim::program {
namespace {

constexpr std::int64_t kMostValue = std::int64_t{1} << 62;

template <class T>
std::vector<std::string> names_in(const std::vector<T>& declared) {
  std::vector<std::string> names;
  for (const T& one : declared) names.push_back(one.name);
  return names;
}

template <class T>
std::uint32_t index_of(const std::vector<T>& declared, const Piece& name, std::string_view what) {
  const auto found = std::ranges::find(declared, name.text, &T::name);
  if (found == declared.end()) throw error_at(name, unknown(what, name.text, names_in(declared)));
  return narrow<std::uint32_t>(found - declared.begin());
}

std::uint32_t gpu_of(const Context& c, const Piece& gpu) {
  if (gpu.empty()) return c.gpu;
  return evaluate_gpu(c.scope, gpu, c.program.gpu_count);
}

struct Range {
  std::uint64_t first, count;
};

// `none`: the range may be empty.
Range evaluate_bounds(const Context& c, const std::optional<RangeText>& text, std::uint64_t extent,
                      const char* what, const std::string& of, bool none) {
  if (!text) return {0, extent};
  const auto all = narrow<std::int64_t>(extent);
  const std::int64_t first = text->first.empty() ? 0 : c.scope.evaluate(text->first);
  const std::int64_t end = text->last.empty() ? all : c.scope.evaluate(text->last);
  if (first < 0 || end > all || first > end)
    throw error_at(text->whole, fmt::format("{}{} {}:{} of {}, which has 0:{}", c.scope.prefix(), what, first,
                                            end, of, all));
  if (first == end && !none)
    throw error_at(text->whole,
                   fmt::format("{}{} {}:{} of {} are none", c.scope.prefix(), what, first, end, of));
  return {narrow<std::uint64_t>(first), narrow<std::uint64_t>(end - first)};
}

}  // namespace

std::vector<std::string> names_of(const std::vector<Array>& arrays) { return names_in(arrays); }
std::vector<std::string> names_of(const std::vector<Signals>& signals) { return names_in(signals); }

std::uint32_t evaluate_gpu(const Scope& scope, const Piece& piece, std::uint32_t gpus) {
  const std::int64_t gpu = scope.evaluate(piece);
  if (gpu < 0 || gpu >= gpus)
    throw error_at(piece,
                   fmt::format("{}there is no GPU {}; allowed: 0 to {}", scope.prefix(), gpu, gpus - 1));
  return narrow<std::uint32_t>(gpu);
}

View evaluate_part(const Context& c, std::uint32_t index, const ViewText& text, bool none) {
  const Array& array = c.program.arrays[index];
  const Range rows = evaluate_bounds(c, text.rows, array.rows, "rows", array.name, none);
  const Range columns = evaluate_bounds(c, text.columns, array.columns, "columns", array.name, none);
  return {index, c.gpu, 0, rows.first, rows.count, columns.first, columns.count};
}

static View evaluate_view(const Context& c, const Piece& piece, bool none) {
  const ViewText text = parse_view(piece);
  const std::uint32_t index = index_of(c.program.arrays, text.array, "array");
  const Array& array = c.program.arrays[index];
  View view = evaluate_part(c, index, text, none);
  view.gpu = gpu_of(c, text.gpu);
  if (!array.on[view.gpu])
    throw error_at(text.whole,
                   fmt::format("{}there is no {} on GPU {}", c.scope.prefix(), array.name, view.gpu));
  if (!text.copy.empty())
    view.copy = narrow<std::uint32_t>(c.scope.evaluate(text.copy, "copy", 0, std::int64_t{array.copies} - 1));
  return view;
}

View evaluate_view(const Context& c, const Piece& piece) { return evaluate_view(c, piece, false); }
View evaluate_view_or_none(const Context& c, const Piece& piece) { return evaluate_view(c, piece, true); }

SignalWord evaluate_word(const Context& c, const WordText& text) {
  SignalWord word;
  word.signals = index_of(c.program.signals, text.signals, "signal");
  word.gpu = gpu_of(c, text.gpu);
  const Signals& signals = c.program.signals[word.signals];
  if (!text.index.empty())
    word.index = narrow<std::uint32_t>(
        c.scope.evaluate(text.index, "word of " + signals.name, 0, std::int64_t{signals.count} - 1));
  else if (signals.count > 1)
    throw error_at(text.whole, fmt::format("{} has {} words: which one? {}[NUMBER]", signals.name,
                                           signals.count, signals.name));
  return word;
}

SignalWait evaluate_wait(const Context& c, const Piece& piece) {
  const WordText text = parse_word(piece);
  if (!text.op.empty() && text.op != ">=")
    throw error_at(piece, fmt::format("a wait is until a word is at least a value: >=, not {}", text.op));
  SignalWait wait{evaluate_word(c, text), 1};
  if (wait.word.gpu != c.gpu)
    throw error_at(piece,
                   fmt::format("{}waits for a word of GPU {}; a GPU waits for its own words only: let the "
                               "other one set a word here",
                               c.scope.prefix(), wait.word.gpu));
  if (!text.op.empty())
    wait.value = narrow<std::uint64_t>(c.scope.evaluate(text.value, "value", 0, kMostValue));
  return wait;
}

SignalSet evaluate_set(const Context& c, const config::Node& node) {
  const bool map = node.type == config::Node::Type::map;
  const Piece piece = Piece::whole(map ? needed(node, "word", "signal") : node);
  const WordText text = parse_word(piece);
  if (text.op == ">=") throw error_at(piece, "a signal is set with = or added to with +=, not >=");
  SignalSet set{evaluate_word(c, text), 1, text.op == "+="};
  if (const config::Node* fence = map ? optional(node, "fence") : nullptr) {
    set.in_store = fence->scalar == "store";
    set.last = fence->scalar == "last";
    set.fence = fence->scalar != "false";
  }
  if (!text.op.empty())
    set.value = narrow<std::uint64_t>(c.scope.evaluate(text.value, "value", 0, kMostValue));
  return set;
}

std::string to_text(const Program& program, const View& view, std::uint32_t own) {
  const Array& array = program.arrays[view.array];
  std::vector<std::string> parts;
  if (view.rows != array.rows)
    parts.push_back(fmt::format("rows {}:{}", view.first_row, view.first_row + view.rows));
  if (view.columns != array.columns)
    parts.push_back(fmt::format("columns {}:{}", view.first_column, view.first_column + view.columns));
  if (array.copies > 1) parts.push_back(fmt::format("copy {}", view.copy));
  return array.name + (view.gpu == own ? "" : fmt::format("@{}", view.gpu)) +
         (parts.empty() ? "" : fmt::format("[{}]", fmt::join(parts, ", ")));
}
std::string to_text(const Program& program, const SignalWord& word, std::uint32_t own) {
  const Signals& signals = program.signals[word.signals];
  return signals.name + (word.gpu == own ? "" : fmt::format("@{}", word.gpu)) +
         (signals.count == 1 ? "" : fmt::format("[{}]", word.index));
}
std::string to_text(const Program& program, const SignalWait& wait, std::uint32_t own) {
  return fmt::format("{} >= {}", to_text(program, wait.word, own), wait.value);
}
std::string to_text(const Program& program, const SignalSet& set, std::uint32_t own) {
  return fmt::format("{} {} {}", to_text(program, set.word, own), set.add ? "+=" : "=", set.value);
}

std::uint64_t address_of(const Array& array, std::uint32_t copy, std::uint64_t row, std::uint64_t column) {
  const std::uint64_t element = element_bytes(array.type);
  return array.address + copy * array.stride_bytes +
         (array.column_major ? column * array.pitch_bytes + row * element
                             : row * array.pitch_bytes + column * element);
}
std::uint64_t address_of(const Program& program, const View& view) {
  return address_of(program.arrays[view.array], view.copy, view.first_row, view.first_column);
}
std::uint64_t bytes_of(const Program& program, const View& view) {
  return view.rows * view.columns * element_bytes(program.arrays[view.array].type);
}

}  // namespace t3sim::program
