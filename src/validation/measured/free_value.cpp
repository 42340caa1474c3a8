#include "validation/measured/free_value.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/nearest.h"

namespace t3sim {
namespace {

// The quantity of a kind of key; null for one without units.
const config::Quantity* quantity_of(const std::string& kind) {
  for (const config::Quantity* q : {&config::kSize, &config::kBandwidth, &config::kTime, &config::kFrequency})
    if (q->name == kind) return q;
  return nullptr;
}

double value_of(const config::KeyHelp& key) {
  if (const config::Quantity* quantity = quantity_of(key.kind))
    return static_cast<double>(config::parse_quantity(*quantity, key.value));
  double value = 0;
  const char* end = key.value.data() + key.value.size();
  const auto [stop, error] = std::from_chars(key.value.data(), end, value);
  return error == std::errc{} && stop == end ? value : 0;
}

}  // namespace

FreeValue::FreeValue(std::string path, const Config& config) : path_(std::move(path)) {
  Config copy = config;
  std::vector<std::string> names;
  for (const config::KeyHelp& key : config::list_with(config::describe_erased<Config>, &copy)) {
    names.push_back(key.path);
    if (key.path != path_) continue;
    kind_ = key.kind;
    base_ = quantity_of(kind_) || kind_ == "count" || kind_ == config::kind_name(config::Kind::real)
                ? value_of(key)
                : 0;
    if (base_ == 0) throw InputError(fmt::format("{}: {} is not a number to start from", path_, key.value));
    return;
  }
  const std::string near = nearest(path_, names);
  throw InputError(fmt::format("{}: there is no such key{}", path_,
                               near.empty() ? std::string() : fmt::format("; did you mean {}?", near)));
}

std::string FreeValue::text(double factor) const {
  const double value = base_ * factor;
  if (kind_ == config::kind_name(config::Kind::real)) return fmt::format("{:.4g}", value);
  const double digits = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(1.0, value))) - 3));
  const auto whole = static_cast<std::uint64_t>(std::round(value / digits) * digits);
  const config::Quantity* quantity = quantity_of(kind_);
  return quantity ? config::format_quantity(*quantity, whole) : fmt::format("{}", whole);
}

bool FreeValue::set(Config& config, double factor) const {
  config::Node root;
  root.type = config::Node::Type::map;
  config::apply_override(root, fmt::format("{}={}", path_, text(factor)));
  try {
    config::read(root, config);
  } catch (const InputError&) {  // outside the key's limits
    return false;
  }
  return true;
}

}  // namespace t3sim
