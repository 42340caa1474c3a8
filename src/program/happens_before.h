// Which steps of a program are always over before which others begin: by streams, events, barriers, hosts, and by words
// that only they can have set.
#pragma once

#include <cstdint>
#include <vector>

#include "program/progress.h"
#include "program/steps.h"

namespace t3sim::program {

// A bit for each pair of steps: N^2 / 8 bytes.
//
// A wait is after an addition without which the word could not have become the value, and after the first of several
// stores of at least that value, if they come in order; where they do not, after all that is before each of them. Where
// a wait resets its word, the k-th wait is after the k-th store.
class HappensBefore {
 public:
  static constexpr std::uint32_t kMostSteps = 40'000;  // 200 MB

  // `progress` is complete.
  HappensBefore(const Steps& steps, const Progress& progress);

  bool before(std::uint32_t first, std::uint32_t second) const {
    return (row(second)[first / 64] >> (first % 64) & 1U) != 0;
  }
  bool ordered(std::uint32_t a, std::uint32_t b) const { return before(a, b) || before(b, a); }

 private:
  struct Setter {
    std::uint32_t step;
    StepSet set;
  };

  const std::uint64_t* row(std::uint32_t step) const { return &bits_[std::size_t{step} * width_]; }
  std::uint64_t* row(std::uint32_t step) { return &bits_[std::size_t{step} * width_]; }
  // `step` is after `before` and all that is before it.
  void add(std::uint32_t step, std::uint32_t before);
  void add_waits(const StepWait& wait, std::uint32_t step);
  void add_additions(const std::vector<Setter>& setters, std::uint64_t needed, std::uint32_t step);
  void add_stores(const std::vector<Setter>& setters, const StepWait& wait, std::uint32_t step);

  const Steps& steps_;
  std::size_t width_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::vector<Setter>> setters_;  // by word, in an order in which they can come
  std::vector<std::uint32_t> place_;          // by step: in that order
  std::vector<bool> resets_;                  // by word: a wait resets it
};

}  // namespace t3sim::program
