#include "memctrl/address_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "memory_fixture.h"

namespace t3sim::test {
namespace {

TEST(AnAddressMap, KeepsALineOfThePapersMemoryInOneBank) {
  const AddressMap map(MemoryConfig{}, 2);
  EXPECT_FALSE(map.splits_lines());
  for (std::uint64_t line = 0; line < 100'000; line += 77) {
    const Place first = map.place(line * kLineBytes);
    for (unsigned sector = 1; sector < 4; ++sector) {
      Place expected = first;
      expected.column = static_cast<std::uint16_t>(first.column + sector);
      EXPECT_EQ(map.place(line * kLineBytes + sector * kSectorBytes), expected);
    }
  }
}

TEST(AnAddressMap, ChangesChannelEvery256Bytes) {
  const AddressMap map(MemoryConfig{}, 2);
  EXPECT_EQ(map.interleave_bytes(), 256U);
  std::set<unsigned> channels;
  for (std::uint64_t block = 0; block < 32; ++block) {
    channels.insert(map.channel(block * 256));
    EXPECT_EQ(map.channel(block * 256), map.channel(block * 256 + 255));
  }
  EXPECT_EQ(channels.size(), 32U);
}

// Counts how many of `segments` segments, `stride` bytes apart, each channel gets.
std::map<unsigned, unsigned> spread(const AddressMap& map, unsigned segments, std::uint64_t stride) {
  std::map<unsigned, unsigned> counts;
  for (unsigned i = 0; i < segments; ++i) ++counts[map.channel(0x4000'0000 + i * stride)];
  return counts;
}

TEST(AnAddressMap, SpreadsATileOfAColumnMajorMatrixOverAllChannels) {
  const AddressMap map(MemoryConfig{}, 2);
  for (const std::uint64_t leading_dimension : {16384U, 8192U, 32768U, 65536U, 131072U}) {
    const auto counts = spread(map, 128, leading_dimension);
    EXPECT_EQ(counts.size(), 32U) << leading_dimension;
    for (const auto& [channel, n] : counts)
      EXPECT_LE(n, 8U) << "channel " << channel << ", ld " << leading_dimension;
  }
}

TEST(AnAddressMap, WithoutHashPutsSuchATileInOneChannel) {
  MemoryConfig config;
  config.hash_channel = false;
  EXPECT_EQ(spread(AddressMap(config, 2), 128, 16384).size(), 1U);
}

TEST(AnAddressMap, IsABijection) {
  for (const std::uint32_t channels : {32U, 5U, 96U, 1U}) {
    MemoryConfig config;
    config.channels = channels;
    const AddressMap map(config, 2);
    std::set<std::tuple<unsigned, unsigned, std::uint32_t, unsigned>> seen;
    for (std::uint64_t burst = 0; burst < 50'000; ++burst) {
      const std::uint64_t address = 0x1234'0000 + burst * 32;
      const Place p = map.place(address);
      EXPECT_TRUE(seen.insert({map.channel(address), p.bank, p.row, p.column}).second) << address;
      EXPECT_EQ(p.group, p.bank / config.banks_per_group);
      EXPECT_LT(p.column, config.columns());
    }
  }
}

TEST(AnAddressMap, UsesAllChannelsOfANumberThatIsNoPowerOfTwo) {
  MemoryConfig config;
  config.channels = 80;
  const AddressMap map(config, 2);
  const auto counts = spread(map, 80 * 64, 256);
  EXPECT_EQ(counts.size(), 80U);
  for (const auto& [channel, n] : counts) EXPECT_NEAR(n, 64, 1) << "channel " << channel;
  EXPECT_GE(spread(map, 80 * 64, 80 * 256).size(), 80U) << "a stride of all channels";
}

// A grid-stride loop takes every block of a kernel the same distance further each round. If that moved most
// of them by the same number of channels, they would stay together wherever they have once gathered.
TEST(AnAddressMap, HasNoStrideThatMovesAccessesByTheSameNumberOfChannels) {
  for (const unsigned channels : {80U, 160U, 192U}) {
    MemoryConfig config;
    config.channels = channels;
    const AddressMap map(config, 1);
    const std::uint64_t stripe = channels * map.interleave_bytes();
    for (std::uint64_t stride = 1; stride <= 250; ++stride) {
      std::vector<unsigned> moved(channels);
      for (std::uint64_t s = 0; s < 1000; ++s)
        ++moved[(map.channel((s + stride) * stripe) + channels - map.channel(s * stripe)) % channels];
      EXPECT_LT(*std::max_element(moved.begin(), moved.end()), 50U)
          << channels << " channels, stride of " << stride << " stripes";
    }
  }
}

TEST(AnAddressMap, GivesBothL2SlicesOfAChannelEqualShares) {
  const AddressMap map(MemoryConfig{}, 2);
  std::map<std::pair<unsigned, unsigned>, unsigned> counts;
  for (std::uint64_t line = 0; line < 64 * 100; ++line)
    ++counts[{map.channel(line * kLineBytes), map.slice(line * kLineBytes)}];
  EXPECT_EQ(counts.size(), 64U);
  for (const auto& [where, n] : counts) EXPECT_EQ(n, 100U);
}

// No slice may get more than its share. (From 2 KiB on, only half of a channel's slices do with 8 channels of 4: the
// folds of channel and slice see the same bits.)
TEST(AnAddressMap, SpreadsLinesAtStridesUpTo1KiBOverAllSlices) {
  MemoryConfig config;
  config.channels = 8;
  const AddressMap map(config, 4);
  for (std::uint64_t stride = 128; stride <= 1 << 10; stride *= 2) {
    std::map<unsigned, unsigned> lines;
    for (std::uint64_t i = 0; i < 8192; ++i) {
      const std::uint64_t address = i * stride;
      ++lines[map.channel(address) * 4 + map.slice(address)];
    }
    EXPECT_EQ(lines.size(), 32U) << stride;
    for (const auto& [slice, count] : lines) EXPECT_NEAR(count, 256, 64) << stride << " " << slice;
  }
}

TEST(AnAddressMap, ReadsFieldsFromTheMostSignificantDown) {
  MemoryConfig config = reference_memory();
  const AddressMap map(config, 1);
  const std::uint64_t row = 1000, bank = 2, column = 17, group = 3;
  const Place p = map.place((((row << 2 | bank) << 5 | column) << 2 | group) << 6);
  EXPECT_EQ(p.row, row);
  EXPECT_EQ(p.column, column);
  EXPECT_EQ(p.group, group);
  EXPECT_EQ(p.bank, group * 4 + bank);
}

TEST(AnAddressMap, SaysWhenALineLiesInSeveralBanks) {
  EXPECT_TRUE(AddressMap(reference_memory(), 1).splits_lines());
}

TEST(AnAddressMap, PutsConflictingRowsOfAStreamInOtherBanksByHash) {
  MemoryConfig config = paper_channel();
  config.hash_bank = true;
  const AddressMap map(config, 1);
  std::set<unsigned> banks;
  for (std::uint32_t row = 0; row < 16; ++row) banks.insert(map.place(line_at(0, 0, row)).bank);
  EXPECT_EQ(banks.size(), 16U);
}

std::string refusal(std::vector<std::string> mapping) {
  MemoryConfig config;
  config.mapping = std::move(mapping);
  try {
    AddressMap(config, 2);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(AnAddressMap, RefusesMappingsThatAreNone) {
  EXPECT_NE(refusal({"row", "bank:2", "bank_group:2", "colum:6", "channel"}), "");
  EXPECT_NE(refusal({"row", "bank:2", "bank_group:2", "column:5", "channel", "column:2"}), "");
  EXPECT_NE(refusal({"row", "bank:3", "bank_group:2", "column:4", "channel", "column:2"}), "");
  EXPECT_NE(refusal({"row", "bank:2", "bank_group:2", "column:6"}), "");
  EXPECT_NE(refusal({"row", "bank:2", "bank_group:2", "column:5", "channel", "column:1"}), "");
  EXPECT_NE(refusal({"bank:2", "bank_group:2", "column:4", "channel", "column:2"}), "");
  EXPECT_NE(refusal({"row", "bank:x", "bank_group:2", "column:4", "channel", "column:2"}), "");
  EXPECT_NE(refusal({"bank:2", "row", "bank_group:2", "column:4", "channel", "column:2"}), "");
  EXPECT_EQ(refusal({"row", "bank:2", "bank_group:2", "column:4", "channel", "column:2"}), "");
}

}  // namespace
}  // namespace t3sim::test
