#include "sweep/point_command.h"

#include <fmt/format.h>

#include <algorithm>

namespace t3sim::sweep {
namespace {

void add_leaves(const std::string& path, const config::Node& node, std::vector<std::string>& leaves) {
  if (node.type != config::Node::Type::map) {
    leaves.push_back(path);
    return;
  }
  for (const config::Entry& entry : node.entries) add_leaves(path + "." + entry.key, entry.value, leaves);
}

}  // namespace

std::vector<std::string> leaf_paths(const Assignment& assignment) {
  std::vector<std::string> leaves;
  add_leaves(assignment.path, assignment.value, leaves);
  return leaves;
}

std::string shell_word(const std::string& text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._+-=,:@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, plain)) return text;
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Values are taken from the complete configuration, where files are named by absolute paths.
std::string point_command(const SweepFile& sweep, const Step& set, const Config& config) {
  std::vector<std::string> paths;
  for (const Step* step : {&sweep.set, &set})
    for (const Assignment& a : *step)
      for (std::string& leaf : leaf_paths(a)) {
        std::erase(paths, leaf);
        paths.push_back(std::move(leaf));
      }
  const KeyValues values = values_of(config, {paths.begin(), paths.end()});
  std::string command = "t3sim run " + shell_word(sweep.base);
  for (const std::string& path : paths)
    if (const auto it = values.find(path); it != values.end())
      command += " --set " + shell_word(fmt::format("{}={}", path, it->second));
  if (sweep.schemes.type == config::Node::Type::nothing) return command;
  return command + fmt::format(" --scheme {}", shell_word(fmt::format("{}", fmt::join(config.schemes, ","))));
}

}  // namespace t3sim::sweep
