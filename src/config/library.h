// Files that are in the program: those of configs/ and sweeps/. They are named as "<t3sim>/configs/systems/h100.yaml",
// wherever a file is read, and include each other as they do on disk.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace t3sim::config::library {

inline constexpr std::string_view kRoot = "<t3sim>/";

struct File {
  std::string_view path;  // without kRoot
  std::string_view text;
};

// Sorted by path.
std::span<const File> files();

inline bool is_inside(std::string_view path) { return path.starts_with(kRoot); }
// The file at "<t3sim>/…", nullptr if there is none.
const File* find(std::string_view path);

// Names, without .yaml, of the files right in a folder such as "configs/systems".
std::vector<std::string> names(std::string_view folder);
// The path of one of them, with kRoot.
std::string path_of(std::string_view folder, std::string_view name);
// What the comment at a file's top says first: up to the end of its first sentence.
std::string summary(const File& file);

}  // namespace t3sim::config::library
