// Numbers as bytes: LEB128, seven bits a byte, least significant first; signed ones in zigzag form.
#pragma once

#include <cstdint>
#include <vector>

#include "base/number.h"

namespace t3sim {

constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) {
  return narrow<std::int64_t>(value >> 1) ^ -narrow<std::int64_t>(value & 1);
}

inline void put_varint(std::vector<std::uint8_t>& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<std::uint8_t>(value));
}

// Reads a number from a source with `std::uint8_t byte()` and `[[noreturn]] fail(message)`.
template <class Source>
std::uint64_t get_varint(Source& source) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t byte = source.byte();
    value |= narrow<std::uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  source.fail("a number of more than 64 bits");
}

}  // namespace t3sim
