// Comma-separated tables, plain or packed, read row by row. A field in double quotes may hold commas.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_source.h"

namespace t3sim {

class CsvTable {
 public:
  // Reads the line that names the columns.
  explicit CsvTable(const std::filesystem::path& path);

  // Place of a column. Throws InputError when there is none of that name.
  std::size_t column(std::string_view name) const;
  bool has_column(std::string_view name) const;
  const std::vector<std::string>& columns() const { return names_; }
  // Goes to the next row; false at the end.
  bool next_row();
  std::string_view text(std::size_t column) const { return fields_[column]; }
  std::uint64_t number(std::size_t column) const;
  std::uint64_t line_number() const { return source_.line_number(); }  // of the last row read
  [[noreturn]] void fail(std::string_view what) const { source_.fail(what); }

 private:
  TextSource source_;
  std::vector<std::string> names_;
  std::vector<std::string_view> fields_;
};

}  // namespace t3sim
