#include "program/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include "base/error.h"
#include "base/nearest.h"
#include "program/check.h"
#include "program/dependences.h"

namespace t3sim::program_library {

extern const std::span<const BuiltIn> kBuiltIn;  // written by cmake/embed_yaml.cmake

namespace {

bool is_path(const std::string& name) {
  return name.find('/') != name.npos || std::filesystem::path(name).extension() == ".yaml";
}

program::ProgramText read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw InputError(path + ": is a directory, not a program");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path + ": no such file, or it cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return program::read_text(text.str(), path);
}

}  // namespace

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const BuiltIn& built_in : kBuiltIn) all.emplace_back(built_in.name);
  std::ranges::sort(all);
  return all;
}

program::ProgramText read(const std::string& name_or_path) {
  if (is_path(name_or_path)) return read_file(name_or_path);
  const auto found = std::ranges::find(kBuiltIn, name_or_path, &BuiltIn::name);
  if (found != kBuiltIn.end())
    return program::read_text(std::string(found->text), fmt::format("programs/{}.yaml", found->name));
  const std::string near = nearest(name_or_path, names());
  throw InputError(fmt::format("no program \"{}\"; {}allowed: {}, or a file (NAME.yaml)", name_or_path,
                               near.empty() ? "" : fmt::format("did you mean {}? ", near),
                               fmt::join(names(), ", ")));
}

program::Program load(const std::string& name_or_path, const program::Setting& setting) {
  program::Program loaded = program::evaluate(read(name_or_path), setting);
  program::check(loaded);
  program::check_dependences(loaded);
  return loaded;
}

}  // namespace t3sim::program_library
