#include "report/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"

namespace t3sim::report {

CsvRows::CsvRows(std::string_view text, std::string path, std::string_view header)
    : rest_(text), path_(std::move(path)) {
  if (take_line() != header) refuse(fmt::format("expected the columns {}", header));
  split(header);
  columns_ = fields_.size();
}

bool CsvRows::next() {
  if (rest_.empty()) return false;
  split(take_line());
  if (fields_.size() != columns_)
    refuse(fmt::format("expected {} fields, found {}", columns_, fields_.size()));
  return true;
}

double CsvRows::number(std::size_t column) const {
  const std::string& text = fields_[column];
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    refuse(fmt::format("\"{}\" is not a number", text));
  return value;
}

void CsvRows::refuse(std::string_view why) const {
  throw InputError(fmt::format("{}:{}: {}", path_, line_, why));
}

std::string_view CsvRows::take_line() {
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  const std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++line_;
  return line;
}

// t3sim writes no field with a line break in it.
void CsvRows::split(std::string_view line) {
  fields_.assign(1, "");
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line.substr(i, 2) == "\"\"")
      fields_.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      fields_.emplace_back();
    else
      fields_.back() += line[i];
  }
}

}  // namespace t3sim::report
