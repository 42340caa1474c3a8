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
// A wait is after each addition without which the word could not have become the value, or after the first of several
// stores of at least that value, if they come in order; and in any case after all that is before each of the additions,
// or of the stores. Where the waits of a stream reset their word, the k-th wait is after the k-th store. Of a word that
// is both stored to and added to, nothing is said. What sets a word without a fence is before nobody who sees it.
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
  // All rows anew; true if one has changed. A wait on one of several stores looks at all of them: rows begin with
  // everything, and shrink until they fit one another.
  bool pass(const std::vector<std::uint32_t>& order);
  // To the row that is being made:
  void add(std::uint32_t before);
  void add(const Setter& setter);
  void add_wait(const StepWait& wait);
  void add_additions(const std::vector<Setter>& setters, const StepWait& wait);
  void add_stores(const std::vector<Setter>& setters, const StepWait& wait);
  void add_common(const std::vector<Setter>& setters);

  const Steps& steps_;
  std::size_t width_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint64_t> next_;           // the row that is being made
  std::vector<std::vector<Setter>> setters_;  // by word, in an order in which they can come
  std::vector<bool> known_;                   // by step: its row has been made once
  bool ahead_ = false;                        // a row was looked at before
};

}  // namespace t3sim::program
