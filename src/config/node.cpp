#include "config/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "config/units.h"

namespace t3sim::config {
namespace {

// Element of a list that a path segment names, or nullptr if it is none.
const Node* list_element(const Node& list, std::string_view segment) {
  const bool digits =
      !segment.empty() && std::ranges::all_of(segment, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || segment.size() > 9) return nullptr;
  const std::uint64_t index = parse_whole(segment);
  return index < list.items.size() ? &list.items[index] : nullptr;
}

// The node below `parent` at `segment`; what is no section there becomes an empty one.
Node& child(Node& parent, std::string_view segment, const Location& where) {
  if (parent.type == Node::Type::list) {
    if (const Node* element = list_element(parent, segment)) return const_cast<Node&>(*element);
    throw InputError(
        fmt::format("{}: no element {} in a list of {}", where.text(), segment, parent.items.size()));
  }
  if (parent.type != Node::Type::map) {
    parent = Node{};
    parent.type = Node::Type::map;
    parent.where = where;
  }
  if (Entry* entry = parent.find(segment)) return entry->value;
  parent.entries.push_back({std::string(segment), where, Node{}});
  parent.entries.back().value.where = where;
  return parent.entries.back().value;
}

}  // namespace

std::string Location::text() const {
  return line == 0 ? origin : fmt::format("{}:{}:{}", origin, line, column);
}

const Entry* Node::find(std::string_view key) const {
  const auto it = std::ranges::find(entries, key, &Entry::key);
  return it == entries.end() ? nullptr : &*it;
}
Entry* Node::find(std::string_view key) { return const_cast<Entry*>(std::as_const(*this).find(key)); }

const Node* find_value(const Node& root, std::string_view path) {
  const Node* node = &root;
  for (std::string_view rest = path; node && !rest.empty();) {
    const std::string_view segment = rest.substr(0, rest.find('.'));
    if (node->type == Node::Type::list) {
      node = list_element(*node, segment);
    } else {
      const Entry* entry = node->find(segment);
      node = entry ? &entry->value : nullptr;
    }
    rest.remove_prefix(std::min(segment.size() + 1, rest.size()));
  }
  return node;
}

std::string what_is(const Node& node) {
  switch (node.type) {
    case Node::Type::nothing:
      return "nothing";
    case Node::Type::scalar:
      return fmt::format("\"{}\"", node.scalar);
    case Node::Type::list:
      return "a list";
    case Node::Type::map:
      return "keys and values";
  }
  return "";
}

void merge(Node& base, const Node& over) {
  if (base.type != Node::Type::map || over.type != Node::Type::map) {
    base = over;
    return;
  }
  base.where = over.where;  // whoever spoke last is asked about it
  for (const Entry& entry : over.entries) {
    if (Entry* existing = base.find(entry.key)) {
      existing->where = entry.where;
      merge(existing->value, entry.value);
    } else {
      base.entries.push_back(entry);
    }
  }
}

void set_value(Node& root, std::string_view path, const Node& value, const Location& where) {
  Node* node = &root;
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    node = &child(*node, rest.substr(0, dot), where);
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  merge(*node, value);
}

}  // namespace t3sim::config
