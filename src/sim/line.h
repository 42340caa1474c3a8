// What memory moves: lines of the L2, in whole sectors.
#pragma once

#include <cstdint>

namespace t3sim {

inline constexpr std::uint32_t kLineBytes = 128;
inline constexpr std::uint32_t kSectorBytes = 32;

// Addresses of a GPU's memory are below this: more than any GPU has, and a line's number takes 32 bits.
inline constexpr std::uint64_t kAddressSpaceBytes = std::uint64_t{1} << 39;

}  // namespace t3sim
