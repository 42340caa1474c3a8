#include "program/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <span>
#include <sstream>

#include "base/error.h"
#include "base/nearest.h"
#include "base/sha256.h"
#include "config/load.h"
#include "program/check.h"
#include "program/dependences.h"

namespace t3sim::program_library {

extern const std::span<const BuiltIn> kBuiltIn;  // written by cmake/embed_yaml.cmake

namespace {

std::string text_of_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw InputError(path + ": is a directory, not a program");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path + ": no such file, or it cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool has_stages(std::string_view text) {
  return text.starts_with("stages:") || text.find("\nstages:") != text.npos;
}

const BuiltIn* built_in(const std::string& name) {
  const auto found = std::ranges::find(kBuiltIn, name, &BuiltIn::name);
  return found == kBuiltIn.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(bool schemes) {
  std::vector<std::string> all;
  for (const BuiltIn& one : kBuiltIn)
    if (has_stages(one.text) == schemes) all.emplace_back(one.name);
  std::ranges::sort(all);
  return all;
}

std::string near_to(const std::string& name, const std::vector<std::string>& known) {
  const std::string near = nearest(name, known);
  return near.empty() ? "" : fmt::format("did you mean {}?", near);
}

std::string origin_of(const BuiltIn& program) { return fmt::format("programs/{}.yaml", program.name); }

program::ProgramText read_program(const std::string& text, const std::string& origin) {
  if (has_stages(text))
    throw InputError(origin + ": has stages and no streams: it is a scheme, for --scheme or the key schemes");
  return program::read_text(text, origin);
}

using Scheme = std::shared_ptr<const program::SchemeText>;

std::shared_ptr<program::SchemeText> read_scheme(const std::string& text, const std::string& origin) {
  if (!has_stages(text))
    throw InputError(origin + ": has no stages: it is no scheme; --program runs programs with streams");
  return std::make_shared<program::SchemeText>(
      program::read_scheme(config::parse_yaml(text, origin), origin));
}

// Its name is what results call it.
Scheme scheme_of_file(const std::string& path) {
  const std::string text = text_of_file(path);
  const auto read = read_scheme(text, path);
  read->sha256 = sha256_hex(text);
  const bool plain = std::ranges::all_of(read->name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  });
  if (!plain)
    throw InputError(path +
                     ": results call a scheme as its file: use letters, digits, - _ and . in its name");
  if (built_in(read->name))
    throw InputError(fmt::format("{}: {} is a program of t3sim; results call a scheme as its file: rename it",
                                 path, read->name));
  return read;
}

// Read once: configurations are checked by the thousand.
Scheme scheme_of(const BuiltIn& program) {
  static std::mutex mutex;
  static std::map<std::string_view, Scheme> read;
  const std::lock_guard lock(mutex);
  Scheme& scheme = read[program.name];
  if (!scheme) scheme = read_scheme(std::string(program.text), origin_of(program));
  return scheme;
}

}  // namespace

bool is_file(const std::string& name) {
  return name.find('/') != name.npos || std::filesystem::path(name).extension() == ".yaml";
}

std::vector<std::string> names() { return names_of(false); }
std::vector<std::string> scheme_names() { return names_of(true); }

bool is_scheme(const std::string& name_or_path) {
  if (is_file(name_or_path)) return has_stages(text_of_file(name_or_path));
  const BuiltIn* const known = built_in(name_or_path);
  return known && has_stages(known->text);
}

Scheme scheme(const std::string& name_or_path) {
  if (is_file(name_or_path)) return scheme_of_file(name_or_path);
  if (const BuiltIn* known = built_in(name_or_path)) return scheme_of(*known);
  const std::string near = near_to(name_or_path, scheme_names());
  throw InputError(fmt::format("\"{}\" is not allowed; allowed: {}, or a file (NAME.yaml){}", name_or_path,
                               fmt::join(scheme_names(), " | "), near.empty() ? "" : " (" + near + ")"));
}

program::ProgramText read(const std::string& name_or_path) {
  if (is_file(name_or_path)) return read_program(text_of_file(name_or_path), name_or_path);
  if (const BuiltIn* known = built_in(name_or_path))
    return read_program(std::string(known->text), origin_of(*known));
  const std::string near = near_to(name_or_path, names());
  throw InputError(fmt::format("no program \"{}\"; {}allowed: {}, or a file (NAME.yaml)", name_or_path,
                               near.empty() ? "" : near + " ", fmt::join(names(), ", ")));
}

program::Program load(const std::string& name_or_path, const program::Setting& setting) {
  program::Program loaded = program::evaluate(read(name_or_path), setting);
  program::check(loaded);
  program::check_dependences(loaded);
  return loaded;
}

}  // namespace t3sim::program_library
