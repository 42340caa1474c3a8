#include "sweep/axis_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "base/error.h"
#include "base/nearest.h"
#include "base/number.h"
#include "sweep/keys.h"

namespace t3sim::sweep {
namespace {

using config::Node;

[[noreturn]] void fail(const config::Location& where, std::string_view message) {
  throw InputError(fmt::format("{}: {}", where.text(), message));
}

// The numbers of a key: as text, and as what arithmetic is done with. Whole kinds count base units, all of
// which a double holds exactly below 2^53.
class NumberKind {
 public:
  explicit NumberKind(const std::string& path) : path_(path) {
    const config::KeyHelp* key = Keys::all().find(path);
    kind_ = key ? key->kind : "";
    quantity_ = quantity_of_kind(kind_);
    whole_ = quantity_ || is_whole_number_kind(kind_);
  }

  bool whole() const { return whole_; }

  double parse(const Node& node) const {
    if (node.type != Node::Type::scalar)
      fail(node.where, fmt::format("{}: expected a number, found {}", path_, what_is(node)));
    try {
      return parse_text(node.scalar);
    } catch (const std::invalid_argument& e) {
      fail(node.where, fmt::format("{}: {}", path_, e.what()));
    }
  }

  std::string format(double value) const {
    if (!whole_) return fmt::format("{:.12g}", value);
    const auto units = static_cast<std::uint64_t>(value);
    return quantity_ ? config::format_quantity(*quantity_, units) : fmt::format("{}", units);
  }

 private:
  double parse_text(const std::string& text) const {
    if (quantity_) return real(config::parse_quantity(*quantity_, text));
    if (whole_) return real(config::parse_whole(text));
    if (kind_ != config::kind_name(config::Kind::real))
      throw std::invalid_argument(fmt::format("a range needs numbers, but this key is a {}", kind_));
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
      throw std::invalid_argument(fmt::format("\"{}\" is not a number", text));
    return value;
  }

  const std::string& path_;
  std::string kind_;
  const config::Quantity* quantity_ = nullptr;
  bool whole_ = false;
};

class Range {
 public:
  Range(const std::string& path, const Node& said) : path_(path), said_(said), kind_(path) {
    for (const config::Entry& entry : said.entries) refuse_unknown(entry);
    from_ = kind_.parse(need("from"));
    to_ = kind_.parse(need("to"));
    if (to_ < from_) fail(need("to").where, fmt::format("{}: `to` is below `from`", path_));
    if (const config::Entry* multiple = said.find("multiple")) {
      multiple_ = kind_.parse(multiple->value);
      if (multiple_ <= 0) fail(multiple->value.where, fmt::format("{}: `multiple` must not be 0", path_));
    }
  }

  std::vector<Node> values() const {
    std::vector<Node> nodes;
    for (double value : numbers()) {
      Node node;
      node.type = Node::Type::scalar;
      node.where = said_.where;
      node.scalar = kind_.format(rounded(value));
      if (nodes.empty() || nodes.back().scalar != node.scalar) nodes.push_back(std::move(node));
    }
    return nodes;
  }

 private:
  void refuse_unknown(const config::Entry& entry) const {
    const std::vector<std::string> known{"from", "to", "step", "points", "scale", "multiple"};
    if (std::ranges::count(known, entry.key) > 0) return;
    const std::string near = nearest(entry.key, known);
    fail(entry.where, fmt::format("{}: unknown key \"{}\" of a range; {}", path_, entry.key,
                                  near.empty() ? fmt::format("allowed: {}, or file", fmt::join(known, ", "))
                                               : fmt::format("did you mean {}?", near)));
  }

  const Node& need(std::string_view key) const {
    if (const config::Entry* entry = said_.find(key)) return entry->value;
    fail(said_.where, fmt::format("{}: a range needs {}", path_,
                                  key == "step" ? "`step` or `points`" : fmt::format("`{}`", key)));
  }

  std::vector<double> numbers() const {
    const config::Entry* points = said_.find("points");
    if (!points) return stepped();
    if (const config::Entry* step = said_.find("step"))
      fail(step->where, fmt::format("{}: a range has `step` or `points`, not both", path_));
    return spaced(count_of(points->value));
  }

  std::vector<double> stepped() const {
    if (const config::Entry* scale = said_.find("scale"))
      fail(scale->where, fmt::format("{}: `scale` goes with `points`, not with `step`", path_));
    const double step = kind_.parse(need("step"));
    if (step <= 0) fail(need("step").where, fmt::format("{}: `step` must not be 0", path_));
    const double steps = std::floor((to_ - from_) / step * (1 + 1e-12));  // 0.3 / 0.1 is 3 steps
    if (steps >= real(kMostPoints))
      fail(need("step").where,
           fmt::format("{}: {:.0f} values are too many; allowed: up to {}", path_, steps + 1, kMostPoints));
    std::vector<double> all;
    for (double i = 0; i <= steps; ++i) all.push_back(from_ + i * step);
    return all;
  }

  std::vector<double> spaced(std::size_t points) const {
    const bool log = is_log();
    if (log && from_ <= 0) fail(need("from").where, fmt::format("{}: a log range starts above 0", path_));
    std::vector<double> all;
    for (std::size_t i = 0; i < points; ++i) {
      const double part = real(i) / real(points - 1);
      all.push_back(log ? from_ * std::pow(to_ / from_, part) : from_ + (to_ - from_) * part);
    }
    all.back() = to_;
    return all;
  }

  std::size_t count_of(const Node& node) const {
    std::uint64_t points = 0;
    try {
      points = config::parse_whole(node.scalar);
    } catch (const std::invalid_argument& e) {
      fail(node.where, fmt::format("{}: points: {}", path_, e.what()));
    }
    if (points < 2 || points > kMostPoints)
      fail(node.where, fmt::format("{}: points: allowed: 2 to {}", path_, kMostPoints));
    return points;
  }

  bool is_log() const {
    const config::Entry* scale = said_.find("scale");
    if (!scale || scale->value.scalar == "linear") return false;
    if (scale->value.scalar == "log") return true;
    fail(scale->value.where, fmt::format("{}: scale: allowed: linear, log", path_));
  }

  double rounded(double value) const {
    if (multiple_ > 0) return std::max(std::nearbyint(value / multiple_), 1.0) * multiple_;
    return kind_.whole() ? std::nearbyint(value) : value;
  }

  const std::string& path_;
  const Node& said_;
  NumberKind kind_;
  double from_ = 0, to_ = 0, multiple_ = 0;
};

}  // namespace

std::vector<Node> axis_values(const std::string& path, const Node& said) {
  if (said.type == Node::Type::map) return Range(path, said).values();
  const std::vector<Node> values = said.type == Node::Type::list ? said.items : std::vector<Node>{said};
  if (values.empty()) fail(said.where, fmt::format("{}: the list of values is empty", path));
  for (const Node& value : values)
    if (value.type != Node::Type::scalar)
      fail(value.where, fmt::format("{}: expected a value, found {}", path, what_is(value)));
  return values;
}

}  // namespace t3sim::sweep
