#include "program/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/number.h"
#include "config/codec.h"
#include "program/writes.h"

namespace t3sim::program {
namespace {

using config::Entry;
using config::Node;

constexpr std::int64_t kMostExtent = 1LL << 31, kMostCopies = 1024, kMostWords = 1 << 20;
constexpr std::uint64_t kPageBytes = 2 * 1024 * 1024;
constexpr std::array<Named<Contents>, 3> kContents = {
    {{"values", Contents::values}, {"zeros", Contents::zeros}, {"nothing", Contents::nothing}}};

// One of the names of a table.
template <class E, std::size_t N>
E choice(const Node& node, std::string_view what, const std::array<Named<E>, N>& options) {
  std::vector<std::string> names;
  for (const Named<E>& option : options) {
    if (option.name == scalar(node, what).scalar) return option.value;
    names.emplace_back(option.name);
  }
  throw error_at(node.where, unknown(what, node.scalar, names));
}

bool flag(const Node& node, std::string_view what) {
  return choice(node, what, std::array{Named<bool>{"true", true}, Named<bool>{"false", false}});
}

std::uint64_t count(const Scope& scope, const Node& map, std::string_view key, std::int64_t most) {
  return narrow<std::uint64_t>(
      scope.evaluate(Piece::whole(scalar(needed(map, key, key), key)), key, 1, most));
}

// `all`, the number of a GPU, or a list of them.
std::vector<bool> gpus_of(const Scope& scope, const Node* node, std::uint32_t gpus) {
  if (!node || node->scalar == "all") return std::vector<bool>(gpus, true);
  std::vector<bool> on(gpus);
  const auto add = [&](const Node& gpu) {
    on[evaluate_gpu(scope, Piece::whole(scalar(gpu, "on")), gpus)] = true;
  };
  if (node->type != Node::Type::list) add(*node);
  for (const Node& gpu : node->items) add(gpu);
  return on;
}

void check_name(const Program& program, const Entry& entry) {
  const auto taken = [&](const auto& declared) {
    return std::ranges::any_of(declared, [&](const auto& one) { return one.name == entry.key; });
  };
  if (!is_expression_name(entry.key))
    throw error_at(entry.where,
                   fmt::format("\"{}\" is no name: use letters, digits and _, first a letter", entry.key));
  if (taken(program.arrays) || taken(program.signals))
    throw error_at(entry.where, fmt::format("\"{}\" is an array already; choose another name", entry.key));
}

Array array_of(const Scope& scope, const Entry& entry, std::uint32_t gpus) {
  Array array;
  array.name = entry.key;
  array.rows = count(scope, entry.value, "rows", kMostExtent);
  array.columns = count(scope, entry.value, "columns", kMostExtent);
  if (const Node* type = optional(entry.value, "type"))
    array.type = choice(*type, "type", names_of(DataType{}));
  if (optional(entry.value, "copies"))
    array.copies = narrow<std::uint32_t>(count(scope, entry.value, "copies", kMostCopies));
  if (const Node* major = optional(entry.value, "column_major"))
    array.column_major = flag(*major, "column_major");
  if (const Node* contents = optional(entry.value, "contents"))
    array.contents = choice(*contents, "contents", kContents);
  array.on = gpus_of(scope, optional(entry.value, "on"), gpus);
  const std::uint64_t contiguous = array.column_major ? array.rows : array.columns;
  array.pitch_bytes = align_up(contiguous * element_bytes(array.type), kLineBytes);
  array.stride_bytes = array.pitch_bytes * (array.column_major ? array.columns : array.rows);
  return array;
}

}  // namespace

void declare_arrays(const ProgramText& text, const Scope& scope, Program& program) {
  for (const Entry& entry : needed(text.root, "arrays", "program").entries) {
    check_name(program, entry);
    program.arrays.push_back(array_of(scope, entry, program.gpu_count));
  }
}

void declare_signals(const ProgramText& text, const Scope& scope, Program& program) {
  const Node* declared = optional(text.root, "signals");
  if (!declared) return;
  for (const Entry& entry : declared->entries) {
    check_name(program, entry);
    Signals signals;
    signals.name = entry.key;
    const Node* words = entry.value.type == Node::Type::map ? optional(entry.value, "count") : &entry.value;
    signals.count = 1;
    if (words && words->type != Node::Type::nothing)
      signals.count = narrow<std::uint32_t>(
          scope.evaluate(Piece::whole(scalar(*words, "count")), "count", 1, kMostWords));
    program.signals.push_back(std::move(signals));
  }
}

void evaluate_given(const ProgramText& text, const Context& c) {
  const std::vector<Entry>& entries = needed(text.root, "arrays", "program").entries;
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    ViewText part;
    if (const Node* given = optional(entries[i].value, "given"))
      part = parse_part(Piece::whole(scalar(*given, "given")));
    c.program.arrays[i].given.push_back(evaluate_part(c, i, part, true));
  }
}

void evaluate_initial(const ProgramText& text, const Context& c) {
  const Node* declared = optional(text.root, "signals");
  for (std::size_t i = 0; i < c.program.signals.size(); ++i) {
    Signals& signals = c.program.signals[i];
    std::vector<std::uint64_t>& words = signals.initial.emplace_back(signals.count, 0);
    const Node& node = declared->entries[i].value;
    const Node* value = node.type == Node::Type::map ? optional(node, "value") : nullptr;
    if (!value) continue;
    const Piece piece = Piece::whole(scalar(*value, "value"));
    const std::size_t outer = c.scope.size();
    c.scope.declare("i", 0, value->where);
    for (std::uint32_t word = 0; word < signals.count; ++word) {
      c.scope.set(outer, word);
      words[word] = narrow<std::uint64_t>(c.scope.evaluate(piece, "value", 0, std::int64_t{1} << 62));
    }
    c.scope.shrink(outer);
  }
}

void infer_contents(const ProgramText& text, Program& program) {
  const std::vector<bool> written = written_arrays(program);
  const std::vector<Entry>& entries = needed(text.root, "arrays", "program").entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (optional(entries[i].value, "contents")) continue;
    const bool has_values = optional(entries[i].value, "given") || !written[i];
    program.arrays[i].contents = has_values ? Contents::values : Contents::nothing;
  }
}

void place(Program& program) {
  std::uint64_t at = kPageBytes;
  for (Array& array : program.arrays) {
    array.address = at;
    at = align_up(at + array.copies * array.stride_bytes, kPageBytes);
  }
  for (Signals& signals : program.signals) {
    signals.address = at;
    at += std::uint64_t{signals.count} * kLineBytes;
  }
  program.end_address = align_up(at, kPageBytes);
  if (program.end_address > kAddressSpaceBytes)
    throw InputError(fmt::format("{}: arrays and signals take {} GiB on a GPU; at most {} GiB", program.file,
                                 program.end_address >> 30, kAddressSpaceBytes >> 30));
}

void each_stream(const Piece& declaration, Scope& scope, const config::Location& where,
                 const std::function<void(const std::string&)>& f) {
  const NameText text = parse_name(declaration);
  const std::string name(text.name.text);
  if (text.index.empty()) return f(name);
  const std::size_t in = text.index.text.find(" in ");
  if (in == text.index.text.npos)
    throw error_at(text.index, fmt::format("expected NAME in FIRST .. LAST, found \"{}\"", text.index.text));
  const auto [first, last] = evaluate_range(scope, text.index.from(in + 4));
  const std::size_t outer = scope.size();
  scope.declare(std::string(text.index.from(0, in).text), first, where);
  for (std::int64_t value = first; value <= last; ++value) {
    scope.set(outer, value);
    f(fmt::format("{}[{}]", name, value));
  }
  scope.shrink(outer);
}

}  // namespace t3sim::program
