// YAML files to trees: includes, --set, duplicate keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/node.h"

namespace t3sim::config {

struct InputFile {
  std::string path;
  std::string sha256;
};

struct Document {
  Node root;                     // includes merged in, `include` itself removed
  std::vector<InputFile> files;  // that were read, the named one first
};

// `include: FILE` or a list of them at the top of a file: names are seen from the including file, later ones
// override earlier ones, and the including file overrides all. "-" is standard input, "<t3sim>/…" a file of the
// program (config/library.h). Throws InputError.
Document load_file(const std::string& path);

// "path.to.key=value" of --set: the value is one text, or YAML if it starts with [, {, " or '.
void apply_override(Node& root, std::string_view assignment);

// Parses YAML text; `origin` is what locations call it.
Node parse_yaml(const std::string& text, const std::string& origin);

}  // namespace t3sim::config
