// What the two slices of a line, its home and the partner over there, do for each other.
#include <algorithm>

#include "gpu/l2_slice.h"

namespace t3sim {

void L2Slice::connect(L2Slice& partner, std::uint16_t sink) {
  partner_ = &partner;
  partner_sink_ = sink;
}

// One request a cycle, of the partner or of a CU. The partner's go first: they wait for nothing but memory.
void L2Slice::serve_next(Tick now) {
  if (!serve_partner(now)) return serve_input(now);
  if (!for_partner_.empty() || !input_.empty()) scheduler_.wake(*this, busy_until_);
}

bool L2Slice::serve_partner(Tick now) {
  if (for_partner_.empty()) return false;
  const Arrived& head = for_partner_.front();
  if (head.ready > now || busy_until_ > now) {
    scheduler_.wake(*this, std::max(head.ready, busy_until_));
    return false;
  }
  if (serve(head.request, now, true) != Outcome::served)
    return false;  // a fill or the channel wakes the slice
  for_partner_.pop();
  partner_->channel_free(now);
  busy_until_ = std::max(busy_until_, now + core_.period());
  return true;
}

// A miss may be opened. Half of the MSHRs, and half of a set, are kept for lines of the own channel: they are
// always served in the end, so no two slices wait for each other.
bool L2Slice::may_open(const Request& request, std::uint32_t line) const {
  if (free_mshrs_.empty()) return false;
  return !request.far || (far_mshrs_ < config_.mshrs / 2 && 2 * cache_.locked_ways(line) < config_.ways);
}

void L2Slice::hand_over(const Request& request, Tick now) {
  Arrived& place = partner_->for_partner_.push_slot();
  place.ready = now + partner_way_;
  place.request = request;
  place.request.far = false;
  scheduler_.wake(*partner_, place.ready);
}

L2Slice::Outcome L2Slice::ask_partner(const Request& request, std::uint8_t sectors, std::uint16_t mshr,
                                      Tick now) {
  if (!partner_->room_for_partner()) return Outcome::wait_partner;
  Request fetch = request;
  fetch.sectors = sectors;
  fetch.source = partner_->partner_sink_;
  fetch.token = mshr;
  fetch.payload = kNoPayload;
  hand_over(fetch, now);
  return Outcome::served;
}

// A store to its home. The copy here, if it passes by, is stale.
L2Slice::Outcome L2Slice::pass_on(const Request& store, Tick now) {
  if (!partner_->room_for_partner()) return Outcome::wait_partner;
  if (passes_l2(store)) partner_stored(store);
  hand_over(store, now);
  return Outcome::served;
}

void L2Slice::reply(const Request& request, Tick out) {
  const auto mshr = static_cast<std::uint16_t>(request.token);
  partner_fills_.push_growing({out, mshrs_[mshr].entry, request.payload, mshr, request.sectors});
  scheduler_.wake(*this, out);
}

// The home has newer data than the copy, if there is one: known at once, as both are parts of one cache.
void L2Slice::partner_stored(const Request& store) {
  const std::uint32_t entry = cache_.find(SectorCache::line_number(store.address));
  if (entry == SectorCache::kNone) return;
  cache_.drop(entry, store.sectors);
  if (!cache_.locked(entry)) return;
  Mshr& mshr = mshrs_[mshr_of_[entry]];
  mshr.stale = static_cast<std::uint8_t>(mshr.stale | (store.sectors & mshr.pending));
}

}  // namespace t3sim
