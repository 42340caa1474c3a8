#include "runtime/program_values.h"

#include <fmt/format.h>

#include "base/error.h"
#include "program/messages.h"
#include "program/views.h"
#include "runtime/body_values.h"

namespace t3sim {

using program::Array;
using program::Contents;
using program::Formula;
using program::Promise;
using program::View;

namespace {

std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

View element_of(const View& view, std::uint64_t row, std::uint64_t column) {
  View element = view;
  element.first_row += row;
  element.first_column += column;
  element.rows = element.columns = 1;
  return element;
}

bool is_within(const View& part, const View& element) {
  return element.first_row >= part.first_row && element.first_row < part.first_row + part.rows &&
         element.first_column >= part.first_column && element.first_column < part.first_column + part.columns;
}

}  // namespace

ProgramValues::ProgramValues(const program::Program& program, std::uint64_t seed)
    : program_(program), seed_(seed), gpus_(program.gpu_count) {
  std::uint64_t elements = 0;
  for (const Array& array : program.arrays) {
    elements += array.rows * array.columns * array.copies * program.gpu_count;
    if (element_bytes(array.type) < kElementBytes)
      throw InputError(fmt::format("run.functional: {} is {}; elements of one byte carry no numbers",
                                   array.name, to_string(array.type)));
  }
  if (elements > kMostElements)
    throw InputError(fmt::format("run.functional: arrays of {} elements on {} GPUs; at most {}", elements,
                                 program.gpu_count, kMostElements));
  for (std::uint32_t g = 0; g < program.gpu_count; ++g) {
    gpus_[g].above_l2 = true;
    for (std::uint32_t a = 0; a < program.arrays.size(); ++a) fill(program.arrays[a], a, g);
  }
}

void ProgramValues::fill(const Array& array, std::uint32_t index, std::uint32_t gpu) {
  if (gpu < array.on.size() && !array.on[gpu]) return;
  View element{.array = index, .gpu = gpu};
  for (element.copy = 0; element.copy < array.copies; ++element.copy)
    for (element.first_row = 0; element.first_row < array.rows; ++element.first_row)
      for (element.first_column = 0; element.first_column < array.columns; ++element.first_column)
        gpus_[gpu].memory.set_element(
            address_of(array, element.copy, element.first_row, element.first_column), before(element));
}

bool ProgramValues::has(const View& element) const {
  const Array& array = program_.arrays[element.array];
  if (array.contents == Contents::nothing) return false;
  return element.gpu >= array.given.size() || is_within(array.given[element.gpu], element);
}

std::int32_t ProgramValues::before(const View& element) const {
  if (!has(element)) return kRubbish;
  if (program_.arrays[element.array].contents == Contents::zeros) return 0;
  const std::uint64_t place = (element.first_row << 32 | element.first_column) ^
                              static_cast<std::uint64_t>(element.copy) << 24 ^
                              static_cast<std::uint64_t>(element.array) << 56;
  return static_cast<std::int32_t>(mix(place ^ mix(seed_ * 1'000'003 + element.gpu)) % 9) + 1;
}

std::int32_t ProgramValues::now(const View& element) const {
  return gpus_[element.gpu].memory.element(address_of(program_, element));
}

std::int32_t ProgramValues::gathered(const Promise& promise, View element) const {
  for (element.gpu = 0; element.gpu < program_.gpu_count; ++element.gpu) {
    const std::vector<bool>& on = program_.arrays[element.array].on;
    if ((element.gpu >= on.size() || on[element.gpu]) && has(element)) return before(element);
  }
  throw error_at(promise.place,
                 fmt::format("promises: no GPU has row {}, column {} of {} before the program",
                             element.first_row, element.first_column, program_.arrays[element.array].name));
}

ProgramValues::Matrix ProgramValues::of_view(const Promise& promise, const Formula& formula) const {
  const View& view = formula.view;
  Matrix m{view.rows, view.columns, std::vector<std::int32_t>(view.rows * view.columns)};
  for (std::uint64_t r = 0; r < m.rows; ++r)
    for (std::uint64_t c = 0; c < m.columns; ++c) {
      const View element = element_of(view, r, c);
      if (formula.kind == Formula::Kind::gathered) {
        m.at(r, c) = gathered(promise, element);
        continue;
      }
      if (!has(element))
        throw error_at(
            promise.place,
            fmt::format("promises: {} has nothing before the program; formulas speak of what is there "
                        "before it",
                        to_text(program_, element, program_.gpu_count)));
      m.at(r, c) = before(element);
    }
  return m;
}

ProgramValues::Matrix ProgramValues::product(const Matrix& a, const Matrix& b) {
  Matrix m{a.rows, b.columns, std::vector<std::int32_t>(a.rows * b.columns)};
  for (std::uint64_t r = 0; r < m.rows; ++r)
    for (std::uint64_t k = 0; k < a.columns; ++k)
      for (std::uint64_t c = 0; c < m.columns; ++c)
        m.at(r, c) = wrapped_sum(m.at(r, c), wrapped_product(a.at(r, k), b.at(k, c)));
  return m;
}

ProgramValues::Matrix ProgramValues::matrix(const Promise& promise, const Formula& formula) const {
  if (formula.kind == Formula::Kind::view || formula.kind == Formula::Kind::gathered)
    return of_view(promise, formula);
  Matrix m = matrix(promise, formula.of[0]);
  if (formula.kind == Formula::Kind::times) return product(m, matrix(promise, formula.of[1]));
  for (std::size_t i = 1; i < formula.of.size(); ++i) {
    const Matrix more = matrix(promise, formula.of[i]);
    if (formula.kind == Formula::Kind::stacked) {
      m.rows += more.rows;
      m.values.insert(m.values.end(), more.values.begin(), more.values.end());
      continue;
    }
    for (std::size_t e = 0; e < m.values.size(); ++e) m.values[e] = wrapped_sum(m.values[e], more.values[e]);
  }
  return m;
}

void ProgramValues::check(const Promise& promise, const Promise::Part& part) const {
  const Matrix right = matrix(promise, part.formula);
  for (std::uint64_t r = 0; r < right.rows; ++r)
    for (std::uint64_t c = 0; c < right.columns; ++c) {
      const View element = element_of(part.view, r, c);
      if (now(element) == right.at(r, c)) continue;
      throw CheckError(fmt::format("{}:{}: row {}, column {} of {} on GPU {} is {}, not {}; promised is {}",
                                   promise.place.file, promise.place.line, element.first_row,
                                   element.first_column, program_.arrays[element.array].name, element.gpu,
                                   now(element), right.at(r, c), promise.text));
    }
}

std::uint64_t ProgramValues::check() const {
  std::uint64_t elements = 0;
  for (const Promise& promise : program_.promises)
    for (const Promise::Part& part : promise.parts) {
      check(promise, part);
      elements += part.view.rows * part.view.columns;
    }
  return elements;
}

}  // namespace t3sim
