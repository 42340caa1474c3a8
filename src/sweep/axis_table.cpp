// Axes from files: CSV with the names of keys in the first line.
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "base/csv.h"
#include "base/error.h"
#include "base/sha256.h"
#include "sweep/axis_values.h"
#include "sweep/sweep_file.h"

namespace t3sim::sweep {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<CsvField> cells_of(const std::string& line) {
  std::vector<CsvField> cells;
  split_csv(line, cells);
  for (CsvField& cell : cells) cell.text = trimmed(cell.text);
  return cells;
}

}  // namespace

Axis axis_from_table(const std::string& path, const config::Location& where,
                     std::vector<config::InputFile>& files) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw InputError(fmt::format("{}: {}: cannot be read", where.text(), path));
  files.push_back({path, sha256_hex(text.str())});
  std::istringstream lines(text.str());
  Axis axis;
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (trimmed(line).empty() || trimmed(line).front() == '#') continue;
    const std::vector<CsvField> cells = cells_of(line);
    const auto place = [&](std::size_t i) { return config::Location{path, number, cells[i].column}; };
    if (axis.keys.empty()) {
      for (std::size_t i = 0; i < cells.size(); ++i) {
        check_key(cells[i].text, place(i));
        axis.keys.push_back(cells[i].text);
      }
      continue;
    }
    if (cells.size() != axis.keys.size())
      throw InputError(fmt::format("{}:{}:1: {} values, but the first line names {} keys", path, number,
                                   cells.size(), axis.keys.size()));
    Step step;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      config::Node node;
      node.type = config::Node::Type::scalar;
      node.where = place(i);
      node.scalar = cells[i].text;
      step.push_back({axis.keys[i], std::move(node)});
    }
    axis.steps.push_back(std::move(step));
    if (axis.steps.size() > kMostPoints)
      throw InputError(fmt::format("{}: too many lines; allowed: up to {} values", path, kMostPoints));
  }
  if (axis.steps.empty()) throw InputError(path + ": expected a line with keys and lines with values");
  return axis;
}

}  // namespace t3sim::sweep
