#include <fmt/format.h>

#include <algorithm>

#include "config/config.h"

namespace t3sim::config {
namespace {

class Lister final : public Visitor {
 public:
  std::vector<KeyHelp> keys;

 protected:
  void scalar(const Key& key, Scalar& value) override {
    const std::string value_text = key.required ? "required" : value.present() ? value.format() : "";
    add(key, std::string(kind_name(value.kind())), value_text, value.allowed());
  }
  void named(const Key& key, NamedScalars& values) override {
    path_.emplace_back(key.name);
    add({"<key>", key.doc}, std::string(kind_name(values.kind())), "", values.allowed());
    path_.pop_back();
  }
  void list(const Key& key, ScalarList& values) override {
    add(key, fmt::format("list of {}", kind_name(values.kind())),
        key.required ? "required" : fmt::format("[{}]", fmt::join(values.format(), ", ")), values.allowed());
  }
  void collection(const Key& key, Collection& elements) override {
    add(key, elements.is_list() ? "list" : "map", "",
        elements.is_list() ? "a list of these" : "keys: " + elements.allowed_keys());
    path_.push_back(std::string(key.name) + (elements.is_list() ? ".<index>" : ".<key>"));
    elements.sample(*this);
    path_.pop_back();
  }
  void begin_section(const Key& key) override {
    add(key, "section", "", "");
    path_.emplace_back(key.name);
  }
  void end_section() override { path_.pop_back(); }

 private:
  void add(const Key& key, std::string kind, std::string value, std::string allowed) {
    std::string path;
    for (const std::string& part : path_) path += part + ".";
    keys.push_back({path + std::string(key.name), std::move(kind), std::move(value), std::move(allowed),
                    std::string(key.doc)});
  }

  std::vector<std::string> path_;
};

}  // namespace

std::vector<KeyHelp> list_with(void (*describe_it)(Visitor&, void*), void* c) {
  Lister lister;
  describe_it(lister, c);
  return std::move(lister.keys);
}

std::string help_text(const std::vector<KeyHelp>& keys) {
  std::string text;
  for (const KeyHelp& key : keys) {
    if (key.kind == "section") {
      text += fmt::format("\n{}: {}\n", key.path, key.doc);
      continue;
    }
    const std::string value = key.value.empty() ? "-" : key.value;
    text += fmt::format("  {:<36} {:<22} {}\n  {:<36} {} ({})\n", key.path, value, key.doc, "", key.allowed,
                        key.kind);
  }
  return text;
}

}  // namespace t3sim::config
