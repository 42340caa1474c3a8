#include "program/references.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace t3sim::program {
namespace {

bool is_name_character(char c) {
  return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_' || c == '-';
}

// The name that a reference begins with.
Piece leading_name(const Piece& text, std::string_view what) {
  std::size_t end = 0;
  while (end < text.text.size() && is_name_character(text.text[end])) ++end;
  if (end == 0) throw error_at(text, fmt::format("expected {}, found \"{}\"", what, text.text));
  return text.from(0, end);
}

// Where the bracket at `open` is closed.
std::size_t closing(const Piece& text, std::size_t open) {
  const std::size_t close = text.text.find(']', open);
  if (close == text.text.npos) throw error_at(text, "this [ is not closed", open);
  return close;
}

// Parts between commas that are in no parentheses.
std::vector<Piece> between_commas(const Piece& text) {
  std::vector<Piece> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.text.size(); ++i) {
    const char c = text.text[i];
    depth += (c == '(') - (c == ')');
    if (c != ',' || depth != 0) continue;
    parts.push_back(text.from(begin, i));
    begin = i + 1;
  }
  parts.push_back(text.from(begin));
  return parts;
}

// The colon of lo:hi, which is none of those of c ? a : b.
std::size_t range_colon(std::string_view text) {
  int depth = 0, questions = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth != 0) continue;
    if (text[i] == '?') ++questions;
    if (text[i] == ':' && questions-- == 0) return i;
  }
  return text.npos;
}

RangeText parse_range(const Piece& text, std::string_view what) {
  const std::size_t colon = range_colon(text.text);
  if (colon == text.text.npos)
    throw error_at(text, fmt::format("{}: expected FIRST:END, found \"{}\"", what, text.text));
  return {text, text.from(0, colon), text.from(colon + 1)};
}

void parse_dimensions(const Piece& inside, ViewText& view) {
  for (const Piece& part : between_commas(inside)) {
    const std::size_t word = std::min(part.text.find_first_of(" \t"), part.text.size());
    const std::string_view key = part.text.substr(0, word);
    const Piece rest = part.from(word);
    if (key == "rows" && !view.rows) {
      view.rows = parse_range(rest, "rows");
    } else if (key == "columns" && !view.columns) {
      view.columns = parse_range(rest, "columns");
    } else if (key == "copy" && view.copy.empty() && !rest.empty()) {
      view.copy = rest;
    } else {
      throw error_at(part,
                     fmt::format("expected rows FIRST:END, columns FIRST:END or copy NUMBER, each once; "
                                 "found \"{}\"",
                                 part.text));
    }
  }
}

// What is between "@" and `end`.
Piece gpu_of(const Piece& text, std::size_t at, std::size_t end) {
  const Piece gpu = text.from(at + 1, end);
  if (gpu.empty()) throw error_at(text, "expected a GPU's number after @", at);
  return gpu;
}

// The first operator of a word from `at` on; npos if there is none.
std::size_t word_operator(std::string_view text, std::size_t at, std::string& op) {
  for (std::size_t i = at; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("==") || rest.starts_with("!=") || rest.starts_with("<=")) {
      ++i;  // of an expression
      continue;
    }
    for (const char* candidate : {"+=", ">=", "="})
      if (rest.starts_with(candidate)) {
        op = candidate;
        return i;
      }
  }
  return text.npos;
}

}  // namespace

ViewText parse_view(const Piece& text) {
  ViewText view;
  view.whole = text;
  view.array = leading_name(text, "an array");
  const std::size_t open = text.text.find('[');
  const Piece head = text.from(view.array.text.size(), open);
  if (!head.empty()) {
    const std::size_t at = head.offset - text.offset;
    if (head.text[0] != '@')
      throw error_at(head, fmt::format("expected @GPU, [ or the end, found \"{}\"", head.text));
    view.gpu = gpu_of(text, at, open);
  }
  if (open == text.text.npos) return view;
  const std::size_t close = closing(text, open);
  if (const Piece rest = text.from(close + 1); !rest.empty())
    throw error_at(rest, fmt::format("expected the end, found \"{}\"", rest.text));
  parse_dimensions(text.from(open + 1, close), view);
  return view;
}

ViewText parse_part(const Piece& text) {
  ViewText view;
  view.whole = text;
  parse_dimensions(text, view);
  if (!view.copy.empty()) throw error_at(view.copy, "expected rows and columns only");
  return view;
}

WordText parse_word(const Piece& text) {
  WordText word;
  word.whole = text;
  word.signals = leading_name(text, "a signal");
  std::size_t end = word.signals.text.size();
  std::size_t op_at = word_operator(text.text, end, word.op);
  const std::size_t open = text.text.find('[', end);
  const bool indexed = open != text.text.npos && open < op_at;
  if (indexed) {
    const std::size_t close = closing(text, open);
    word.index = text.from(open + 1, close);
    if (word.index.empty()) throw error_at(text, "expected a word's number after [", open);
    op_at = word_operator(text.text, close, word.op);
    if (const Piece rest = text.from(close + 1, op_at); !rest.empty())
      throw error_at(rest, fmt::format("expected =, +=, >= or the end, found \"{}\"", rest.text));
  }
  if (const Piece head = text.from(end, indexed ? open : op_at); !head.empty()) {
    if (head.text[0] != '@')
      throw error_at(head, fmt::format("expected @GPU, [, =, +=, >= or the end, found \"{}\"", head.text));
    word.gpu = gpu_of(text, head.offset - text.offset, indexed ? open : op_at);
  }
  if (op_at != text.text.npos) word.value = text.from(op_at + word.op.size());
  if (!word.op.empty() && word.value.empty()) throw error_at(text, "expected a value at the end");
  return word;
}

NameText parse_name(const Piece& text) {
  NameText name;
  name.whole = text;
  name.name = leading_name(text, "a name");
  const Piece rest = text.from(name.name.text.size());
  if (rest.empty()) return name;
  if (rest.text.front() != '[' || rest.text.back() != ']' || rest.text.size() < 3)
    throw error_at(rest, fmt::format("expected [NUMBER] or the end, found \"{}\"", rest.text));
  name.index = rest.from(1, rest.text.size() - 1);
  return name;
}

}  // namespace t3sim::program
