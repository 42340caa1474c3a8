// CSV files of t3sim (RFC 4180), line by line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace t3sim::report {

class CsvRows {
 public:
  // `text` outlives this; `path` is what messages call it. Throws InputError unless the first line is
  // `header`.
  CsvRows(std::string_view text, std::string path, std::string_view header);

  // Reads the next row. False at the end. Throws InputError if it has another number of fields than the
  // header.
  bool next();

  const std::string& operator[](std::size_t column) const { return fields_[column]; }
  // Throws InputError if the field is not a finite number.
  double number(std::size_t column) const;

 private:
  [[noreturn]] void refuse(std::string_view why) const;
  void split(std::string_view line);
  std::string_view take_line();

  std::string_view rest_;
  std::string path_;
  std::size_t line_ = 0, columns_ = 0;
  std::vector<std::string> fields_;
};

}  // namespace t3sim::report
