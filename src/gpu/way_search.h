// What a set-associative cache asks of all ways of a set: who has this value, and everybody's age.
//
// A simulated access does this two or three times, so where the number of ways is a usual one it is done sixteen bytes at a
// time, with the vectors that every x86-64 has; elsewhere by a loop with the same result.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace t3sim {

// Bits of a rank; the one above says that the way is locked.
inline constexpr std::uint8_t kWayRank = 0x7F, kWayLocked = 0x80;

template <class Ways>
inline constexpr bool kVectorWays = false;
#ifdef __SSE2__
template <std::uint32_t N>
inline constexpr bool kVectorWays<std::integral_constant<std::uint32_t, N>> = N % 16 == 0 || N % 16 == 4;

namespace way_vectors {

inline __m128i load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
inline __m128i load_4(const void* from) {
  int four;
  std::memcpy(&four, from, sizeof four);
  return _mm_cvtsi32_si128(four);
}
inline std::uint32_t bits(__m128i bytes) { return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes)); }

// A bit for each of sixteen, or of four, that is `wanted`.
inline std::uint32_t equal_16(const std::uint32_t* values, __m128i wanted) {
  const __m128i low =
      _mm_packs_epi32(_mm_cmpeq_epi32(load(values), wanted), _mm_cmpeq_epi32(load(values + 4), wanted));
  const __m128i high =
      _mm_packs_epi32(_mm_cmpeq_epi32(load(values + 8), wanted), _mm_cmpeq_epi32(load(values + 12), wanted));
  return bits(_mm_packs_epi16(low, high));
}
inline std::uint32_t equal_4(const std::uint32_t* values, __m128i wanted) {
  return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(load(values), wanted))));
}
inline std::uint32_t equal_16(const std::uint8_t* values, __m128i wanted) {
  return bits(_mm_cmpeq_epi8(load(values), wanted));
}
inline std::uint32_t equal_4(const std::uint8_t* values, __m128i wanted) {
  return bits(_mm_cmpeq_epi8(load_4(values), wanted)) & 0xF;
}
inline __m128i all_of(std::uint32_t value) { return _mm_set1_epi32(static_cast<int>(value)); }
inline __m128i all_of(std::uint8_t value) { return _mm_set1_epi8(static_cast<char>(value)); }

// Ranks below `mine` are one higher.
inline __m128i aged(__m128i ranks, __m128i mine) {
  const __m128i below = _mm_cmpgt_epi8(mine, _mm_and_si128(ranks, _mm_set1_epi8(kWayRank)));
  return _mm_sub_epi8(ranks, below);
}

}  // namespace way_vectors
#endif

// 1 + the first way that has this value; 0 if none has. One branch only depends on what is found.
template <class T, class Ways>
[[gnu::always_inline]] inline std::uint32_t way_after(const T* values, T wanted, Ways ways) {
#ifdef __SSE2__
  if constexpr (kVectorWays<Ways>) {
    static_assert(ways <= 64);
    const __m128i all = way_vectors::all_of(wanted);
    std::uint64_t found = 0;
    for (std::uint32_t w = 0; w + 16 <= ways; w += 16)
      found |= std::uint64_t{way_vectors::equal_16(values + w, all)} << w;
    if constexpr (ways % 16 == 4)
      found |= std::uint64_t{way_vectors::equal_4(values + ways - 4, all)} << (ways - 4);
    return found == 0 ? 0 : static_cast<std::uint32_t>(std::countr_zero(found)) + 1;
  }
#endif
  for (std::uint32_t w = 0; w < ways; ++w)
    if (values[w] == wanted) return w + 1;
  return 0;
}

// All whose rank is below `mine` get one higher.
template <class Ways>
[[gnu::always_inline]] inline void age_below(std::uint8_t* ranks, std::uint8_t mine, Ways ways) {
#ifdef __SSE2__
  if constexpr (kVectorWays<Ways>) {
    const __m128i all = way_vectors::all_of(mine);
    for (std::uint32_t w = 0; w + 16 <= ways; w += 16)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(ranks + w),
                       way_vectors::aged(way_vectors::load(ranks + w), all));
    if constexpr (ways % 16 == 4) {
      const int four = _mm_cvtsi128_si32(way_vectors::aged(way_vectors::load_4(ranks + ways - 4), all));
      std::memcpy(ranks + ways - 4, &four, sizeof four);
    }
    return;
  }
#endif
  for (std::uint32_t w = 0; w < ways; ++w)
    ranks[w] = static_cast<std::uint8_t>(ranks[w] + ((ranks[w] & kWayRank) < mine ? 1 : 0));
}

}  // namespace t3sim
