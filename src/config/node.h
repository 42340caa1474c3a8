// The configuration as written: a tree in which every key and value knows where it was said.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace t3sim::config {

// A place in a file, or (line 0) something else that says values, such as "--set gpu.cus".
struct Location {
  std::string origin;
  unsigned line = 0;
  unsigned column = 0;
  std::string text() const;  // "file:line:column"
};

struct Entry;

struct Node {
  enum class Type { nothing, scalar, list, map };
  Type type = Type::nothing;
  Location where;
  std::string scalar;
  bool quoted = false;         // the scalar was written in quotes
  std::vector<Node> items;     // of a list
  std::vector<Entry> entries;  // of a map, in file order, no key twice

  const Entry* find(std::string_view key) const;
  Entry* find(std::string_view key);
};

// The node at a path such as "rules.0.when", nullptr if there is none.
const Node* find_value(const Node& root, std::string_view path);

struct Entry {
  std::string key;
  Location where;  // of the key
  Node value;
};

// "a list", "\"80\"", …: for "expected …, found …".
std::string what_is(const Node& node);

// `over` wins: maps merge key by key, everything else is replaced as a whole.
void merge(Node& base, const Node& over);

// Puts `value` at a path such as "gpus.overrides.3.clock" (list elements by their number), making sections on
// the way. `where` is the place shown for keys that did not exist before.
void set_value(Node& root, std::string_view path, const Node& value, const Location& where);

}  // namespace t3sim::config
