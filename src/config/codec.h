// Kinds of configuration values: each codec turns text into a value and back, and says what it allows.
//
// parse throws std::invalid_argument: what is wrong, and what is allowed. format(parse(text)) may differ from
// text, but parse(format(value)) == value always.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/units.h"

namespace t3sim::config {

enum class Kind {
  count,
  real,
  flag,
  text,
  path,
  choice,
  choice_or_count,
  size,
  bandwidth,
  time,
  frequency,
  dimensions
};

// How help names a kind: "count", "time", …
std::string_view kind_name(Kind kind);

// Inclusive limits, in base units.
struct Limits {
  std::uint64_t min = 0;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
};
struct RealLimits {
  double min = std::numeric_limits<double>::lowest();
  double max = std::numeric_limits<double>::max();
};

template <class E>
struct Option {
  std::string_view name;
  E value;
};
// Written {{"mirror", GpuModel::mirror}, {"explicit", GpuModel::explicit_}} where describe names the key.
template <class E>
using Options = std::initializer_list<Option<E>>;

// `paper | unbounded | 2048`: one of the names, or a number.
template <class E>
using ChoiceOrCount = std::variant<E, std::uint64_t>;

struct CountCodec {
  Limits limits;
  Kind kind() const { return Kind::count; }
  std::uint64_t parse(std::string_view text) const;
  std::string format(std::uint64_t value) const;
  std::string allowed() const;
};

struct RealCodec {
  RealLimits limits;
  Kind kind() const { return Kind::real; }
  double parse(std::string_view text) const;
  std::string format(double value) const;
  std::string allowed() const;
};

struct FlagCodec {
  Kind kind() const { return Kind::flag; }
  bool parse(std::string_view text) const;
  std::string format(bool value) const { return value ? "true" : "false"; }
  std::string allowed() const { return "true | false"; }
};

// Any text; of kind path, the reader makes it absolute, seen from the folder of the file that says it.
struct TextCodec {
  Kind as = Kind::text;
  Kind kind() const { return as; }
  std::string parse(std::string_view text) const { return std::string(text); }
  std::string format(const std::string& value) const { return value; }
  std::string allowed() const { return as == Kind::path ? "a file" : "any text"; }
};

struct QuantityCodec {
  Kind as;
  const Quantity& quantity;
  Limits limits;
  Kind kind() const { return as; }
  std::uint64_t parse(std::string_view text) const;
  std::string format(std::uint64_t value) const { return format_quantity(quantity, value); }
  std::string allowed() const;
};

// A quantity, or `auto`: 0, which the limits leave out.
struct QuantityOrAutoCodec {
  QuantityCodec quantity;
  static constexpr std::uint64_t kAuto = 0;
  Kind kind() const { return quantity.kind(); }
  std::uint64_t parse(std::string_view text) const { return text == "auto" ? kAuto : quantity.parse(text); }
  std::string format(std::uint64_t value) const { return value == kAuto ? "auto" : quantity.format(value); }
  std::string allowed() const { return "auto | " + quantity.allowed(); }
};

// Three lengths: 128x128x32.
struct DimensionsCodec {
  Limits limits;  // of each
  Kind kind() const { return Kind::dimensions; }
  std::array<std::uint32_t, 3> parse(std::string_view text) const;
  std::string format(const std::array<std::uint32_t, 3>& value) const;
  std::string allowed() const;
};

std::string joined(const std::vector<std::string_view>& names);
// "x" is not one of …, with the nearest of the names if one is near.
[[noreturn]] void refuse_choice(std::string_view text, const std::vector<std::string_view>& names,
                                std::string_view allowed);
// An enumerator that describe() did not list: a mistake in the program, not in its input.
[[noreturn]] void refuse_unlisted_enumerator();

template <class E>
struct ChoiceCodec {
  std::vector<Option<E>> options;
  Kind kind() const { return Kind::choice; }
  E parse(std::string_view text) const {
    for (const Option<E>& o : options)
      if (o.name == text) return o.value;
    refuse_choice(text, names(), allowed());
  }
  std::string format(E value) const {
    for (const Option<E>& o : options)
      if (o.value == value) return std::string(o.name);
    refuse_unlisted_enumerator();
  }
  std::string allowed() const { return joined(names()); }
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> all;
    for (const Option<E>& o : options) all.push_back(o.name);
    return all;
  }
};

template <class E>
struct ChoiceOrCountCodec {
  ChoiceCodec<E> choice;
  CountCodec count;
  Kind kind() const { return Kind::choice_or_count; }
  ChoiceOrCount<E> parse(std::string_view text) const {
    if (!text.empty() && text[0] >= '0' && text[0] <= '9') return count.parse(text);
    for (const Option<E>& o : choice.options)
      if (o.name == text) return o.value;
    refuse_choice(text, choice.names(), allowed());
  }
  std::string format(const ChoiceOrCount<E>& value) const {
    if (const E* e = std::get_if<E>(&value)) return choice.format(*e);
    return count.format(std::get<std::uint64_t>(value));
  }
  std::string allowed() const { return choice.allowed() + " | " + count.allowed(); }
};

}  // namespace t3sim::config
