// Numbers with units in conditions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "base/number.h"
#include "config/units.h"
#include "sweep/expression_tree.h"
#include "sweep/keys.h"

namespace t3sim::sweep {
namespace {

struct Dimension {
  const config::Quantity* quantity;
  int bytes;
  int seconds;
  double base_units;  // in a byte or second
};

const std::array<Dimension, 4>& dimensions() {
  static const std::array<Dimension, 4> all{{{&config::kSize, 1, 0, 1},
                                             {&config::kBandwidth, 1, -1, 1},
                                             {&config::kTime, 0, 1, 1e12},
                                             {&config::kFrequency, 0, -1, 1}}};
  return all;
}

Measure measure_of(const Dimension& dimension, const std::string& text) {
  const auto base = real(config::parse_quantity(*dimension.quantity, text));
  return {base / dimension.base_units, dimension.bytes, dimension.seconds};
}

bool is_unit_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "GB/s" of "GB/s and …"; empty if no word follows.
std::string_view unit_at(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_unit_letter(text[end])) ++end;
  if (end > 0 && text.substr(end).starts_with("/s") &&
      (end + 2 == text.size() || !is_unit_letter(text[end + 2])))
    end += 2;
  return text.substr(0, end);
}

}  // namespace

Measure read_measure(std::string_view text, std::size_t& length) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) throw std::invalid_argument("not a number");
  const auto digits = narrow<std::size_t>(end - text.data());
  length = digits;
  const std::size_t space = digits < text.size() && text[digits] == ' ' ? 1 : 0;
  const std::string_view unit = unit_at(text.substr(std::min(digits + space, text.size())));
  if (unit.empty() || unit == "and" || unit == "or") return {value};
  length = digits + space + unit.size();
  for (const Dimension& dimension : dimensions())
    if (std::ranges::count(dimension.quantity->units, unit, &config::Unit::name) > 0)
      return measure_of(dimension, std::string(text.substr(0, length)));
  throw std::invalid_argument(fmt::format("unknown unit \"{}\"", unit));
}

bool as_measure(const std::string& key, const std::string& value, Measure& measure) {
  const config::KeyHelp* help = Keys::all().find(key);
  const config::Quantity* quantity = help ? quantity_of_kind(help->kind) : nullptr;
  if (quantity && value != "auto") {
    measure = measure_of(*std::ranges::find(dimensions(), quantity, &Dimension::quantity), value);
    return true;
  }
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size()) return false;
  measure = {number};
  return true;
}

}  // namespace t3sim::sweep
