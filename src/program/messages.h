// What messages about a program's text have in common: where, what is wrong, what is allowed.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/node.h"
#include "program/program.h"

namespace t3sim::program {

// Part of a scalar of the text, which must stay where it is.
struct Piece {
  const config::Node* node = nullptr;
  std::string_view text;
  std::size_t offset = 0;  // of `text` in the scalar

  static Piece whole(const config::Node& node) { return {&node, node.scalar, 0}; }
  Piece from(std::size_t begin, std::size_t end = std::string_view::npos) const;  // blanks around it left out
  bool empty() const { return text.empty(); }
};

// "file:line:column: message".
InputError error_at(const config::Location& where, std::string_view message);
InputError error_at(const Piece& piece, std::string_view message, std::size_t offset = 0);
InputError error_at(const Place& place, std::string_view message);
Place place_of(const config::Location& where);

// "unknown array "aa"; did you mean a?", or all that are allowed.
std::string unknown(std::string_view what, std::string_view word, const std::vector<std::string>& allowed);

using Keys = std::initializer_list<std::string_view>;

// The node is keys and values, all of them among `keys`; `what` names it: "a copy". Throws InputError.
void check_keys(const config::Node& node, std::string_view what, Keys keys);
// The value of a key that must be there.
const config::Node& needed(const config::Node& map, std::string_view key, std::string_view what);
// The value of a key, nullptr if it is not said.
const config::Node* optional(const config::Node& map, std::string_view key);
// A scalar of one line and at least one character. Throws InputError.
const config::Node& scalar(const config::Node& node, std::string_view what);

}  // namespace t3sim::program
