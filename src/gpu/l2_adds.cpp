// Stores that the L2 adds to what is there: how an H200's cuBLAS computes C += AB. No CU reads C; sectors that the home does not
// have are fetched first, and the products that wait for them are held meanwhile: so few that memory is not kept busy
// (validation/measured/probes). What is held is data, so sectors count and not requests: a store of half a line takes half the room.
#include <algorithm>

#include "gpu/l2_slice.h"

namespace t3sim {

// One that nothing waits beside always may, however little room there is.
bool L2Slice::may_hold(std::uint64_t sectors) const {
  return held_sectors_ == 0 || held_sectors_ + sectors <= config_.waiting_add_sectors;
}

L2Slice::Outcome L2Slice::serve_add(const Request& request, Tick now) {
  if (request.far) return pass_on(request, now);
  const std::uint32_t line = SectorCache::line_number(request.address);
  std::uint32_t entry = cache_.find(line);
  const bool missing = entry == SectorCache::kNone || (request.sectors & ~cache_.valid(entry)) != 0;
  const auto sectors = static_cast<std::uint64_t>(sector_count(request.sectors));
  if (missing && !may_hold(sectors)) return Outcome::wait_fill;
  if (entry == SectorCache::kNone) {
    if (!may_open(request, line)) return Outcome::wait_fill;
    const Outcome outcome = allocate(line, entry, now);
    if (outcome != Outcome::served) return outcome;
  }
  if (missing) {
    const Outcome outcome = miss(request, entry, now, false);
    if (outcome != Outcome::served) return outcome;
    held_sectors_ += sectors;
  }
  ++stats_.store_requests;
  stats_.store_sectors += sectors;
  transfer(request, now);
  if (!missing) {
    cache_.touch(entry);
    written(request, entry, nullptr, now);
  }
  return Outcome::served;
}

// Its sectors have come from memory: the data port is taken once more, as they are read and written.
void L2Slice::finish_add(const Request& request, std::uint32_t entry, Tick now) {
  held_sectors_ -= static_cast<std::uint64_t>(sector_count(request.sectors));
  transfer(request, std::max(busy_until_, now));
  written(request, entry, nullptr, now);
}

}  // namespace t3sim
