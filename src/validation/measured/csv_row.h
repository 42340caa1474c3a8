// One row of a CSV table, its fields by the names of their columns. Errors name the file and the line.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "base/csv.h"
#include "validation/measured/rows.h"

namespace t3sim {

class CsvRow {
 public:
  CsvRow(const CsvTable& table, const std::string& file) : table_(table), file_(file) {}

  std::string text(std::string_view column) const { return std::string(table_.text(table_.column(column))); }

  // The table has the column, and the row something in it.
  bool has(std::string_view column) const { return table_.has_column(column) && !text(column).empty(); }

  std::uint64_t whole(std::string_view column, std::uint64_t min, std::uint64_t max) const {
    return whole_of(column, table_.text(table_.column(column)), min, max);
  }
  // `text`, a part of a field.
  std::uint64_t whole_of(std::string_view column, std::string_view text, std::uint64_t min,
                         std::uint64_t max) const {
    const std::uint64_t value = parsed<std::uint64_t>(column, text, "a whole number");
    if (value < min || value > max) fail(fmt::format("{}: '{}' is outside {} to {}", column, text, min, max));
    return value;
  }

  double positive(std::string_view column) const {
    const double value = not_negative(column);
    if (value == 0) fail(fmt::format("{}: must be greater than 0", column));
    return value;
  }
  // Of either sign.
  double number(std::string_view column) const {
    return number_of(column, table_.text(table_.column(column)));
  }
  double number_of(std::string_view column, std::string_view text) const {
    const double value = parsed<double>(column, text, "a number");
    if (!std::isfinite(value)) fail(fmt::format("{}: '{}' must be finite", column, text));
    return value;
  }
  double not_negative(std::string_view column) const {
    const std::string_view text = table_.text(table_.column(column));
    const double value = parsed<double>(column, text, "a number");
    if (!std::isfinite(value) || value < 0) fail(fmt::format("{}: '{}' must be 0 or more", column, text));
    return value;
  }
  // A time in seconds; over an hour or under a nanosecond it is taken for one in other units.
  double seconds(std::string_view column) const {
    const double value = positive(column);
    if (value > 3600) fail(fmt::format("{}: {} s is over an hour: is it in seconds?", column, value));
    if (value < 1e-9) fail(fmt::format("{}: {} s is under a nanosecond: is it in seconds?", column, value));
    return value;
  }

  RowPlace place() const {
    return {file_, table_.line_number(), table_.has_column("gpu") ? text("gpu") : std::string()};
  }
  [[noreturn]] void fail(std::string_view what) const { table_.fail(what); }

 private:
  template <class T>
  T parsed(std::string_view column, std::string_view text, const char* kind) const {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
      fail(fmt::format("{}: '{}' is not {}", column, text, kind));
    return value;
  }

  const CsvTable& table_;
  const std::string& file_;
};

}  // namespace t3sim
