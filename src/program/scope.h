// The names that a program's expressions can use at a place of its text, and their values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/expression.h"
#include "program/messages.h"

namespace t3sim::program {

// Which names a place has follows from the text alone: an expression is compiled once, and has other values
// each time that it is evaluated.
class Scope {
 public:
  // Names that a text cannot give away.
  static bool is_reserved(std::string_view name);

  // Throws InputError at `where` for what is no name and for a name that is there already.
  void declare(const std::string& name, std::int64_t value, const config::Location& where);
  // A name of the language.
  void add(std::string name, std::int64_t value);
  std::int64_t last() const { return values_.back(); }
  void set_last(std::int64_t value) { values_.back() = value; }
  void set(std::size_t index, std::int64_t value) { values_[index] = value; }
  // A name that exists, but has no value here.
  void add_missing(std::string name, std::string why);

  std::size_t size() const { return values_.size(); }
  // Forgets all names but the first `size`.
  void shrink(std::size_t size);

  // The value of an expression. Throws InputError, which names the GPU.
  std::int64_t evaluate(const Piece& piece) const;
  std::int64_t evaluate(const config::Node& node, std::string_view what) const;
  // That is within first .. last. `what` names it: "rows".
  std::int64_t evaluate(const Piece& piece, std::string_view what, std::int64_t first,
                        std::int64_t last) const;

  // "m = 8192, rows = 1024": names [first, end).
  std::string text(std::size_t first, std::size_t end) const;
  // What messages begin with: "GPU 1: ".
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  const std::string& prefix() const { return prefix_; }

 private:
  const Expression& compiled(const Piece& piece) const;

  Vocabulary vocabulary_;
  std::vector<std::int64_t> values_;
  std::string prefix_;
  mutable std::map<std::pair<const char*, std::size_t>, Expression> compiled_;  // by the piece's text
};

// first .. last of a loop: "0 .. gpus - 1".
std::pair<std::int64_t, std::int64_t> evaluate_range(const Scope& scope, const Piece& piece);

}  // namespace t3sim::program
