#include "sweep/sweep_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/nearest.h"
#include "config/library.h"
#include "sweep/axis_values.h"

namespace t3sim::sweep {
namespace {

using config::Entry;
using config::Node;

[[noreturn]] void fail(const config::Location& where, std::string_view message) {
  throw InputError(fmt::format("{}: {}", where.text(), message));
}

void need(const Entry& entry, Node::Type type, std::string_view what) {
  if (entry.value.type != type)
    fail(entry.value.where, fmt::format("{}: expected {}, found {}", entry.key, what, what_is(entry.value)));
}

class Loader {
 public:
  explicit Loader(const std::string& path) : folder_(std::filesystem::path(path).parent_path()) {
    sweep_.path = path;
    sweep_.name = std::filesystem::path(path).stem().string();
  }

  SweepFile load() {
    const config::Document document = config::load_file(sweep_.path);
    sweep_.files = document.files;
    refuse_unknown(document.root);
    read_base(document.root);
    if (const Entry* set = document.root.find("set")) sweep_.set = assignments(*set);
    if (const Entry* presets = document.root.find("presets")) read_presets(*presets);
    if (const Entry* axes = document.root.find("axes")) read_axes(*axes);
    if (const Entry* zip = document.root.find("zip")) read_zip(*zip);
    if (const Entry* where = document.root.find("where")) read_where(*where);
    if (const Entry* schemes = document.root.find("schemes")) sweep_.schemes = schemes->value;
    if (const Entry* invalid = document.root.find("invalid")) read_invalid(*invalid);
    if (const Entry* collect = document.root.find("collect")) sweep_.columns.collect = read_collect(*collect);
    if (const Entry* columns = document.root.find("columns")) sweep_.columns.derived = read_derived(*columns);
    return std::move(sweep_);
  }

 private:
  static void refuse_unknown(const Node& root) {
    const std::vector<std::string> known{"base",  "set",     "presets", "axes",    "zip",
                                         "where", "schemes", "invalid", "collect", "columns"};
    for (const Entry& entry : root.entries) {
      if (std::ranges::count(known, entry.key) > 0) continue;
      const std::string near = nearest(entry.key, known);
      fail(entry.where, fmt::format("unknown key \"{}\" of a sweep file; {}", entry.key,
                                    near.empty() ? fmt::format("allowed: {}", fmt::join(known, ", "))
                                                 : fmt::format("did you mean {}?", near)));
    }
  }

  void read_base(const Node& root) {
    const Entry* base = root.find("base");
    if (!base) fail(root.where, "a sweep file needs `base`: the configuration that it varies");
    need(*base, Node::Type::scalar, "a file name");
    sweep_.base = (folder_ / base->value.scalar).lexically_normal().string();
    if (!config::library::find(sweep_.base) && !std::filesystem::exists(sweep_.base))
      fail(base->value.where, fmt::format("base: {}: no such file", sweep_.base));
  }

  // {workload.m: 1024, gpus: {count: 8}}
  static Step assignments(const Entry& section) {
    need(section, Node::Type::map, "keys and values");
    Step step;
    for (const Entry& entry : section.value.entries) {
      check_key(entry.key, entry.where);
      step.push_back({entry.key, entry.value});
    }
    return step;
  }

  void read_presets(const Entry& presets) {
    need(presets, Node::Type::map, "names with keys and values below them");
    for (const Entry& preset : presets.value.entries) {
      sweep_.presets.push_back({preset.key, assignments(preset)});
      for (const Assignment& a : sweep_.presets.back().sets)
        if (a.path == "preset") fail(a.value.where, "a preset cannot name another one");
    }
  }

  void read_axes(const Entry& axes) {
    need(axes, Node::Type::map, "keys with their values");
    sweep_.axes_where = axes.where;
    for (const Entry& entry : axes.value.entries) sweep_.axes.push_back(axis(entry));
  }

  Axis axis(const Entry& entry) {
    if (entry.value.type == Node::Type::map)
      if (const Entry* file = entry.value.find("file")) return table(*file);
    check_key(entry.key, entry.where);
    const config::KeyHelp* key = Keys::all().find(entry.key);
    if (key && key->kind == "section")
      fail(entry.where,
           fmt::format("{}: is a section; an axis is one of the keys in it, or a preset", entry.key));
    Axis axis{{entry.key}, {}};
    for (Node& value : axis_values(entry.key, entry.value))
      axis.steps.push_back({{entry.key, std::move(value)}});
    if (entry.key == "preset")
      for (const Step& step : axis.steps) check_preset(step.front().value);
    return axis;
  }

  Axis table(const Entry& file) {
    need(file, Node::Type::scalar, "a file name");
    Axis axis = axis_from_table((folder_ / file.value.scalar).lexically_normal().string(), file.value.where,
                                sweep_.files);
    for (const Step& step : axis.steps)
      for (const Assignment& a : step)
        if (a.path == "preset") check_preset(a.value);
    return axis;
  }

  void check_preset(const Node& name) const {
    std::vector<std::string> names;
    for (const Preset& preset : sweep_.presets) names.push_back(preset.name);
    if (std::ranges::count(names, name.scalar) > 0) return;
    if (names.empty())
      fail(name.where, fmt::format("unknown preset \"{}\"; the sweep has no `presets`", name.scalar));
    const std::string near = nearest(name.scalar, names);
    fail(name.where,
         near.empty() ? fmt::format("unknown preset \"{}\"; presets: {}", name.scalar, fmt::join(names, ", "))
                      : fmt::format("unknown preset \"{}\"; did you mean {}?", name.scalar, near));
  }

  // zip: [[workload.m, workload.n], …] or one group alone.
  void read_zip(const Entry& zip) {
    need(zip, Node::Type::list, "a list of axes that go together");
    const auto& items = zip.value.items;
    const bool groups = !items.empty() && items.front().type == Node::Type::list;
    if (!groups) {
      join(zip.value);
      return;
    }
    for (const Node& group : items) {
      if (group.type != Node::Type::list)
        fail(group.where, fmt::format("zip: expected a list of axes, found {}", what_is(group)));
      join(group);
    }
  }

  // The axes of a group become one, at the place of the first.
  void join(const Node& group) {
    if (group.items.size() < 2) fail(group.where, "zip: expected two axes or more");
    Axis* first = nullptr;
    for (const Node& name : group.items) {
      Axis& axis = axis_named(name);
      if (!first) {
        first = &axis;
        continue;
      }
      if (&axis == first) fail(name.where, fmt::format("zip: \"{}\" is in this group already", name.scalar));
      if (axis.steps.size() != first->steps.size())
        fail(name.where, fmt::format("zip: {} has {} values, but {} has {}", name.scalar, axis.steps.size(),
                                     first->keys.front(), first->steps.size()));
      append(*first, axis);
      axis.keys.clear();
    }
    std::erase_if(sweep_.axes, [](const Axis& axis) { return axis.keys.empty(); });
  }

  static void append(Axis& to, const Axis& from) {
    to.keys.insert(to.keys.end(), from.keys.begin(), from.keys.end());
    for (std::size_t i = 0; i < to.steps.size(); ++i)
      to.steps[i].insert(to.steps[i].end(), from.steps[i].begin(), from.steps[i].end());
  }

  Axis& axis_named(const Node& name) {
    std::vector<std::string> all;
    for (Axis& axis : sweep_.axes) {
      if (name.type == Node::Type::scalar && std::ranges::count(axis.keys, name.scalar) > 0) return axis;
      all.insert(all.end(), axis.keys.begin(), axis.keys.end());
    }
    const std::string near = nearest(name.scalar, all);
    fail(name.where, near.empty()
                         ? fmt::format("zip: no axis \"{}\"; axes: {}", name.scalar, fmt::join(all, ", "))
                         : fmt::format("zip: no axis \"{}\"; did you mean {}?", name.scalar, near));
  }

  void read_where(const Entry& where) {
    const std::vector<Node> all =
        where.value.type == Node::Type::list ? where.value.items : std::vector<Node>{where.value};
    for (const Node& condition : all) {
      if (condition.type != Node::Type::scalar)
        fail(condition.where, fmt::format("where: expected a condition, found {}", what_is(condition)));
      sweep_.where.emplace_back(condition.scalar, text_start(condition.where));
    }
  }

  void read_invalid(const Entry& invalid) {
    const std::string& said = invalid.value.scalar;
    if (said != "refuse" && said != "skip")
      fail(invalid.value.where, fmt::format("invalid: \"{}\" is not allowed; allowed: refuse, skip", said));
    sweep_.skip_invalid = said == "skip";
  }

  // A quoted text starts behind its quote.
  config::Location text_start(config::Location where) const {
    std::ifstream file(where.origin);
    std::string line;
    for (unsigned i = 0; i < where.line && std::getline(file, line); ++i) continue;
    if (where.column >= 1 && where.column <= line.size() &&
        (line[where.column - 1] == '"' || line[where.column - 1] == '\''))
      ++where.column;
    return where;
  }

  SweepFile sweep_;
  std::filesystem::path folder_;
};

// No key may be set by two axes, or one would silently win; nor by an axis and by a preset that is on one.
void check_keys_once(const SweepFile& sweep) {
  std::vector<std::string> seen;
  for (const Axis& axis : sweep.axes)
    for (std::size_t i = 0; i < axis.keys.size(); ++i) {
      if (std::ranges::count(seen, axis.keys[i]) > 0)
        fail(axis.steps.front()[i].value.where, fmt::format("{} is on two axes", axis.keys[i]));
      seen.push_back(axis.keys[i]);
    }
  if (std::ranges::count(seen, "preset") == 0) return;
  for (const Preset& preset : sweep.presets)
    for (const Assignment& a : preset.sets)
      if (std::ranges::count(seen, a.path) > 0)
        fail(a.value.where,
             fmt::format("{} is set by the preset \"{}\" and on an axis", a.path, preset.name));
}

}  // namespace

void check_key(const std::string& path, const config::Location& where) {
  if (path == "preset" || Keys::all().find(path)) return;
  fail(where, Keys::all().unknown(path));
}

namespace {
// Files win over the program's sweeps.
std::string sweep_path(const std::string& path_or_name) {
  if (std::filesystem::exists(path_or_name)) return path_or_name;
  const std::string inside = config::library::path_of("sweeps", path_or_name);
  if (config::library::find(inside)) return inside;
  return path_or_name;
}
}  // namespace

SweepFile load_sweep(const std::string& path_or_name) {
  SweepFile sweep = Loader(sweep_path(path_or_name)).load();
  check_keys_once(sweep);
  return sweep;
}

}  // namespace t3sim::sweep
