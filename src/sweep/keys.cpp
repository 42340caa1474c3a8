#include "sweep/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/nearest.h"
#include "base/number.h"
#include "config/units.h"

namespace t3sim::sweep {
namespace {

// Unit of a quantity's columns.
struct ColumnUnit {
  const config::Quantity* quantity;
  std::string_view suffix;
  double base_units;
};

const std::array<ColumnUnit, 4>& column_units() {
  static const std::array<ColumnUnit, 4> units{{{&config::kSize, "bytes", 1},
                                                {&config::kBandwidth, "GBps", 1e9},
                                                {&config::kTime, "ns", 1e3},
                                                {&config::kFrequency, "GHz", 1e9}}};
  return units;
}

const ColumnUnit* column_unit(const std::string& path) {
  const config::KeyHelp* key = Keys::all().find(path);
  const config::Quantity* quantity = key ? quantity_of_kind(key->kind) : nullptr;
  const auto it = std::ranges::find(column_units(), quantity, &ColumnUnit::quantity);
  return quantity && it != column_units().end() ? &*it : nullptr;
}

std::string_view first_segment(std::string_view path) { return path.substr(0, path.find('.')); }

// "gpus.overrides.<key>.clock" has gpus.overrides.3.clock.
bool matches(std::string_view pattern, std::string_view path) {
  while (!pattern.empty() && !path.empty()) {
    const std::string_view p = first_segment(pattern), s = first_segment(path);
    if (p != s && (p.front() != '<' || s.empty())) return false;
    pattern.remove_prefix(std::min(p.size() + 1, pattern.size()));
    path.remove_prefix(std::min(s.size() + 1, path.size()));
  }
  return pattern.empty() && path.empty();
}

class Collector final : public config::Visitor {
 public:
  explicit Collector(const std::set<std::string, std::less<>>& wanted) : wanted_(wanted) {}
  KeyValues values;

 protected:
  void scalar(const config::Key& key, config::Scalar& value) override {
    std::string path = path_of(key);
    if (wanted_.contains(path) && value.present()) values[std::move(path)] = value.format();
  }
  void named(const config::Key& key, config::NamedScalars& named_values) override {
    for (const std::string& name : named_values.names()) {
      std::string path = fmt::format("{}.{}", path_of(key), name);
      if (wanted_.contains(path)) values[std::move(path)] = named_values.format(name);
    }
  }
  void list(const config::Key& key, config::ScalarList& list_values) override {
    std::string path = path_of(key);
    if (wanted_.contains(path))
      values[std::move(path)] = fmt::format("[{}]", fmt::join(list_values.format(), ", "));
  }
  void collection(const config::Key& key, config::Collection& elements) override {
    begin_section(key);
    for (const std::string& name : elements.names()) {
      begin_section({name, ""});
      elements.element(*this, name);
      end_section();
    }
    end_section();
  }
  void begin_section(const config::Key& key) override {
    sizes_.push_back(above_.size());
    above_ += key.name;
    above_ += '.';
  }
  void end_section() override {
    above_.resize(sizes_.back());
    sizes_.pop_back();
  }

 private:
  std::string path_of(const config::Key& key) const { return above_ + std::string(key.name); }

  const std::set<std::string, std::less<>>& wanted_;
  std::string above_;
  std::vector<std::size_t> sizes_;
};

}  // namespace

Keys::Keys() : keys_(config::list_keys<Config>()) {}

const Keys& Keys::all() {
  static const Keys keys;
  return keys;
}

const config::KeyHelp* Keys::find(std::string_view path) const {
  const auto it =
      std::ranges::find_if(keys_, [&](const config::KeyHelp& key) { return matches(key.path, path); });
  return it == keys_.end() ? nullptr : &*it;
}

std::string Keys::unknown(const std::string& path) const {
  std::vector<std::string> paths, ends;
  for (const config::KeyHelp& key : keys_) {
    if (key.kind == "section") continue;
    paths.push_back(key.path);
    if (key.path.ends_with("." + path)) ends.push_back(key.path);
  }
  const std::string near = ends.empty() ? nearest(path, paths) : ends.front();
  return near.empty() ? fmt::format("unknown key \"{}\" (t3sim run --help-config lists all keys)", path)
                      : fmt::format("unknown key \"{}\"; did you mean {}?", path, near);
}

const config::Quantity* quantity_of_kind(std::string_view kind) {
  if (kind == config::kind_name(config::Kind::size)) return &config::kSize;
  if (kind == config::kind_name(config::Kind::bandwidth)) return &config::kBandwidth;
  if (kind == config::kind_name(config::Kind::time)) return &config::kTime;
  if (kind == config::kind_name(config::Kind::frequency)) return &config::kFrequency;
  return nullptr;
}

bool is_whole_number_kind(std::string_view kind) {
  return kind == config::kind_name(config::Kind::count) ||
         kind == config::kind_name(config::Kind::choice_or_count);
}

bool Keys::has_column(std::string_view column) const {
  return std::ranges::any_of(keys_, [&](const config::KeyHelp& key) {
    return key.kind != "section" && column_name(key.path) == column;
  });
}

std::string column_name(const std::string& path) {
  std::string name = path;
  std::ranges::replace(name, '.', '_');
  const ColumnUnit* unit = column_unit(path);
  return unit ? fmt::format("{}_{}", name, unit->suffix) : name;
}

std::string column_value(const std::string& path, const std::string& text) {
  const ColumnUnit* unit = column_unit(path);
  if (!unit || text == "auto") return text;
  return fmt::format("{}", real(config::parse_quantity(*unit->quantity, text)) / unit->base_units);
}

KeyValues values_of(const Config& config, const std::set<std::string, std::less<>>& paths) {
  Collector collector(paths);
  describe(collector, const_cast<Config&>(config));  // describe() wants it mutable; nothing is changed
  return std::move(collector.values);
}

}  // namespace t3sim::sweep
