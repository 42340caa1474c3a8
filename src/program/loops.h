// for, let and if of an item in a list: of a command, or of a word or a view where several may be.
//
//   {for: {d: 1 .. gpus - 1}, let: {p: (rank + d) % gpus}, if: p != 3, do: ...}
//
// The variables of `for` are nested, the first one outermost; `let` comes inside, `if` last. Both ends of a
// range belong to it; a range whose end is before its beginning is empty.
#pragma once

#include <cstdint>
#include <functional>

#include "program/scope.h"

namespace t3sim::program {

class Loops {
 public:
  static constexpr std::uint64_t kMostRounds = 10'000'000;

  explicit Loops(Scope& scope) : scope_(scope) {}

  // f(body) for each round: the value of `do` or `else`, or the item itself where it has neither. The names of
  // the round are in the scope meanwhile.
  void expand(const config::Node& item, const std::function<void(const config::Node& body)>& f);
  // f(leaf) for each leaf of a list of items, or of one item.
  void each(const config::Node& items, const std::function<void(const config::Node& leaf)>& f);

 private:
  void round(const config::Node& item, const std::function<void(const config::Node&)>& f);
  void loop(const config::Node& item, std::size_t variable,
            const std::function<void(const config::Node&)>& f);

  Scope& scope_;
  std::uint64_t rounds_ = 0;
};

}  // namespace t3sim::program
