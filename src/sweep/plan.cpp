#include "sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <unordered_map>

#include "base/error.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/sha256.h"
#include "program/library.h"
#include "run/check_config.h"
#include "run/program_point.h"
#include "sweep/axis_values.h"
#include "sweep/point_command.h"

namespace t3sim::sweep {
namespace {

// At their place in the sweep's file, before any point is made of them.
void check_schemes(const config::Node& schemes) {
  for (const config::Node& scheme : schemes.items) {
    if (scheme.type != config::Node::Type::scalar) continue;
    try {
      program_library::scheme(scheme.scalar);
    } catch (const InputError& e) {
      throw InputError(fmt::format("{}: schemes: {}", scheme.where.text(), e.what()));
    }
  }
}

// What all points of a plan share while it is made.
struct Composer {
  explicit Composer(const SweepFile& s) : sweep(s), base(config::load_file(s.base)) {
    for (const Assignment& a : s.set) config::set_value(base.root, a.path, a.value, a.value.where);
    check_schemes(s.schemes);
    if (s.schemes.type != config::Node::Type::nothing)
      config::set_value(base.root, "schemes", s.schemes, s.schemes.where);
    for (const Axis& axis : s.axes)
      for (const std::string& key : axis.keys) add_columns(key);
    for (const std::string& key : columns) wanted.insert(key);
    for (const Condition& condition : s.where)
      wanted.insert(condition.keys().begin(), condition.keys().end());
  }

  const SweepFile& sweep;
  config::Document base;
  std::vector<std::string> columns;              // keys, in the order of the results' columns
  std::set<std::string, std::less<>> wanted;     // keys whose values a point is asked for
  std::map<std::string, std::string> file_hash;  // of inputs, by path

  const Preset& preset(const std::string& name) const {
    return *std::ranges::find(sweep.presets, name, &Preset::name);
  }
  // Hash of a file that points read; many share it.
  const std::string& hash_of(const std::string& path) {
    std::string& hash = file_hash[path];
    if (!hash.empty()) return hash;
    std::ifstream file(path, std::ios::binary);
    return hash = sha256_hex(std::string(std::istreambuf_iterator<char>(file), {}));
  }

 private:
  // An axis of presets has the keys that its presets set as columns of their own.
  void add_columns(const std::string& key) {
    if (std::ranges::count(columns, key) == 0) columns.push_back(key);
    if (key != "preset") return;
    for (const Preset& p : sweep.presets)
      for (const Assignment& a : p.sets)
        for (const std::string& leaf : leaf_paths(a))
          if (std::ranges::count(columns, leaf) == 0) columns.push_back(leaf);
  }
};

// One point on its way from steps along the axes to a checked configuration.
class PointDraft {
 public:
  PointDraft(Composer& composer, const std::vector<const Step*>& steps) : composer_(composer) {
    config::Node root = composer.base.root;
    std::vector<std::string> labels;
    for (const Step* step : steps)
      for (const Assignment& a : *step) {
        labels.push_back(fmt::format("{}={}", a.path, a.value.scalar));
        if (a.path == "preset")
          for (const Assignment& set : composer.preset(a.value.scalar).sets) assign(root, set);
        else
          assign(root, a);
        if (a.path == "preset") preset_ = a.value.scalar;
      }
    label = fmt::format("{}", fmt::join(labels, ", "));
    root_ = std::move(root);
  }

  std::string label;

  void read() {
    sources_ = config::read(root_, config_);
    values_ = values_of(config_, composer_.wanted);
    if (!preset_.empty()) values_["preset"] = preset_;
  }

  bool wanted() const {
    return std::ranges::all_of(composer_.sweep.where, [&](const Condition& c) { return c.holds(values_); });
  }

  // Throws InputError where the point cannot be run.
  void check() {
    settle_config(config_, sources_);
    check_config(config_, sources_);
    if (!config_.program.file.empty()) check_program(config_);
  }

  Point finish(std::size_t index) {
    values_ = values_of(config_, composer_.wanted);
    if (!preset_.empty()) values_["preset"] = preset_;
    Point point;
    point.index = index;
    point.label = label;
    point.config = config::write(config_);
    for (const std::string& key : composer_.columns)
      point.values.push_back(values_.contains(key) ? column_value(key, values_.at(key)) : "");
    Config named = named_by_content(point.files);
    point.key = sha256_hex(named_by(program_id(), point.files.empty() ? point.config : config::write(named),
                                    composer_.sweep.columns));
    point.command = point_command(composer_.sweep, set_, config_);
    point.work = work();
    return point;
  }

 private:
  void assign(config::Node& root, const Assignment& a) {
    config::set_value(root, a.path, a.value, a.value.where);
    set_.push_back(a);
  }

  // The configuration with the content of each file, wherever it lies, instead of its name. Adds them to `files`.
  Config named_by_content(std::vector<config::InputFile>& files) const {
    Config named = config_;
    const auto by_content = [&](std::string& name) {
      files.push_back({name, composer_.hash_of(name)});
      name = files.back().sha256;
    };
    if (!named.workload.trace.empty()) by_content(named.workload.trace);
    for (std::string& scheme : named.schemes)
      if (program_library::is_file(scheme)) by_content(scheme);
    if (program_library::is_file(named.program.file)) by_content(named.program.file);
    return named;
  }

  // The matrix product dominates; each K step costs about as much as writing and reducing 200 elements deep.
  double work() const {
    if (!config_.program.file.empty()) return std::max(1.0, program_work(config_));
    const WorkloadConfig& w = config_.workload;
    const double gpus = config_.gpus.model == GpuModel::explicit_ ? config_.gpus.count : 1;
    return std::max(1.0, real(w.m) * w.n * (w.k + 200.0)) * gpus * real(config_.schemes.size());
  }

  Composer& composer_;
  config::Node root_;
  Step set_;  // all that the axes and presets say of this point
  std::string preset_;
  Config config_;
  config::Sources sources_;
  KeyValues values_;
};

// Counts through all combinations, the last axis fastest.
class Odometer {
 public:
  explicit Odometer(const std::vector<Axis>& axes) : axes_(axes), at_(axes.size(), 0) {}

  std::vector<const Step*> steps() const {
    std::vector<const Step*> steps;
    for (std::size_t i = 0; i < axes_.size(); ++i) steps.push_back(&axes_[i].steps[at_[i]]);
    return steps;
  }
  bool next() {
    for (std::size_t i = axes_.size(); i-- > 0;) {
      if (++at_[i] < axes_[i].steps.size()) return true;
      at_[i] = 0;
    }
    return false;
  }

 private:
  const std::vector<Axis>& axes_;
  std::vector<std::size_t> at_;
};

void check_size(const SweepFile& sweep) {
  double points = 1;
  for (const Axis& axis : sweep.axes) points *= real(axis.steps.size());
  if (points > real(kMostPoints))
    throw InputError(fmt::format("{}: {:.0f} combinations; allowed: up to {}", sweep.axes_where.text(),
                                 points, kMostPoints));
}

// What was wrong with a point, with the point's name and the place of the axes behind it.
InputError about_point(const SweepFile& sweep, std::size_t index, const std::string& label,
                       const std::string& what) {
  if (label.empty()) return InputError(what);
  return InputError(fmt::format("{}; point {} of {}: {}", what, index, sweep.axes_where.text(), label));
}

bool is_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

void name_columns(Plan& plan, const std::vector<std::string>& keys, const config::Location& axes) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto number = [&](const Point& point) { return is_number(point.values[i]); };
    plan.columns.push_back({column_name(keys[i]), std::ranges::all_of(plan.points, number)});
  }
  for (const DerivedColumn& derived : plan.further.derived)
    for (const PlanColumn& column : plan.columns)
      if (same_column(derived.name, column.name))
        throw InputError(
            fmt::format("{}: columns: \"{}\" is the column of an axis already", axes.text(), derived.name));
}

// What a row has depends on its scheme. But of all that a run gives only the speed-up has no "_" in its name, a key is there if it is an
// axis, and what is nearly the name of a column that is always there is a typing error.
void check_operand(const std::string& name, const DerivedColumn& derived,
                   const std::vector<std::string>& known) {
  if (std::ranges::find(known, name) != known.end()) return;
  const std::string near = nearest(name, known);
  const bool plain = name.find('_') == name.npos, key = Keys::all().has_column(name);
  if (near.empty() && !plain && !key) return;
  throw InputError(fmt::format("{}: columns: {}: no number before it in a row is called \"{}\"{}{}",
                               derived.where.text(), derived.name, name, key ? ", which is no axis" : "",
                               near.empty() ? "" : "; did you mean " + near + "?"));
}

void check_operands(const Plan& plan) {
  std::vector<std::string> known{"time_us", "speedup", "link_bytes"};
  for (const PlanColumn& column : plan.columns) known.push_back(column.name);
  for (const std::string& counter : plan.further.counters()) known.push_back(column_of_counter(counter));
  for (const DerivedColumn& derived : plan.further.derived) {
    evaluate(derived, [&](std::string_view name) {
      check_operand(std::string(name), derived, known);
      return std::optional(1.0);
    });
    known.push_back(derived.name);
  }
}

// Rows that differ in nothing but their number would only be in the way: of curves, and of averages.
void check_new(std::unordered_map<std::string, std::size_t>& seen, const SweepFile& sweep,
               const PointDraft& draft, std::size_t index) {
  const auto [before, is_new] = seen.emplace(draft.label, index);
  if (!is_new)
    throw about_point(sweep, index, draft.label, fmt::format("the same values as point {}", before->second));
}

// A preset that no axis names is checked too, as far as it goes alone.
void check_presets(const Composer& composer) {
  for (const Preset& preset : composer.sweep.presets) {
    config::Node root = composer.base.root;
    for (const Assignment& a : preset.sets) config::set_value(root, a.path, a.value, a.value.where);
    Config config;
    config::read(root, config);
  }
}

}  // namespace

Plan make_plan(const SweepFile& sweep) {
  check_size(sweep);
  Composer composer(sweep);
  check_presets(composer);
  Plan plan;
  plan.sweep = sweep.name;
  plan.program = program_id();
  plan.further = sweep.columns;
  std::unordered_map<std::string, std::size_t> seen;
  Odometer odometer(sweep.axes);
  do {
    PointDraft draft(composer, odometer.steps());
    try {
      draft.read();
      if (!draft.wanted()) {
        ++plan.left_out;
        continue;
      }
      draft.check();
    } catch (const InputError& e) {
      if (!sweep.skip_invalid) throw about_point(sweep, plan.points.size(), draft.label, e.what());
      plan.invalid.push_back({draft.label, e.what()});
      continue;
    }
    check_new(seen, sweep, draft, plan.points.size());
    plan.points.push_back(draft.finish(plan.points.size()));
  } while (odometer.next());
  if (plan.points.empty())
    throw InputError(plan.invalid.empty() ? fmt::format("{}: `where` leaves none of the {} points",
                                                        sweep.where.front().where().text(), plan.left_out)
                                          : fmt::format("{}: no point can be run; the first: {}", sweep.path,
                                                        plan.invalid.front().why));
  name_columns(plan, composer.columns, sweep.axes_where);
  check_operands(plan);
  return plan;
}

}  // namespace t3sim::sweep
