// The interface between a describe() function and those who read, write or list a configuration. Parts of the
// simulator include schema.h and need nothing of this file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/codec.h"

namespace t3sim::config {

class Visitor;

struct Key {
  std::string_view name;
  std::string_view doc;   // one line: what it means
  bool required = false;  // has no default: a document must say it
};

// A scalar field of a struct together with its codec.
class Scalar {
 public:
  virtual ~Scalar() = default;
  virtual Kind kind() const = 0;
  virtual std::string allowed() const = 0;
  // False for a std::optional field without a value: it is not written.
  virtual bool present() const = 0;
  virtual void parse(std::string_view text) = 0;
  virtual std::string format() const = 0;
};

// A list of scalars of one kind.
class ScalarList {
 public:
  virtual ~ScalarList() = default;
  virtual Kind kind() const = 0;
  virtual std::string allowed() const = 0;
  virtual void clear() = 0;
  virtual void append(std::string_view text) = 0;
  virtual std::vector<std::string> format() const = 0;
};

// Structs under free keys (`overrides: {3: {...}}`) or in a list (`links: [{...}, {...}]`).
class Collection {
 public:
  virtual ~Collection() = default;
  virtual bool is_list() const = 0;
  virtual std::string allowed_keys() const = 0;
  virtual std::vector<std::string> names() const = 0;
  virtual void clear() = 0;
  // Describes the element of that name (of a list: "0", "1", …), made first if there is none.
  virtual void element(Visitor& visitor, std::string_view name) = 0;
  // Describes an element with default values: what help shows.
  virtual void sample(Visitor& visitor) = 0;
};

// Scalars of one kind under free keys: `parameters: {rows: 512}`.
class NamedScalars {
 public:
  virtual ~NamedScalars() = default;
  virtual Kind kind() const = 0;
  virtual std::string allowed() const = 0;
  virtual std::vector<std::string> names() const = 0;
  virtual void parse(const std::string& name, std::string_view text) = 0;
  virtual std::string format(const std::string& name) const = 0;
};

class VisitorBase {
 public:
  virtual ~VisitorBase() = default;

 protected:
  virtual void scalar(const Key& key, Scalar& value) = 0;
  virtual void named(const Key& key, NamedScalars& values) = 0;
  virtual void list(const Key& key, ScalarList& values) = 0;
  virtual void collection(const Key& key, Collection& elements) = 0;
  virtual void begin_section(const Key& key) = 0;
  virtual void end_section() = 0;
};

}  // namespace t3sim::config
