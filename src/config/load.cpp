#include "config/load.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/error.h"
#include "base/number.h"
#include "base/sha256.h"
#include "config/library.h"

namespace t3sim::config {
namespace {

constexpr const char* kStandardInput = "<standard input>";
constexpr unsigned kDeepest = 64;              // aliases can nest without end
constexpr std::size_t kMostNodes = 1'000'000;  // or multiply

[[noreturn]] void fail(const Location& where, std::string_view message) {
  throw InputError(fmt::format("{}: {}", where.text(), message));
}

class Converter {
 public:
  explicit Converter(const std::string& origin) : origin_(origin) {}

  Node convert(const YAML::Node& yaml, unsigned depth = 0) {
    Node node;
    node.where = at(yaml.Mark());
    if (depth > kDeepest || ++nodes_ > kMostNodes) fail(node.where, "nested too deeply or too large");
    if (yaml.IsScalar()) {
      node.type = Node::Type::scalar;
      node.scalar = yaml.Scalar();
      node.quoted = yaml.Tag() == "!";
    } else if (yaml.IsSequence()) {
      node.type = Node::Type::list;
      for (const YAML::Node& item : yaml) node.items.push_back(convert(item, depth + 1));
    } else if (yaml.IsMap()) {
      node.type = Node::Type::map;
      for (const auto& pair : yaml) add(node, pair.first, pair.second, depth);
    }
    return node;
  }

 private:
  Location at(const YAML::Mark& mark) const {
    if (mark.is_null()) return {origin_};
    return {origin_, narrow<unsigned>(mark.line + 1), narrow<unsigned>(mark.column + 1)};
  }

  // yaml-cpp keeps duplicate keys and answers with the first one: refused here.
  void add(Node& map, const YAML::Node& key, const YAML::Node& value, unsigned depth) {
    const Location where = at(key.Mark());
    if (!key.IsScalar() || key.Scalar().empty()) fail(where, "a key must be a word");
    if (key.Scalar() == "<<")
      fail(where, "merge keys (<<) are not read: include a file, or write the keys out");
    if (const Entry* first = map.find(key.Scalar()))
      fail(where,
           fmt::format("duplicate key \"{}\"; first said at line {}", key.Scalar(), first->where.line));
    map.entries.push_back({key.Scalar(), where, convert(value, depth + 1)});
    Node& said = map.entries.back().value;
    if (said.type == Node::Type::nothing) said.where = where;  // yaml-cpp places it at the next key
  }

  const std::string& origin_;
  std::size_t nodes_ = 0;
};

// Does the line (from 0), or the one before it, have a tab in its indentation?
bool begins_with_tab(const std::string& text, int line) {
  std::istringstream lines(text);
  int at = 0;
  for (std::string content; std::getline(lines, content) && at <= line; ++at)
    if (at >= line - 1 && content.substr(0, content.find_first_not_of(" \t")).find('\t') != content.npos)
      return true;
  return false;
}

std::string text_of(std::istream& in) {
  std::ostringstream text;
  if (in.peek() != std::istream::traits_type::eof()) text << in.rdbuf();
  return text.str();
}

std::string read_text(const std::string& path, const std::string& blame) {
  if (path == kStandardInput) return text_of(std::cin);
  if (library::is_inside(path)) {
    const library::File* file = library::find(path);
    if (!file) throw InputError(blame + "no such file in the program");
    return std::string(file->text);
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw InputError(blame + "is a directory, not a file");
  if (!std::filesystem::exists(path, ignored)) throw InputError(blame + "no such file");
  std::ifstream file(path, std::ios::binary);
  std::string text = text_of(file);
  if (!file.is_open() || file.bad()) throw InputError(blame + "cannot be read");
  return text;
}

class Loader {
 public:
  // `blame` starts the message when the file itself cannot be had.
  Node load(const std::string& path, const std::string& blame) {
    const std::string text = read_text(path, blame);
    document.files.push_back({path, sha256_hex(text)});
    Node own = parse_yaml(text, path);
    if (own.type == Node::Type::nothing)
      throw InputError(path + ": the file is empty; expected keys and values");
    if (own.type != Node::Type::map) fail(own.where, "expected keys and values, found " + what_is(own));
    open_.push_back(std::filesystem::weakly_canonical(path).string());
    Node merged = with_includes(std::move(own), std::filesystem::path(path).parent_path());
    open_.pop_back();
    return merged;
  }

  Document document;

 private:
  Node with_includes(Node own, const std::filesystem::path& folder) {
    const auto entry = std::ranges::find(own.entries, "include", &Entry::key);
    if (entry == own.entries.end()) return own;
    const Node includes = std::move(entry->value);
    own.entries.erase(entry);
    Node merged;
    merged.type = Node::Type::map;
    merged.where = own.where;
    if (includes.type == Node::Type::list)
      for (const Node& item : includes.items) merge(merged, included(item, folder));
    else
      merge(merged, included(includes, folder));
    merge(merged, own);
    return merged;
  }

  Node included(const Node& name, const std::filesystem::path& folder) {
    if (name.type != Node::Type::scalar || name.scalar.empty())
      fail(name.where, "include: expected a file name or a list of them, found " + what_is(name));
    const std::string path =
        library::is_inside(name.scalar) ? name.scalar : (folder / name.scalar).lexically_normal().string();
    if (std::ranges::count(open_, std::filesystem::weakly_canonical(path).string()) > 0)
      fail(name.where, fmt::format("include: {} includes itself", path));
    return load(path, fmt::format("{}: include: {}: ", name.where.text(), path));
  }

  std::vector<std::string> open_;  // files whose includes are being read, outermost first
};

// Hears what a parser reads, and keeps nothing.
class Deaf final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}
};

// YAML::LoadAll would read for ever where a stray bracket ends a document: the next one begins, and is, nothing.
bool several_documents(const std::string& text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  Deaf deaf;
  return parser.HandleNextDocument(deaf) && parser.HandleNextDocument(deaf);
}

}  // namespace

Node parse_yaml(const std::string& text, const std::string& origin) {
  try {
    if (several_documents(text)) throw InputError(origin + ": holds several YAML documents; expected one");
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.empty()) return {};
    return Converter(origin).convert(documents[0]);
  } catch (const YAML::Exception& e) {
    const Location where{origin, narrow<unsigned>(e.mark.line + 1), narrow<unsigned>(e.mark.column + 1)};
    fail(where, "not valid YAML: " + e.msg +
                    (begins_with_tab(text, e.mark.line) ? "; YAML indents by spaces, not tabs" : ""));
  }
}

Document load_file(const std::string& path) {
  Loader loader;
  const std::string name = path == "-" ? kStandardInput : path;
  loader.document.root = loader.load(name, name + ": ");
  return std::move(loader.document);
}

void apply_override(Node& root, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string path(assignment.substr(0, equals));
  const bool whole_path =
      !path.empty() && path.front() != '.' && path.back() != '.' && path.find("..") == path.npos;
  if (equals == assignment.npos || !whole_path)
    throw InputError(fmt::format("--set {}: expected path.to.key=value, e.g. --set gpu.cus=64", assignment));
  const std::string text(assignment.substr(equals + 1));
  const Location where{"--set " + path};
  Node value;
  if (!text.empty() && std::string_view("[{\"'").find(text[0]) != std::string_view::npos) {
    value = parse_yaml(text, where.origin);
  } else if (!text.empty()) {
    value.type = Node::Type::scalar;
    value.scalar = text;
  }
  value.where = where;
  set_value(root, path, value, where);
}

}  // namespace t3sim::config
