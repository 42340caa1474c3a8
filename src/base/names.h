// One table of names per enum, beside the enum and found by its type: what files say, messages print and help lists.
//
//   enum class Colour : std::uint8_t { red, green };
//   constexpr auto names_of(Colour) { return std::array{Named{"red", Colour::red}, Named{"green", Colour::green}}; }
//
//   to_string(Colour::red)   "red"
#pragma once

#include <array>
#include <string_view>

namespace t3sim {

template <class E>
struct Named {
  std::string_view name;
  E value;
};
template <class E>
Named(const char*, E) -> Named<E>;

template <class E>
concept HasNames = requires {
  names_of(E{});
};

// Empty for a value that the table does not have.
template <HasNames E>
constexpr std::string_view to_string(E value) {
  for (const auto& entry : names_of(E{}))
    if (entry.value == value) return entry.name;
  return {};
}

}  // namespace t3sim
