#include "validation/rivals/features.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/csv.h"

namespace t3sim::rivals {
namespace {

std::string read_whole(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool has_test(const Feature& feature) {
  const std::size_t dot = feature.test.find('.');
  return read_whole(feature.test_file)
             .find(fmt::format("({}, {})", feature.test.substr(0, dot), feature.test.substr(dot + 1))) !=
         std::string::npos;
}

bool runs(const std::string& program, const std::string& command) {
  return std::system(fmt::format("'{}' {} >/dev/null 2>&1", program, command).c_str()) == 0;
}

}  // namespace

std::vector<Feature> read_features(const std::string& path) {
  CsvTable table(path);
  table.expect("paper,feature,command,test_file,test,held_against");
  std::vector<Feature> features;
  while (table.next_row())
    features.push_back(
        {table.text(0), table.text(1), table.text(2), table.text(3), table.text(4), table.text(5)});
  return features;
}

std::string features_markdown(const std::vector<Feature>& features) {
  std::string text =
      "# Features by paper\n\nWritten by `t3sim validate rivals`, which runs each command and fails if "
      "one does.\n\n"
      "| paper | feature | command | guarded by | held against |\n|---|---|---|---|---|\n";
  for (const Feature& f : features)
    text += fmt::format("| {} | {} | `t3sim {}` | `{}` in {} | {} |\n", f.paper, f.feature, f.command, f.test,
                        f.test_file, f.held_against);
  return text;
}

std::string stale_page(const std::vector<Feature>& features, const std::string& path) {
  if (read_whole(path) == features_markdown(features)) return "";
  return path + " is not what the table of features says: write it anew with -o DIR, from DIR/features.md";
}

std::vector<std::string> broken_features(const std::vector<Feature>& features, const std::string& program) {
  std::vector<std::string> broken;
  for (const Feature& f : features) {
    if (!runs(program, f.command)) broken.push_back(fmt::format("{}: t3sim {} fails", f.feature, f.command));
    if (!has_test(f)) broken.push_back(fmt::format("{}: {} has no test {}", f.feature, f.test_file, f.test));
  }
  return broken;
}

}  // namespace t3sim::rivals
