// Comma-separated values (RFC 4180), without line breaks inside fields: the one reader and the one writer.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_source.h"

namespace t3sim {

// `text` as a field: in quotes where it needs them.
std::string csv_field(std::string_view text);

struct CsvField {
  std::string text;
  unsigned column = 1;  // of its first character in the line
};

// The fields of a line, written over those of the line before.
void split_csv(std::string_view line, std::vector<CsvField>& fields);

// A table whose first line names the columns, read row by row. Empty lines are skipped. Whatever is wrong is an
// InputError "file:line: what".
class CsvTable {
 public:
  // A file, plain or packed.
  explicit CsvTable(const std::filesystem::path& path);
  // A text in memory, which outlives the table; `name` is what messages call it.
  CsvTable(std::string_view text, std::string name);

  const std::vector<std::string>& columns() const { return names_; }
  bool has_column(std::string_view name) const;
  // Place of a column. Throws when there is none of that name.
  std::size_t column(std::string_view name) const;
  // Throws unless the first line is `header`.
  void expect(std::string_view header) const;

  // Goes to the next row; false at the end. Throws if it has more or fewer fields than there are columns.
  bool next_row();
  const std::string& text(std::size_t column) const { return fields_[column].text; }
  // Throw when the field is not a whole number, or not a finite one.
  std::uint64_t number(std::size_t column) const;
  double real(std::size_t column) const;

  std::uint64_t line_number() const { return source_.line_number(); }  // of the last row read
  [[noreturn]] void fail(std::string_view what) const { source_.fail(what); }

 private:
  void read_header();

  TextSource source_;
  std::string header_;
  std::vector<std::string> names_;
  std::vector<CsvField> fields_;
};

}  // namespace t3sim
