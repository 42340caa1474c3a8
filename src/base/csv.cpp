#include "base/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"

namespace t3sim {
namespace {

// The whole of `text` as a T; false if it is none.
template <class T>
bool parse(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

void split_csv(std::string_view line, std::vector<CsvField>& fields) {
  std::size_t used = 0;
  const auto begin = [&](std::size_t at) {
    if (used == fields.size()) fields.emplace_back();
    fields[used].text.clear();
    fields[used++].column = static_cast<unsigned>(at + 1);
  };
  begin(0);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line.substr(i, 2) == "\"\"")
      fields[used - 1].text += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      begin(i + 1);
    else
      fields[used - 1].text += line[i];
  }
  fields.resize(used);
}

CsvTable::CsvTable(const std::filesystem::path& path) : source_(path) { read_header(); }
CsvTable::CsvTable(std::string_view text, std::string name) : source_(text, std::move(name)) {
  read_header();
}

void CsvTable::read_header() {
  std::string_view line;
  if (!source_.next_line(line))
    throw InputError(fmt::format("{}: the file is empty", source_.path().string()));
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // spreadsheets begin UTF-8 with one
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  header_ = line;
  split_csv(line, fields_);
  for (const CsvField& field : fields_) names_.push_back(field.text);
}

bool CsvTable::has_column(std::string_view name) const {
  return std::ranges::find(names_, name) != names_.end();
}

std::size_t CsvTable::column(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) fail(fmt::format("there is no column '{}'", name));
  return static_cast<std::size_t>(found - names_.begin());
}

void CsvTable::expect(std::string_view header) const {
  if (header_ != header) fail(fmt::format("expected the columns {}", header));
}

bool CsvTable::next_row() {
  std::string_view line;
  do {
    if (!source_.next_line(line)) return false;
  } while (line.empty());
  split_csv(line, fields_);
  if (fields_.size() != names_.size())
    fail(fmt::format("{} fields where there are {} columns", fields_.size(), names_.size()));
  return true;
}

std::uint64_t CsvTable::number(std::size_t column) const {
  std::uint64_t value = 0;
  if (!parse(text(column), value))
    fail(fmt::format("{}: '{}' is not a whole number", names_[column], text(column)));
  return value;
}

double CsvTable::real(std::size_t column) const {
  double value = 0;
  if (!parse(text(column), value) || !std::isfinite(value))
    fail(fmt::format("{}: '{}' is not a number", names_[column], text(column)));
  return value;
}

}  // namespace t3sim
