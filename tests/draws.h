// How many random cases a test draws.
#pragma once

namespace t3sim {

// Under sanitizers, which take ten times as long, a tenth: they look at the code that runs, not at its results.
template <class Number>
constexpr Number draws(Number n) {
#ifdef __SANITIZE_ADDRESS__
  return n / 10;
#else
  return n;
#endif
}

}  // namespace t3sim
