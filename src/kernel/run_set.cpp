#include "kernel/run_set.h"

#include "base/number.h"

namespace t3sim {
namespace {

bool alike(const Run& a, const Run& b) {
  return a.bytes == b.bytes && a.streaming == b.streaming && a.update == b.update;
}

std::int64_t distance(const Run& from, const Run& to) {
  return static_cast<std::int64_t>(to.address - from.address);
}

}  // namespace

RunSet RunSet::leading(std::span<const Run> runs) {
  const Run& first = runs.front();
  RunSet set{first.address, 0, first.bytes, 1, 0, first.wavefront, first.streaming, first.update};
  if (runs.size() > 1) set.stride = distance(first, runs[1]);
  // The share is unknown (0) until the wavefront changes for the first time.
  std::uint8_t wavefront = first.wavefront;
  std::size_t i = 1;
  for (; i < runs.size(); ++i) {
    if (!alike(first, runs[i]) || distance(runs[i - 1], runs[i]) != set.stride) break;
    const bool changes = runs[i].wavefront != wavefront;
    if (changes && runs[i].wavefront != wavefront + 1) break;
    if (changes && set.share == 0) set.share = narrow<std::uint32_t>(i);
    if (set.share != 0 && changes != (i % set.share == 0)) break;
    wavefront = runs[i].wavefront;
  }
  set.count = narrow<std::uint32_t>(i);
  if (set.share == 0) set.share = set.count;
  if (set.count == 1) set.stride = 0;
  return set;
}

}  // namespace t3sim
