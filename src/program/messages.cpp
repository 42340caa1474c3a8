#include "program/messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "base/number.h"

namespace t3sim::program {
namespace {

std::vector<std::string> texts(Keys keys) { return {keys.begin(), keys.end()}; }

}  // namespace

Piece Piece::from(std::size_t begin, std::size_t end) const {
  constexpr std::string_view kBlank = " \t\n";
  begin = std::min(begin, text.size());
  end = std::max(begin, std::min(end, text.size()));
  while (begin < end && kBlank.find(text[begin]) != kBlank.npos) ++begin;
  while (begin < end && kBlank.find(text[end - 1]) != kBlank.npos) --end;
  return {node, text.substr(begin, end - begin), offset + begin};
}

InputError error_at(const config::Location& where, std::string_view message) {
  return InputError(fmt::format("{}: {}", where.text(), message));
}
InputError error_at(const Piece& piece, std::string_view message, std::size_t offset) {
  config::Location where = piece.node->where;
  where.column += narrow<unsigned>(piece.offset + offset) + piece.node->quoted;
  return error_at(where, message);
}
InputError error_at(const Place& place, std::string_view message) {
  return InputError(fmt::format("{}:{}:{}: {}", place.file, place.line, place.column, message));
}
Place place_of(const config::Location& where) {
  return {where.origin, narrow<int>(where.line), narrow<int>(where.column)};
}

std::string unknown(std::string_view what, std::string_view word, const std::vector<std::string>& allowed) {
  const std::string near = nearest(word, allowed);
  if (!near.empty() && near != word)
    return fmt::format("unknown {} \"{}\"; did you mean {}?", what, word, near);
  return fmt::format("unknown {} \"{}\"; allowed: {}", what, word,
                     allowed.empty() ? "none" : fmt::format("{}", fmt::join(allowed, ", ")));
}

void check_keys(const config::Node& node, std::string_view what, Keys keys) {
  if (node.type != config::Node::Type::map)
    throw error_at(node.where, fmt::format("{}: expected keys and values ({}), found {}", what,
                                           fmt::join(keys, ", "), config::what_is(node)));
  for (const config::Entry& entry : node.entries)
    if (std::ranges::find(keys, entry.key) == keys.end())
      throw error_at(entry.where, fmt::format("{}: {}", what, unknown("key", entry.key, texts(keys))));
}

const config::Node& needed(const config::Node& map, std::string_view key, std::string_view what) {
  if (const config::Entry* entry = map.find(key)) return entry->value;
  throw error_at(map.where, fmt::format("{}: says no \"{}\"", what, key));
}

const config::Node* optional(const config::Node& map, std::string_view key) {
  const config::Entry* entry = map.find(key);
  return entry ? &entry->value : nullptr;
}

const config::Node& scalar(const config::Node& node, std::string_view what) {
  if (node.type != config::Node::Type::scalar || node.scalar.empty())
    throw error_at(node.where, fmt::format("{}: expected a text, found {}", what, config::what_is(node)));
  if (std::ranges::any_of(node.scalar, [](unsigned char c) { return c < ' '; }))
    throw error_at(node.where, fmt::format("{}: must be one line, without control characters", what));
  return node;
}

}  // namespace t3sim::program
