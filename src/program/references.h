// References in a program's text: "a@p[rows 0:128, copy 1]" for a view, "here@p[t] += 1" for a word.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/messages.h"

namespace t3sim::program {

// lo:hi; what is not said is the beginning or the end.
struct RangeText {
  Piece whole, first, last;
};

struct ViewText {
  Piece whole, array;
  Piece gpu;  // empty: the own
  Piece copy;
  std::optional<RangeText> rows, columns;
};

// "rows lo:hi, columns lo:hi, copy i": all that may be between the brackets.
ViewText parse_view(const Piece& text);
// Only "rows lo:hi, columns lo:hi".
ViewText parse_part(const Piece& text);

struct WordText {
  Piece whole, signals;
  Piece gpu;       // empty: the own
  Piece index;     // empty: 0
  std::string op;  // "", "=", "+=", ">="
  Piece value;
};
WordText parse_word(const Piece& text);

// NAME or NAME[i], of a stream or an event.
struct NameText {
  Piece whole, name;
  Piece index;  // empty: there is none
};
NameText parse_name(const Piece& text);

}  // namespace t3sim::program
