#include "config/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/number.h"
#include "config/invalid_value.h"

namespace t3sim::config {
namespace {

__extension__ using Wide = unsigned __int128;  // holds every 64-bit product

constexpr std::array<Unit, 10> kSizeUnits{{{"B", 1},
                                           {"KB", kKB},
                                           {"kB", kKB, 1, false},
                                           {"KiB", kKiB},
                                           {"MB", kMB},
                                           {"MiB", kMiB},
                                           {"GB", kGB},
                                           {"GiB", kGiB},
                                           {"TB", kTB},
                                           {"TiB", kTiB}}};
constexpr std::array<Unit, 11> kBandwidthUnits{{{"B/s", 1},
                                                {"KB/s", kKB},
                                                {"kB/s", kKB, 1, false},
                                                {"KiB/s", kKiB, 1, false},
                                                {"MB/s", kMB},
                                                {"MiB/s", kMiB, 1, false},
                                                {"Gbit/s", kGB, 8, false},
                                                {"GB/s", kGB},
                                                {"GiB/s", kGiB, 1, false},
                                                {"TB/s", kTB},
                                                {"TiB/s", kTiB, 1, false}}};
constexpr std::array<Unit, 5> kTimeUnits{
    {{"ps", kPs}, {"ns", kNs}, {"us", kUs}, {"ms", kMs}, {"s", kSecond}}};
constexpr std::array<Unit, 4> kFrequencyUnits{{{"Hz", kHz}, {"kHz", kKHz}, {"MHz", kMHz}, {"GHz", kGHz}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string unit_names(const Quantity& quantity) {
  std::string names;
  for (const Unit& unit : quantity.units) names += (names.empty() ? "" : ", ") + std::string(unit.name);
  return names;
}

// digits / 10^places, exactly.
struct Decimal {
  Wide digits = 0;
  unsigned places = 0;
  std::size_t length = 0;  // characters read
};

// Reads digits[.digits] from the front of text; nullopt if there is no such number or it has more than 30
// digits.
std::optional<Decimal> read_decimal(std::string_view text) {
  Decimal d;
  unsigned digits = 0;
  bool point = false;
  for (char c : text) {
    if (c == '.' && !point && digits > 0) {
      point = true;
    } else if (is_digit(c) && digits < 30) {
      d.digits = d.digits * 10 + narrow<unsigned>(c - '0');
      d.places += point;
      ++digits;
    } else {
      break;
    }
    ++d.length;
  }
  const bool more = d.length < text.size() && (is_digit(text[d.length]) || text[d.length] == '.');
  if (digits == 0 || more || text[d.length - 1] == '.') return std::nullopt;
  return d;
}

Wide power_of_ten(unsigned n) {
  Wide p = 1;
  while (n-- > 0) p *= 10;
  return p;
}

std::uint64_t scale(const Quantity& quantity, const Decimal& number, const Unit& unit,
                    std::string_view text) {
  Wide digits = number.digits, divisor = power_of_ten(number.places);
  const auto reduce = [](Wide& a, Wide& b) {
    Wide x = a, y = b;
    while (y != 0) x = std::exchange(y, x % y);
    if (x > 1) a /= x, b /= x;
  };
  Wide numerator = unit.numerator, denominator = unit.denominator;
  reduce(digits, divisor);
  reduce(numerator, divisor);
  reduce(digits, denominator);
  if (divisor != 1 || denominator != 1)
    invalid_value(fmt::format("{} is not a whole number of {}", text, quantity.base));
  if (digits > std::numeric_limits<std::uint64_t>::max() / numerator)
    invalid_value(fmt::format("{} is too large; allowed: below 2^64 {}", text, quantity.base));
  return static_cast<std::uint64_t>(digits * numerator);
}

// value / unit as an exact decimal, or nullopt if it is below 1 or has no short one.
std::optional<std::string> decimal_in(const Unit& unit, std::uint64_t value) {
  if (value < unit.numerator) return std::nullopt;
  std::string text = fmt::format("{}", value / unit.numerator);
  std::uint64_t rest = value % unit.numerator;
  if (rest != 0) text += '.';
  for (; rest != 0; rest %= unit.numerator) {
    const Wide next = static_cast<Wide>(rest) * 10;
    text += static_cast<char>('0' + static_cast<int>(next / unit.numerator));
    rest = static_cast<std::uint64_t>(next % unit.numerator);
    if (text.size() > 22) return std::nullopt;
  }
  return text;
}

}  // namespace

constinit const Quantity kSize{"size", "bytes", "16 MiB", kSizeUnits};
constinit const Quantity kBandwidth{"bandwidth", "bytes per second", "75 GB/s", kBandwidthUnits};
constinit const Quantity kTime{"time", "picoseconds", "500 ns", kTimeUnits};
constinit const Quantity kFrequency{"frequency", "hertz", "1.4 GHz", kFrequencyUnits};

std::uint64_t parse_quantity(const Quantity& quantity, std::string_view text) {
  const std::optional<Decimal> number = read_decimal(text);
  const bool one_number = number && std::none_of(text.begin() + number->length, text.end(), is_digit);
  if (!one_number)
    invalid_value(fmt::format("\"{}\" is not a {}; allowed: a number and a unit, e.g. {}", text,
                              quantity.name, quantity.example));
  std::string_view rest = text.substr(number->length);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  if (rest.empty() && number->digits == 0) return 0;
  if (rest.empty())
    invalid_value(fmt::format("{} has no unit; allowed units: {} (e.g. {})", text, unit_names(quantity),
                              quantity.example));
  const auto unit = std::ranges::find(quantity.units, rest, &Unit::name);
  if (unit == quantity.units.end())
    invalid_value(fmt::format("unknown unit \"{}\" of a {}; allowed units: {}", rest, quantity.name,
                              unit_names(quantity)));
  return scale(quantity, *number, *unit, text);
}

std::string format_quantity(const Quantity& quantity, std::uint64_t value) {
  if (value == 0) return "0";
  std::string best;
  std::string_view best_unit;
  for (const Unit& unit : quantity.units) {
    if (!unit.written) continue;
    const std::optional<std::string> text = decimal_in(unit, value);
    if (!text || (!best.empty() && text->size() > best.size())) continue;
    best = *text;
    best_unit = unit.name;
  }
  return fmt::format("{} {}", best, best_unit);
}

std::uint64_t parse_whole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    invalid_value(fmt::format("{} is too large; allowed: below 2^64", text));
  const bool plain =
      !text.empty() && end == text.data() + text.size() && (text[0] != '0' || text.size() == 1);
  if (error != std::errc{} || !plain) invalid_value(fmt::format("\"{}\" is not a whole number", text));
  return value;
}

}  // namespace t3sim::config
