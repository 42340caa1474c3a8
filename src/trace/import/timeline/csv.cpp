#include "trace/import/timeline/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace t3sim {
namespace {

void split(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  while (true) {
    const bool quoted = line.starts_with('"');
    const std::size_t quote = quoted ? line.find('"', 1) : line.npos;
    const std::size_t comma = line.find(',', quote == line.npos ? 0 : quote);
    fields.push_back(quote == line.npos ? line.substr(0, comma) : line.substr(1, quote - 1));
    if (comma == line.npos) return;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

CsvTable::CsvTable(const std::filesystem::path& path) : source_(path) {
  std::string_view line;
  if (!source_.next_line(line)) throw InputError(fmt::format("{}: the file is empty", path.string()));
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // spreadsheets begin UTF-8 with one
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  split(line, fields_);
  names_.assign(fields_.begin(), fields_.end());
}

std::size_t CsvTable::column(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) fail(fmt::format("there is no column '{}'", name));
  return static_cast<std::size_t>(found - names_.begin());
}

bool CsvTable::has_column(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

bool CsvTable::next_row() {
  std::string_view line;
  do {
    if (!source_.next_line(line)) return false;
  } while (line.empty());
  split(line, fields_);
  if (fields_.size() != names_.size())
    fail(fmt::format("{} fields where there are {} columns", fields_.size(), names_.size()));
  return true;
}

std::uint64_t CsvTable::number(std::size_t column) const {
  const std::string_view text = fields_[column];
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail(fmt::format("{}: '{}' is not a whole number", names_[column], text));
  return value;
}

}  // namespace t3sim
