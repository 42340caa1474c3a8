#include "config/library.h"

#include <fmt/format.h>

#include <algorithm>

namespace t3sim::config::library {
namespace {

constexpr std::string_view kSuffix = ".yaml";

// The comment lines at the top, joined, without what marks them.
std::string head_comment(std::string_view text) {
  std::string comment;
  while (text.starts_with("#")) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(1, end - 1);
    while (line.starts_with(" ")) line.remove_prefix(1);
    comment += (comment.empty() ? "" : " ") + std::string(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return comment;
}

}  // namespace

const File* find(std::string_view path) {
  if (!is_inside(path)) return nullptr;
  const auto all = files();
  const auto it = std::ranges::find(all, path.substr(kRoot.size()), &File::path);
  return it == all.end() ? nullptr : &*it;
}

std::vector<std::string> names(std::string_view folder) {
  std::vector<std::string> names;
  for (const File& file : files()) {
    if (!file.path.starts_with(folder) || !file.path.substr(folder.size()).starts_with("/")) continue;
    const std::string_view name = file.path.substr(folder.size() + 1);
    if (name.find('/') == name.npos) names.emplace_back(name.substr(0, name.size() - kSuffix.size()));
  }
  return names;
}

std::string path_of(std::string_view folder, std::string_view name) {
  return fmt::format("{}{}/{}{}", kRoot, folder, name, kSuffix);
}

std::string summary(const File& file) {
  const std::string comment = head_comment(file.text);
  if (const std::size_t question = comment.find("? "); question < comment.find(". "))
    return comment.substr(0, question + 1);
  const std::size_t end =
      std::min({comment.find(". "), comment.find(": "), comment.find("; "), comment.size()});
  std::string first = comment.substr(0, end);
  if (first.ends_with(".")) first.pop_back();
  return first;
}

}  // namespace t3sim::config::library
