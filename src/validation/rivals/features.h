// The feature table (docs/features.md): what each paper has, the command that shows it, the test that guards it, and the figure or
// page that it is held against.
#pragma once

#include <string>
#include <vector>

namespace t3sim::rivals {

struct Feature {
  std::string paper, feature, command;  // command: of t3sim, run from the project's folder
  std::string test_file, test;          // "Suite.Name"
  std::string held_against;
};

// validation/rivals/features.csv. Throws InputError.
std::vector<Feature> read_features(const std::string& path);
std::string features_markdown(const std::vector<Feature>& features);
// A sentence if the page at `path` is not that one; else empty.
std::string stale_page(const std::vector<Feature>& features, const std::string& path);
// Runs each command with the program at `program`, and looks for each test in its file; a sentence for each that fails.
std::vector<std::string> broken_features(const std::vector<Feature>& features, const std::string& program);

}  // namespace t3sim::rivals
