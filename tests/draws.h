// How much a test tries: under sanitizers, which take ten times as long, less. They look at the code that runs, not at
// its results.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <vector>

namespace t3sim {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Of n random cases.
template <class Number>
constexpr Number draws(Number n) {
  return kSanitized ? n / 10 : n;
}

// Of cases that one test goes through: the first.
template <class Case>
std::vector<Case> few(std::initializer_list<Case> cases, std::size_t n) {
  return std::vector<Case>(cases.begin(), kSanitized ? cases.begin() + n : cases.end());
}

template <class Case>
std::span<const Case> few(const std::vector<Case>& cases, std::size_t n) {
  return {cases.data(), kSanitized ? std::min(n, cases.size()) : cases.size()};
}

}  // namespace t3sim

// At the start of a test whose result needs a run so large that sanitizers have no time for it. Smaller tests, and the
// golden runs, run the same code under sanitizers.
#define T3_SKIP_IF_SANITIZED() \
  if constexpr (kSanitized) GTEST_SKIP() << "a large run of what smaller tests run under sanitizers"
