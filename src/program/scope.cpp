#include "program/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace t3sim::program {
namespace {

constexpr std::array<std::string_view, 9> kReserved = {
    "rank", "gpus", "tile", "row", "column", "tile_m", "tile_n", "tile_rows", "tile_columns"};

}  // namespace

bool Scope::is_reserved(std::string_view name) {
  return std::ranges::find(kReserved, name) != kReserved.end();
}

void Scope::declare(const std::string& name, std::int64_t value, const config::Location& where) {
  if (is_reserved(name))
    throw error_at(where, fmt::format("\"{}\" has a meaning already; choose another name", name));
  if (!is_expression_name(name))
    throw error_at(where, fmt::format("\"{}\" is no name: use letters, digits and _, first a letter", name));
  if (std::ranges::find(vocabulary_.names, name) != vocabulary_.names.end())
    throw error_at(where, fmt::format("\"{}\" is declared already; choose another name", name));
  add(name, value);
}

void Scope::add(std::string name, std::int64_t value) {
  vocabulary_.names.push_back(std::move(name));
  values_.push_back(value);
}

void Scope::add_missing(std::string name, std::string why) {
  vocabulary_.missing.push_back({std::move(name), std::move(why)});
}

void Scope::shrink(std::size_t size) {
  vocabulary_.names.resize(size);
  values_.resize(size);
}

const Expression& Scope::compiled(const Piece& piece) const {
  const std::pair key(piece.text.data(), piece.text.size());
  const auto found = compiled_.find(key);
  if (found != compiled_.end()) return found->second;
  try {
    return compiled_.emplace(key, Expression(piece.text, vocabulary_)).first->second;
  } catch (const ExpressionError& e) {
    throw error_at(piece, e.what(), e.offset);
  }
}

std::int64_t Scope::evaluate(const Piece& piece) const {
  const Expression& expression = compiled(piece);
  try {
    return expression.evaluate(values_);
  } catch (const ExpressionError& e) {
    throw error_at(piece, prefix_ + e.what(), e.offset);
  }
}

std::int64_t Scope::evaluate(const config::Node& node, std::string_view what) const {
  return evaluate(Piece::whole(scalar(node, what)));
}

std::int64_t Scope::evaluate(const Piece& piece, std::string_view what, std::int64_t first,
                             std::int64_t last) const {
  const std::int64_t value = evaluate(piece);
  if (value < first || value > last)
    throw error_at(piece, fmt::format("{}{} {}; allowed: {} to {}", prefix_, what, value, first, last));
  return value;
}

std::string Scope::text(std::size_t first, std::size_t end) const {
  std::string text;
  for (std::size_t i = first; i < end; ++i)
    text += fmt::format("{}{} = {}", i == first ? "" : ", ", vocabulary_.names[i], values_[i]);
  return text;
}

std::pair<std::int64_t, std::int64_t> evaluate_range(const Scope& scope, const Piece& piece) {
  const std::size_t dots = piece.text.find("..");
  if (dots == piece.text.npos)
    throw error_at(piece, fmt::format("expected FIRST .. LAST, found \"{}\"", piece.text));
  return {scope.evaluate(piece.from(0, dots)), scope.evaluate(piece.from(dots + 2))};
}

}  // namespace t3sim::program
