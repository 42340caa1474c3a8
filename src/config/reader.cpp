#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "base/nearest.h"
#include "config/config.h"

namespace t3sim::config {
namespace {

std::string below(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

// "file:1:2: key: message"; a --set already names the key.
InputError error_at(const Location& where, std::string_view path, std::string_view message) {
  const bool named = path.empty() || where.text() == fmt::format("--set {}", path);
  return InputError(named ? fmt::format("{}: {}", where.text(), message)
                          : fmt::format("{}: {}: {}", where.text(), path, message));
}

std::string absolute_path(const std::string& text, const Location& where) {
  if (text.empty()) return text;
  const auto folder =
      where.line == 0 ? std::filesystem::path() : std::filesystem::path(where.origin).parent_path();
  return std::filesystem::absolute(folder / text).lexically_normal().string();
}

// The longest part of a path behind its last dot.
std::string_view last_part(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == path.npos ? path : path.substr(dot + 1);
}

class Reader final : public Visitor {
 public:
  Reader(const Node& root, PathLister all_paths) : sources(root.where.origin), all_paths_(all_paths) {
    frames_.push_back({&root, "", {}});
  }

  Sources sources;

  void finish() { refuse_unknown(); }

 protected:
  void scalar(const Key& key, Scalar& value) override {
    const Node* node = take(key);
    if (!node) return;
    if (node->type == Node::Type::nothing)
      throw error_at(node->where, path_of(key.name), "has no value; allowed: " + value.allowed());
    if (node->type != Node::Type::scalar)
      throw error_at(node->where, path_of(key.name),
                     fmt::format("expected a {}, found {}; allowed: {}", kind_name(value.kind()),
                                 what_is(*node), value.allowed()));
    parse(*node, path_of(key.name), value.kind(), [&](std::string_view text) { value.parse(text); });
  }

  void named(const Key& key, NamedScalars& values) override {
    const Node* node = take(key);
    if (!node || node->type == Node::Type::nothing) return;
    const std::string path = path_of(key.name);
    if (node->type != Node::Type::map)
      throw error_at(node->where, path, "expected names with numbers behind them, found " + what_is(*node));
    for (const Entry& entry : node->entries) {
      if (entry.value.type != Node::Type::scalar)
        throw error_at(entry.value.where, below(path, entry.key),
                       fmt::format("found {}; allowed: {}", what_is(entry.value), values.allowed()));
      sources.add(below(path, entry.key), entry.value.where);
      parse(entry.value, below(path, entry.key), values.kind(),
            [&](std::string_view text) { values.parse(entry.key, text); });
    }
  }

  // A single value does for a list of one.
  void list(const Key& key, ScalarList& values) override {
    const Node* node = take(key);
    if (!node) return;
    const bool one = node->type == Node::Type::scalar;
    if (!one && node->type != Node::Type::list)
      throw error_at(
          node->where, path_of(key.name),
          fmt::format("expected a list, found {}; allowed in it: {}", what_is(*node), values.allowed()));
    values.clear();
    for (std::size_t i = 0; i < (one ? 1 : node->items.size()); ++i) {
      const Node& item = one ? *node : node->items[i];
      const std::string path = one ? path_of(key.name) : below(path_of(key.name), std::to_string(i));
      if (item.type != Node::Type::scalar)
        throw error_at(item.where, path,
                       fmt::format("found {}; allowed: {}", what_is(item), values.allowed()));
      if (!one) sources.add(path, item.where);
      parse(item, path, values.kind(), [&](std::string_view text) { values.append(text); });
    }
  }

  void collection(const Key& key, Collection& elements) override {
    const Node* node = take(key);
    if (!node || node->type == Node::Type::nothing) return;
    if (elements.is_list())
      read_list(*node, key, elements);
    else
      read_map(*node, key, elements);
  }

  void begin_section(const Key& key) override {
    const Node* node = take(key);
    open(node, path_of(key.name));
  }
  void end_section() override { close(); }

 private:
  struct Frame {
    const Node* node;  // nullptr: the section is not in the document
    std::string path;
    std::vector<std::string> known;  // keys described so far
  };

  std::string path_of(std::string_view key) const { return below(frames_.back().path, key); }

  // The value of a key of the open section, nullptr if it is not said.
  const Node* take(const Key& key) {
    Frame& frame = frames_.back();
    frame.known.emplace_back(key.name);
    const Entry* entry = frame.node ? frame.node->find(key.name) : nullptr;
    if (!entry && key.required) sources.add_missing(path_of(key.name));
    if (!entry) return nullptr;
    sources.add(path_of(key.name), entry->value.where);
    return &entry->value;
  }

  void open(const Node* node, std::string path) {
    if (node && node->type != Node::Type::map && node->type != Node::Type::nothing)
      throw error_at(node->where, path, "expected keys and values below it, found " + what_is(*node));
    frames_.push_back({node, std::move(path), {}});
  }
  void close() {
    refuse_unknown();
    frames_.pop_back();
  }

  template <class Parse>
  void parse(const Node& node, const std::string& path, Kind kind, Parse parse_text) {
    try {
      parse_text(kind == Kind::path ? absolute_path(node.scalar, node.where) : node.scalar);
    } catch (const std::invalid_argument& e) {
      throw error_at(node.where, path, e.what());
    }
  }

  void read_list(const Node& node, const Key& key, Collection& elements) {
    const std::string path = path_of(key.name);
    if (node.type != Node::Type::list)
      throw error_at(node.where, path, "expected a list, found " + what_is(node));
    elements.clear();
    for (std::size_t i = 0; i < node.items.size(); ++i)
      read_element(node.items[i], node.items[i].where, path, std::to_string(i), elements);
  }
  void read_map(const Node& node, const Key& key, Collection& elements) {
    const std::string path = path_of(key.name);
    if (node.type != Node::Type::map)
      throw error_at(node.where, path,
                     fmt::format("expected keys ({}) with values below them, found {}",
                                 elements.allowed_keys(), what_is(node)));
    for (const Entry& entry : node.entries) read_element(entry.value, entry.where, path, entry.key, elements);
  }
  void read_element(const Node& node, const Location& where, const std::string& path, const std::string& name,
                    Collection& elements) {
    sources.add(below(path, name), where);
    open(&node, below(path, name));
    try {
      elements.element(*this, name);
    } catch (const std::invalid_argument& e) {  // of the key: those of values became InputErrors above
      throw error_at(where, path, fmt::format("key {}", e.what()));
    }
    close();
  }

  void refuse_unknown() const {
    const Frame& frame = frames_.back();
    if (!frame.node) return;
    for (const Entry& entry : frame.node->entries)
      if (std::ranges::find(frame.known, entry.key) == frame.known.end())
        throw error_at(entry.where, "", unknown_key(frame, entry.key));
  }

  std::string unknown_key(const Frame& frame, const std::string& key) const {
    const std::string said = below(frame.path, key);
    if (key.find('.') != key.npos)
      return fmt::format("unknown key \"{}\"; keys are nested here, not joined by dots (as in --set)", said);
    const std::string near = nearest(key, frame.known);
    const std::size_t distance = near.empty() ? key.size() : edit_distance(key, near);
    const std::string elsewhere = same_key_elsewhere(key, distance);
    if (!elsewhere.empty()) return fmt::format("unknown key \"{}\"; did you mean {}?", said, elsewhere);
    if (!near.empty())
      return fmt::format("unknown key \"{}\"; did you mean {}?", said, below(frame.path, near));
    const std::string section = frame.path.empty() ? "at the top" : "in " + frame.path;
    return fmt::format("unknown key \"{}\"; valid keys {}: {}", said, section, fmt::join(frame.known, ", "));
  }

  // Keys of other sections that are nearer than `limit`: "a.key or b.key", at most three.
  std::string same_key_elsewhere(const std::string& key, std::size_t limit) const {
    std::vector<std::string> best;
    for (const std::string& path : all_paths_()) {
      const std::string name(last_part(path));
      const std::size_t distance = edit_distance(key, name);
      if (distance >= limit || !is_typo(distance, std::max(key.size(), name.size()))) continue;
      limit = distance + 1;
      if (!best.empty() && edit_distance(key, last_part(best.front())) > distance) best.clear();
      if (best.size() < 3) best.push_back(path);
    }
    return fmt::format("{}", fmt::join(best, " or "));
  }

  PathLister all_paths_;
  std::vector<Frame> frames_;
};

// A key of an included file may be right there and wrong with what the user's file says: that one is named first.
InputError error_said_at(const std::string& document, const Location& place, std::string_view path,
                         std::string_view message) {
  if (place.line == 0 || place.origin == document) return error_at(place, std::string(path), message);
  return InputError(fmt::format("{}: {}: {} (said at {})", document, path, message, place.text()));
}

}  // namespace

const Location* Sources::place_of(std::string_view path) const {
  for (std::string_view above = path;; above = above.substr(0, above.rfind('.'))) {
    if (const auto it = places_.find(above); it != places_.end()) return &it->second;
    if (above.find('.') == above.npos) return nullptr;
  }
}

InputError Sources::error(std::string_view path, std::string_view message,
                          std::initializer_list<std::string_view> with) const {
  const Location* place = place_of(path);
  if (!place || !is_own(*place))
    for (const std::string_view other : with)
      if (const auto it = places_.find(other); it != places_.end() && is_own(it->second))
        return error_at(it->second, std::string(path), message);
  if (place) return error_said_at(document_, *place, path, message);
  return InputError(fmt::format("{}: {}: {}", document_, path, message));
}

std::string Sources::place_of_section(const std::string& section) const {
  const auto it = places_.find(section);
  return it == places_.end() ? fmt::format("{}: no {}", document_, section)
                             : fmt::format("{}: {}", it->second.text(), section);
}

InputError Sources::missing_error(const std::vector<std::string>& paths) const {
  std::vector<std::pair<std::string, std::vector<std::string>>> sections;
  for (const std::string& path : paths) {
    const std::string section = path.substr(0, path.rfind('.'));
    if (sections.empty() || sections.back().first != section) sections.push_back({section, {}});
    sections.back().second.push_back(path.substr(section.size() + 1));
  }
  std::string text = fmt::format(
      "{}: {} that no machine's value can stand in for {} missing (include a machine's file, or say {})",
      document_, paths.size() == 1 ? "a key" : fmt::format("{} keys", paths.size()),
      paths.size() == 1 ? "is" : "are", paths.size() == 1 ? "it" : "them");
  for (const auto& [section, keys] : sections)
    text += fmt::format("\n  {}: lacks {}", place_of_section(section), fmt::join(keys, ", "));
  return InputError(text);
}

Sources read_with(const Node& root, void (*describe_it)(Visitor&, void*), void* c, PathLister all_paths) {
  Reader reader(root, all_paths);
  describe_it(reader, c);
  reader.finish();
  return std::move(reader.sources);
}

}  // namespace t3sim::config
