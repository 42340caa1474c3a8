// What memory moves: lines of the L2, in whole sectors.
#pragma once

#include <cstdint>

namespace t3sim {

inline constexpr std::uint32_t kLineBytes = 128;
inline constexpr std::uint32_t kSectorBytes = 32;

}  // namespace t3sim
