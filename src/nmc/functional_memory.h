// Values in functional mode: what a run adds up, so that the sum can be compared with the right one.
//
// Every 2-byte element (FP16 in the paper) is an integer here: sums are exact in any order, and a wrong one
// is wrong for good. A line of 128 bytes holds 64 elements in 4 sectors of 16.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

namespace t3sim {

inline constexpr unsigned kElementBytes = 2;
inline constexpr unsigned kElementsPerSector = 16;
inline constexpr unsigned kElementsPerLine = 64;

using LineValues = std::array<std::int32_t, kElementsPerLine>;

// In a payload: no value; what is in memory stays (land()).
inline constexpr std::int32_t kNoValue = std::numeric_limits<std::int32_t>::min();

// Memory of one GPU, sparse; what was never written is 0. Addresses are those of lines; masks select sectors.
class FunctionalMemory {
 public:
  // Copies the selected sectors; the others of `values` stay as they are.
  void read(std::uint64_t line_address, std::uint8_t sectors, LineValues& values) const;
  void write(std::uint64_t line_address, std::uint8_t sectors, const LineValues& values);
  // Op-and-store: adds.
  void update(std::uint64_t line_address, std::uint8_t sectors, const LineValues& values);
  // Writes or adds, element by element, what is a value: stores of programs may cover a part of a sector.
  void land(std::uint64_t line_address, bool adds, const LineValues& values);

  std::int32_t element(std::uint64_t byte_address) const;
  void set_element(std::uint64_t byte_address, std::int32_t value);
  void clear() { pages_.clear(); }

 private:
  static constexpr unsigned kPageLines = 32;
  using Page = std::array<LineValues, kPageLines>;

  const LineValues* find(std::uint64_t line_address) const;
  LineValues& get(std::uint64_t line_address);

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

// Values of lines under way, by handle. 0 (kNoPayload) is no handle.
class PayloadPool {
 public:
  PayloadPool() : lines_(1) {}

  // A fresh handle whose values are all 0.
  std::uint32_t allocate();
  // Nothing happens for 0.
  void release(std::uint32_t handle);
  // A fresh handle with the same values; 0 of 0.
  std::uint32_t clone(std::uint32_t handle);
  void copy_sectors(std::uint32_t to, std::uint32_t from, std::uint8_t sectors);
  // Valid until the next allocate().
  LineValues& operator[](std::uint32_t handle) { return lines_[handle]; }
  const LineValues& operator[](std::uint32_t handle) const { return lines_[handle]; }
  // Handles allocated and not released: 0 at the end of a run.
  std::size_t live() const { return lines_.size() - 1 - free_.size(); }

 private:
  std::vector<LineValues> lines_;  // 0 unused
  std::vector<std::uint32_t> free_;
};

}  // namespace t3sim
