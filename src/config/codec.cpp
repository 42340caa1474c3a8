#include "config/codec.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <stdexcept>

#include "base/nearest.h"
#include "base/number.h"
#include "config/invalid_value.h"

namespace t3sim::config {
namespace {

// "min to max", "min or more", … with limits as `format` writes them.
template <class T, class Format>
std::string range_text(T min, T max, T lowest, T highest, Format format) {
  if (min == lowest && max == highest) return "any";
  if (max == highest) return fmt::format("{} or more", format(min));
  if (min == lowest && lowest != T{0}) return fmt::format("{} or less", format(max));
  return fmt::format("{} to {}", format(min), format(max));
}

template <class T>
void check_range(T value, T min, T max, std::string_view text, const std::string& allowed) {
  if (value < min) invalid_value(fmt::format("{} is too small; allowed: {}", text, allowed));
  if (value > max) invalid_value(fmt::format("{} is too large; allowed: {}", text, allowed));
}

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::uint64_t whole_within(std::string_view part, Limits limits, std::string_view text,
                           const std::string& allowed) {
  std::uint64_t value = 0;
  try {
    value = parse_whole(part);
  } catch (const std::invalid_argument& e) {
    invalid_value(fmt::format("{}; allowed: {}", e.what(), allowed));
  }
  check_range(value, limits.min, limits.max, text, allowed);
  return value;
}

}  // namespace

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::count:
      return "count";
    case Kind::real:
      return "number";
    case Kind::flag:
      return "flag";
    case Kind::text:
      return "text";
    case Kind::path:
      return "file name";
    case Kind::choice:
      return "choice";
    case Kind::choice_or_count:
      return "choice or count";
    case Kind::size:
      return "size";
    case Kind::bandwidth:
      return "bandwidth";
    case Kind::time:
      return "time";
    case Kind::frequency:
      return "frequency";
    case Kind::dimensions:
      return "dimensions";
  }
  return "";
}

std::uint64_t CountCodec::parse(std::string_view text) const {
  return whole_within(text, limits, text, allowed());
}
std::string CountCodec::format(std::uint64_t value) const { return fmt::format("{}", value); }
std::string CountCodec::allowed() const {
  if (limits.min == 0 && limits.max == kMost) return "a whole number";
  return range_text(limits.min, limits.max, std::uint64_t{0}, kMost,
                    [this](std::uint64_t v) { return format(v); });
}

double RealCodec::parse(std::string_view text) const {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    invalid_value(fmt::format("\"{}\" is not a number; allowed: {}", text, allowed()));
  check_range(value, limits.min, limits.max, text, allowed());
  return value;
}
std::string RealCodec::format(double value) const { return fmt::format("{}", value); }
std::string RealCodec::allowed() const {
  constexpr RealLimits kNone;
  return range_text(limits.min, limits.max, kNone.min, kNone.max, [this](double v) { return format(v); });
}

bool FlagCodec::parse(std::string_view text) const {
  if (text != "true" && text != "false")
    invalid_value(fmt::format("\"{}\" is not a flag; allowed: {}", text, allowed()));
  return text == "true";
}

std::uint64_t QuantityCodec::parse(std::string_view text) const {
  const std::uint64_t value = parse_quantity(quantity, text);
  check_range(value, limits.min, limits.max, text, allowed());
  return value;
}
std::string QuantityCodec::allowed() const {
  if (limits.min == 0 && limits.max == kMost)
    return fmt::format("a {}, e.g. {}", quantity.name, quantity.example);
  return range_text(limits.min, limits.max, std::uint64_t{0}, kMost,
                    [this](std::uint64_t v) { return format(v); });
}

std::array<std::uint32_t, 3> DimensionsCodec::parse(std::string_view text) const {
  std::array<std::uint32_t, 3> value{};
  std::string_view rest = text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::size_t end = i + 1 < value.size() ? rest.find('x') : rest.size();
    if (end == rest.npos)
      invalid_value(fmt::format("\"{}\" is not three lengths; allowed: {}", text, allowed()));
    value[i] = narrow<std::uint32_t>(whole_within(rest.substr(0, end), limits, text, allowed()));
    rest.remove_prefix(i + 1 < value.size() ? end + 1 : end);
  }
  return value;
}
std::string DimensionsCodec::format(const std::array<std::uint32_t, 3>& value) const {
  return fmt::format("{}x{}x{}", value[0], value[1], value[2]);
}
std::string DimensionsCodec::allowed() const {
  return fmt::format("three lengths like 128x128x32, each {}", CountCodec{limits}.allowed());
}

std::string joined(const std::vector<std::string_view>& names) {
  return fmt::format("{}", fmt::join(names, " | "));
}

void refuse_choice(std::string_view text, const std::vector<std::string_view>& names,
                   std::string_view allowed) {
  const std::string near = nearest(text, {names.begin(), names.end()});
  const std::string hint = near.empty() ? "" : fmt::format(" (did you mean {}?)", near);
  invalid_value(fmt::format("\"{}\" is not allowed; allowed: {}{}", text, allowed, hint));
}

void refuse_unlisted_enumerator() {
  throw std::logic_error("a choice holds a value that its description does not list");
}

}  // namespace t3sim::config
