// A table in columns as wide as their content: the first left-aligned, the others right-aligned.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace t3sim {

class TextTable {
 public:
  TextTable() { row(); }
  void row() { rows_.emplace_back(); }
  void cell(std::string text) { rows_.back().push_back(std::move(text)); }
  void cells(std::vector<std::string> texts) {
    for (std::string& text : texts) cell(std::move(text));
  }

  // With a text more at the end of each row, left-aligned, the head's first.
  std::string text_with(const std::vector<std::string>& last) const {
    std::string out;
    const std::string table = text();
    std::size_t begin = 0;
    for (const std::string& words : last) {
      const std::size_t end = table.find('\n', begin);
      out += table.substr(begin, end - begin) + "  " + words + "\n";
      begin = end + 1;
    }
    return out;
  }

  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& cells_of_row : rows_) {
      widths.resize(std::max(widths.size(), cells_of_row.size()));
      for (std::size_t i = 0; i < cells_of_row.size(); ++i)
        widths[i] = std::max(widths[i], cells_of_row[i].size());
    }
    std::string out;
    for (const auto& cells_of_row : rows_) {
      for (std::size_t i = 0; i < cells_of_row.size(); ++i) {
        const std::string padding(widths[i] - cells_of_row[i].size(), ' ');
        out += i == 0 ? cells_of_row[i] + padding : "  " + padding + cells_of_row[i];
      }
      out += "\n";
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace t3sim
