// What the two slices of a line, its home and the partner over there, do for each other.
#include <algorithm>

#include "gpu/l2_slice.h"

namespace t3sim {

void L2Slice::stand_in_for(L2Slice& home, std::uint16_t sink) {
  home_ = &home;
  sink_ = sink;
  home.first_partner_ = home.partners_.empty() ? sink : std::min(home.first_partner_, sink);
  home.last_partner_ = std::max(home.last_partner_, sink);
  home.partners_.push_back(this);
  find_company();
  home.find_company();
}

// One request a cycle, of a partner or of a CU. Partners' go first: they wait for nothing but memory.
void L2Slice::serve_next(Tick now) {
  if (!serve_partners(now)) return serve_input(now);
  if (!for_partners_.empty() || !input_.empty()) scheduler_.wake(*this, busy_until_);
}

bool L2Slice::serve_partners(Tick now) {
  if (for_partners_.empty()) return false;
  const auto& [head, by] = for_partners_.front();
  if (head.ready > now || busy_until_ > now) {
    scheduler_.wake(*this, std::max(head.ready, busy_until_));
    return false;
  }
  if (serve(head.request, now, by) != Outcome::served) return false;  // a fill or the channel wakes the slice
  for_partners_.pop();
  wake_refused(now);
  busy_until_ = std::max(busy_until_, now + core_.period());
  return true;
}

// In this slice's queue; if not, the partner is woken when there is.
bool L2Slice::room_for(L2Slice& partner) {
  if (for_partners_.size() < config_.input_queue) return true;
  if (std::ranges::find(refused_, &partner) == refused_.end()) refused_.push_back(&partner);
  return false;
}

// A single partner tries again each time, whatever it waits for.
void L2Slice::wake_refused(Tick now) {
  if (partners_.size() == 1) return partners_[0]->channel_free(now);
  for (L2Slice* partner : refused_) partner->channel_free(now);
  refused_.clear();
}

// A miss may be opened. Where CUs ask for lines of the own channel too, half of the MSHRs, and half of a set, are kept for
// those: they are always served in the end, so no two slices wait for each other.
bool L2Slice::may_open(const Request& request, std::uint32_t line) const {
  if (free_mshrs_.empty()) return false;
  if (!request.far || partners_.empty()) return true;
  return far_mshrs_ < config_.mshrs / 2 && 2 * cache_.locked_ways(line) < config_.ways;
}

void L2Slice::hand_over(const Request& request, Tick now) {
  Passed& place = home_->for_partners_.push_slot();
  place.by = this;
  place.arrived.ready = now + partner_way_;
  place.arrived.request = request;
  place.arrived.request.far = false;
  scheduler_.wake(*home_, place.arrived.ready);
}

L2Slice::Outcome L2Slice::ask_home(const Request& request, std::uint8_t sectors, std::uint16_t mshr,
                                   Tick now) {
  if (!home_->room_for(*this)) return Outcome::wait_partner;
  Request fetch = request;
  fetch.sectors = sectors;
  fetch.source = sink_;
  fetch.token = mshr;
  fetch.payload = kNoPayload;
  hand_over(fetch, now);
  return Outcome::served;
}

// A store to its home. The copy here, if it passes by, is stale.
L2Slice::Outcome L2Slice::pass_on(const Request& store, Tick now) {
  if (!home_->room_for(*this)) return Outcome::wait_partner;
  if (passes_l2(store) || store.adds) home_stored(store);
  hand_over(store, now);
  return Outcome::served;
}

void L2Slice::reply(const Request& request, Tick out) {
  const auto mshr = static_cast<std::uint16_t>(request.token);
  home_fills_.push_growing({out, mshrs_[mshr].entry, request.payload, mshr, request.sectors});
  scheduler_.wake(*this, out);
}

void L2Slice::make_copies_stale(const Request& store, const L2Slice* but) {
  for (L2Slice* partner : partners_)
    if (partner != but) partner->home_stored(store);
}

// The home has newer data than the copy, if there is one: known at once, as all are parts of one cache (on several dies,
// a snoop filter's work).
void L2Slice::home_stored(const Request& store) {
  const std::uint32_t entry = cache_.find(SectorCache::line_number(store.address));
  if (entry == SectorCache::kNone) return;
  cache_.drop(entry, store.sectors);
  if (!cache_.locked(entry)) return;
  Mshr& mshr = mshrs_[mshr_of_[entry]];
  mshr.stale = static_cast<std::uint8_t>(mshr.stale | (store.sectors & mshr.pending));
}

}  // namespace t3sim
