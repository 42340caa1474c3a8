// Functional mode of programs (run.functional): numbers that arrays hold before, and whether the program has made of
// them what it promises.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/gpu.h"
#include "program/program.h"

namespace t3sim {

class ProgramValues {
 public:
  static constexpr std::uint64_t kMostElements = 1ULL << 26;  // of all arrays on all GPUs
  // What is in memory where an array has nothing before.
  static constexpr std::int32_t kRubbish = 7'000'001;

  // Throws InputError for programs that are too large and for elements of one byte.
  ProgramValues(const program::Program& program, std::uint64_t seed);

  // Of a GPU; memory changes while a program runs.
  FunctionalGpu& gpu(std::uint32_t gpu) { return gpus_[gpu]; }

  // What an element is before: 1 to 9 where the array has values, from seed, GPU and place.
  std::int32_t before(const program::View& element) const;
  // What it is now. Of a view, its first element counts.
  std::int32_t now(const program::View& element) const;

  // Compares every promise with memory; returns how many elements were compared. Throws CheckError for the first that is
  // wrong: its promise, where it is, what it is and what it should be. Throws InputError for a promise that speaks of
  // what no GPU has before.
  std::uint64_t check() const;

 private:
  struct Matrix {
    std::uint64_t rows = 0, columns = 0;
    std::vector<std::int32_t> values;  // row by row
    std::int32_t& at(std::uint64_t row, std::uint64_t column) { return values[row * columns + column]; }
    std::int32_t at(std::uint64_t row, std::uint64_t column) const { return values[row * columns + column]; }
  };

  void fill(const program::Array& array, std::uint32_t index, std::uint32_t gpu);
  bool has(const program::View& element) const;
  Matrix matrix(const program::Promise& promise, const program::Formula& formula) const;
  Matrix of_view(const program::Promise& promise, const program::Formula& formula) const;
  std::int32_t gathered(const program::Promise& promise, program::View element) const;
  static Matrix product(const Matrix& a, const Matrix& b);
  void check(const program::Promise& promise, const program::Promise::Part& part) const;

  program::Program program_;  // may be gone when values are looked at
  std::uint64_t seed_;
  std::vector<FunctionalGpu> gpus_;
};

}  // namespace t3sim
