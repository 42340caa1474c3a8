#include "tracker/table_size.h"

#include <algorithm>

namespace t3sim {

std::uint32_t LiveTags::add(std::uint32_t tile) {
  std::vector<std::uint32_t>& tags = tags_[tile % kTrackerSets];
  if (entries_[tile]++ == 0) tags.push_back(tile / kTrackerSets);
  const auto [least, most] = std::ranges::minmax(tags);
  return most - least + 1;
}

void LiveTags::remove(std::uint32_t tile) {
  if (--entries_[tile] == 0) std::erase(tags_[tile % kTrackerSets], tile / kTrackerSets);
}

}  // namespace t3sim
