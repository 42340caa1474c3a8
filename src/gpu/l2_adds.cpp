// Stores that the L2 adds to what is there: how an H200's cuBLAS computes C += AB. No CU reads C; sectors that the home does not
// have are fetched first, and so few additions may wait for them that memory is not kept busy (validation/measured/probes).
#include <algorithm>

#include "gpu/l2_slice.h"

namespace t3sim {

L2Slice::Outcome L2Slice::serve_add(const Request& request, Tick now) {
  if (request.far) return pass_on(request, now);
  const std::uint32_t line = SectorCache::line_number(request.address);
  std::uint32_t entry = cache_.find(line);
  const bool missing = entry == SectorCache::kNone || (request.sectors & ~cache_.valid(entry)) != 0;
  if (missing && adds_waiting_ >= config_.waiting_adds) return Outcome::wait_fill;
  if (entry == SectorCache::kNone) {
    if (!may_open(request, line)) return Outcome::wait_fill;
    const Outcome outcome = allocate(line, entry, now);
    if (outcome != Outcome::served) return outcome;
  }
  if (missing) {
    const Outcome outcome = miss(request, entry, now, false);
    if (outcome != Outcome::served) return outcome;
    ++adds_waiting_;
  }
  ++stats_.store_requests;
  stats_.store_sectors += static_cast<std::uint64_t>(sector_count(request.sectors));
  transfer(request, now);
  if (!missing) {
    cache_.touch(entry);
    written(request, entry, nullptr, now);
  }
  return Outcome::served;
}

// Its sectors have come from memory: the data port is taken once more, as they are read and written.
void L2Slice::finish_add(const Request& request, std::uint32_t entry, Tick now) {
  --adds_waiting_;
  transfer(request, std::max(busy_until_, now));
  written(request, entry, nullptr, now);
}

}  // namespace t3sim
