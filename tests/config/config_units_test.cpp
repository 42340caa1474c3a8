#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>

#include "config/units.h"

namespace t3sim::config {
namespace {

std::string refusal(const Quantity& quantity, const std::string& text) {
  try {
    parse_quantity(quantity, text);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "(accepted)";
}

TEST(Units, GB_is_a_power_of_ten_and_GiB_a_power_of_two) {
  EXPECT_EQ(parse_quantity(kSize, "1 GB"), 1'000'000'000u);
  EXPECT_EQ(parse_quantity(kSize, "1 GiB"), 1'073'741'824u);
  EXPECT_EQ(parse_quantity(kSize, "16MiB"), 16u << 20);
}

TEST(Units, decimals_are_exact_where_a_double_would_round) {
  EXPECT_EQ(parse_quantity(kFrequency, "1.4 GHz"), 1'400'000'000u);
  EXPECT_EQ(parse_quantity(kTime, "0.001 ns"), 1u);
  EXPECT_EQ(parse_quantity(kSize, "9007199254740993 B"), 9007199254740993u);
  EXPECT_EQ(parse_quantity(kSize, "9007.199254740993 TB"), 9007199254740993u);
  EXPECT_EQ(parse_quantity(kSize, "18446744073709551615 B"), UINT64_MAX);
  EXPECT_EQ(parse_quantity(kBandwidth, "600 Gbit/s"), 75'000'000'000u);
}

TEST(Units, zero_needs_no_unit) {
  EXPECT_EQ(parse_quantity(kTime, "0"), 0u);
  EXPECT_EQ(parse_quantity(kTime, "0.0"), 0u);
}

TEST(Units, a_number_without_a_unit_is_refused) {
  EXPECT_EQ(refusal(kTime, "500"), "500 has no unit; allowed units: ps, ns, us, ms, s (e.g. 500 ns)");
}

TEST(Units, an_unknown_unit_is_refused_with_the_known_ones) {
  EXPECT_EQ(refusal(kFrequency, "1.4 Ghz"),
            "unknown unit \"Ghz\" of a frequency; allowed units: Hz, kHz, MHz, GHz");
  EXPECT_EQ(refusal(kTime, "3 GB"), "unknown unit \"GB\" of a time; allowed units: ps, ns, us, ms, s");
}

TEST(Units, a_fraction_of_the_base_unit_is_refused_not_rounded) {
  EXPECT_EQ(refusal(kTime, "0.0001 ns"), "0.0001 ns is not a whole number of picoseconds");
  EXPECT_EQ(refusal(kSize, "1.5 B"), "1.5 B is not a whole number of bytes");
}

TEST(Units, what_does_not_fit_in_64_bits_is_refused) {
  EXPECT_EQ(refusal(kSize, "18446744073709551616 B"),
            "18446744073709551616 B is too large; allowed: below 2^64 bytes");
  EXPECT_EQ(refusal(kSize, "99999999 TiB"), "99999999 TiB is too large; allowed: below 2^64 bytes");
}

TEST(Units, text_that_is_no_number_is_refused) {
  for (const char* text : {"fast", "", "-5 ns", "1.2.3 ns", ".5 ns", "5. ns", "1e3 ns", "+1 ns", "0x10 ns",
                           "1234567890123456789012345678901 ns"})
    EXPECT_EQ(refusal(kTime, text),
              fmt::format("\"{}\" is not a time; allowed: a number and a unit, e.g. 500 ns", text))
        << text;
}

TEST(Units, writing_uses_the_largest_unit_with_the_fewest_digits) {
  EXPECT_EQ(format_quantity(kFrequency, 1'400'000'000), "1.4 GHz");
  EXPECT_EQ(format_quantity(kTime, 500'000), "500 ns");
  EXPECT_EQ(format_quantity(kSize, 16u << 20), "16 MiB");
  EXPECT_EQ(format_quantity(kSize, 1'000'000), "1 MB");
  EXPECT_EQ(format_quantity(kSize, 1536), "1.5 KiB");
  EXPECT_EQ(format_quantity(kBandwidth, 75'000'000'000), "75 GB/s");
  EXPECT_EQ(format_quantity(kBandwidth, 1'000'000'000'000), "1 TB/s");
  EXPECT_EQ(format_quantity(kTime, 0), "0");
}

TEST(Units, what_is_written_reads_back_exactly) {
  std::mt19937_64 random(1);
  for (const Quantity* quantity : {&kSize, &kBandwidth, &kTime, &kFrequency}) {
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t value = random() >> (random() % 64);
      EXPECT_EQ(parse_quantity(*quantity, format_quantity(*quantity, value)), value);
    }
    EXPECT_EQ(parse_quantity(*quantity, format_quantity(*quantity, UINT64_MAX)), UINT64_MAX);
    for (const Unit& unit : quantity->units)
      EXPECT_EQ(parse_quantity(*quantity, fmt::format("8 {}", unit.name)),
                8 * unit.numerator / unit.denominator);
  }
}

TEST(Units, whole_numbers_are_plain_digits) {
  EXPECT_EQ(parse_whole("18446744073709551615"), UINT64_MAX);
  EXPECT_THROW(parse_whole("18446744073709551616"), std::invalid_argument);
  for (const char* text : {"", "-1", "+1", "1.0", "0x10", "010", "1 ", "1e3"})
    EXPECT_THROW(parse_whole(text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace t3sim::config
