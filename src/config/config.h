// Reads described structs from documents, writes them back and lists their keys.
//
//   config::Document document = config::load_file("a.yaml");
//   config::apply_override(document.root, "gpu.cus=64");
//   Config c;
//   const config::Sources sources = config::read(document.root, c);
//   if (tile_bytes > c.gpu.lds) throw sources.error("workload.tile", "needs 96 KiB of LDS; gpu.lds is 64
//   KiB"); const std::string resolved = config::write(c);
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/load.h"
#include "config/schema.h"

namespace t3sim::config {

// Where each key of a configuration was said.
class Sources {
 public:
  Sources() = default;
  explicit Sources(std::string document) : document_(std::move(document)) {}

  void add(std::string path, Location where) { places_[std::move(path)] = std::move(where); }
  bool said(std::string_view path) const { return places_.find(path) != places_.end(); }
  // "file:line:column: path: message", with the place of the nearest section above if the key is a default.
  // `with`: other keys that the message is about. If `path` is in an included file and one of them in the document
  // itself or on the command line, that is the place: it is what the user wrote.
  InputError error(std::string_view path, std::string_view message,
                   std::initializer_list<std::string_view> with = {}) const;

  // Required keys that were not said, as paths: whoever uses them refuses the document.
  void add_missing(std::string path) { missing_.push_back(std::move(path)); }
  const std::vector<std::string>& missing() const { return missing_; }
  // That says which `paths` are missing, all at once, by section and with the sections' places.
  InputError missing_error(const std::vector<std::string>& paths) const;

 private:
  // Where the nearest section above a key was said, or itself; nullptr: nowhere.
  const Location* place_of(std::string_view path) const;
  bool is_own(const Location& place) const { return place.line == 0 || place.origin == document_; }
  std::string place_of_section(const std::string& section) const;

  std::string document_;  // named for keys that were not said at all
  std::map<std::string, Location, std::less<>> places_;
  std::vector<std::string> missing_;
};

// A key as help shows it.
struct KeyHelp {
  std::string path;
  std::string kind;   // "count", "time", …, "section"
  std::string value;  // of the struct that was listed: its default; "required": it has none
  std::string allowed;
  std::string doc;
};

using PathLister = std::vector<std::string> (*)();

// What read, write and list do with a described struct.
Sources read_with(const Node& root, void (*describe_it)(Visitor&, void*), void* c, PathLister all_paths);
std::string write_with(void (*describe_it)(Visitor&, void*), void* c);
std::vector<KeyHelp> list_with(void (*describe_it)(Visitor&, void*), void* c);

template <class C>
void describe_erased(Visitor& visitor, void* c) {
  describe(visitor, *static_cast<C*>(c));
}

// Every key of C with its default, sections included.
template <class C>
std::vector<KeyHelp> list_keys() {
  const auto defaults = std::make_unique<C>();
  return list_with(describe_erased<C>, defaults.get());
}

template <class C>
std::vector<std::string> list_paths() {
  std::vector<std::string> paths;
  for (const KeyHelp& key : list_keys<C>()) paths.push_back(key.path);
  return paths;
}

// Sets in `c` what the tree says. Throws InputError for unknown keys, wrong types and forbidden values.
template <class C>
Sources read(const Node& root, C& c) {
  return read_with(root, describe_erased<C>, &c, list_paths<C>);
}

// All keys as YAML. Reading it gives an equal struct, and writing that gives the same text.
template <class C>
std::string write(const C& c) {
  return write_with(describe_erased<C>,
                    const_cast<C*>(&c));  // describe() wants it mutable; nothing is changed
}

// The list of keys as a text for the terminal.
std::string help_text(const std::vector<KeyHelp>& keys);

}  // namespace t3sim::config
