// Numbers that change their type.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace t3sim {

// The same number in a type that may be too small for others: an assertion says where it is for this one.
template <std::integral To, std::integral From>
constexpr To narrow(From value) {
  if constexpr (!std::same_as<From, char> && !std::same_as<To, char>) assert(std::in_range<To>(value));
  return static_cast<To>(value);
}

// The place of an enumerator among those of its enumeration.
template <class Enum>
requires std::is_enum_v<Enum>
constexpr std::size_t ordinal(Enum value) { return static_cast<std::size_t>(value); }

// A count or a time as a real number: exact below 2^53.
template <std::integral Count>
constexpr double real(Count value) {
  return static_cast<double>(value);
}

// 0 of nothing.
constexpr double ratio(double part, double whole) { return whole == 0 ? 0 : part / whole; }

}  // namespace t3sim
