// The storage that a Tracker needs (section 4.2.1: "making the Tracker size 19KB").
#pragma once

#include <cstdint>
#include <vector>

namespace t3sim {

inline constexpr std::uint32_t kTrackerSets = 256;
inline constexpr std::uint32_t kPaperTrackerWays = 8;  // eight wavefronts of one workgroup a set
inline constexpr std::uint64_t kPaperTrackerBytes = 19 * 1024;

// Widths of an entry's fields.
struct TrackerEntryBits {
  unsigned valid = 1;
  unsigned tag = 0;        // wg_msb: tells the workgroups apart that are live in one set at a time
  unsigned wavefront = 0;  // wf_id
  unsigned address = 0;    // start of the wavefront tile
  unsigned counter = 0;    // up to the threshold, in sector updates

  unsigned total() const { return valid + tag + wavefront + address + counter; }
  // Of a table with so many entries a set.
  std::uint64_t table_bytes(std::uint32_t entries_a_set) const {
    return (std::uint64_t{kTrackerSets} * entries_a_set * total() + 7) / 8;
  }
};

// Which workgroups have live entries, set by set, and how far apart their tags (id / 256) are.
class LiveTags {
 public:
  explicit LiveTags(std::uint32_t tiles) : entries_(tiles), tags_(kTrackerSets) {}

  // An entry of `tile` is taken. Returns the span of the tags live in its set, 1 if there is no other.
  std::uint32_t add(std::uint32_t tile);
  void remove(std::uint32_t tile);

 private:
  std::vector<std::uint16_t> entries_;            // live, by tile
  std::vector<std::vector<std::uint32_t>> tags_;  // live, by set
};

}  // namespace t3sim
