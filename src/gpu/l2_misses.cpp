// What an L2 slice does not have: MSHRs, who waits for them, and what comes from memory.
#include "gpu/l2_slice.h"

namespace t3sim {
namespace {

// A one in the 16 bits of each sector of a mask.
constexpr auto kOnes = [] {
  std::array<std::uint64_t, 16> ones{};
  for (unsigned mask = 0; mask < 16; ++mask)
    for (unsigned s = 0; s < 4; ++s) ones[mask] |= std::uint64_t{mask >> s & 1} << (16 * s);
  return ones;
}();

}  // namespace

// Joins or opens the MSHR of the line; asks memory for the sectors that nobody has asked for yet.
L2Slice::Outcome L2Slice::miss(const Request& request, std::uint32_t entry, Tick now, bool joined) {
  const std::uint16_t open = cache_.locked(entry) ? mshr_of_[entry] : kNoMshr;
  if (open == kNoMshr && !may_open(request, SectorCache::line_number(request.address)))
    return Outcome::wait_fill;
  if (open != kNoMshr && !may_merge(mshrs_[open], request.sectors)) return Outcome::wait_fill;
  const std::uint8_t pending = open == kNoMshr ? std::uint8_t{0} : mshrs_[open].pending;
  const auto missing = static_cast<std::uint8_t>(request.sectors & ~cache_.valid(entry));
  const auto wanted = static_cast<std::uint8_t>(missing & ~pending);
  const std::uint16_t index = open == kNoMshr ? free_mshrs_.back() : open;
  if (wanted != 0)
    if (const Outcome asked = fetch(request, wanted, index, now); asked != Outcome::served) return asked;
  Mshr& mshr = mshrs_[index];
  if (open == kNoMshr) {
    free_mshrs_.pop_back();
    mshr_of_[entry] = index;
    mshr = Mshr{};
    mshr.entry = entry;
    mshr.far = request.far;
    far_mshrs_ += request.far;
    cache_.lock(entry);
  }
  mshr.pending |= wanted;
  add_waiter(mshr, request, joined);
  if (joined) return Outcome::served;
  if (coalesces_ && !request.adds) note(request, entry, now);
  stats_.miss_sectors += static_cast<std::uint64_t>(sector_count(wanted));
  stats_.merged_sectors += static_cast<std::uint64_t>(sector_count(request.sectors & ~wanted));
  return Outcome::served;
}

// Asks for sectors that `mshr` will wait for.
L2Slice::Outcome L2Slice::fetch(const Request& request, std::uint8_t sectors, std::uint16_t mshr, Tick now) {
  if (request.far) return ask_home(request, sectors, mshr, now);
  if (!channel_.can_accept(port_, sectors)) return Outcome::wait_channel;
  Request& fetch = channel_.push(port_, request, sectors, now);
  fetch.source = index_;
  fetch.token = mshr;
  fetch.payload = kNoPayload;
  fetch.op = Op::read;  // also for a store that adds
  fetch.adds = false;
  leftovers_turn_ = true;
  return Outcome::served;
}

void L2Slice::add_waiter(Mshr& mshr, const Request& request, bool joined) {
  if (free_waiter_ == kEnd) {
    waiters_.push_back({});
    free_waiter_ = static_cast<std::uint32_t>(waiters_.size() - 1);
  }
  const std::uint32_t w = free_waiter_;
  free_waiter_ = waiters_[w].next;
  // Field by field: a copy of a temporary just written would wait for the host's store buffer.
  Waiter& waiter = waiters_[w];
  waiter.request = request;
  waiter.next = kEnd;
  waiter.joined = joined;
  if (mshr.last == kEnd)
    mshr.waiters = w;
  else
    waiters_[mshr.last].next = w;
  mshr.last = w;
  mshr.waiting += kOnes[request.sectors & kFullLine];
}

bool L2Slice::may_merge(const Mshr& mshr, std::uint8_t sectors) const {
  for (unsigned s = 0; s < 4; ++s)
    if ((sectors >> s & 1) && (mshr.waiting >> (16 * s) & 0xFFFF) >= config_.mshr_merge) return false;
  return true;
}

void L2Slice::fill(const Fill& fill, Tick now) {
  Mshr& mshr = mshrs_[fill.mshr];
  const std::uint32_t entry = fill.entry;
  const std::uint8_t newer = cache_.valid(entry);  // of a store that has overtaken the fetch in this slice
  cache_.add_valid(entry, fill.sectors);
  if (pool_) {
    store_payload(entry, fill.payload, static_cast<std::uint8_t>(fill.sectors & ~newer));
    pool_->release(fill.payload);
  }
  mshr.pending = static_cast<std::uint8_t>(mshr.pending & ~fill.sectors);

  std::uint32_t* link = &mshr.waiters;
  std::uint32_t previous = kEnd;
  while (*link != kEnd) {
    const std::uint32_t w = *link;
    Waiter& waiter = waiters_[w];
    if ((waiter.request.sectors & ~cache_.valid(entry)) != 0) {
      previous = w;
      link = &waiter.next;
      continue;
    }
    if (waiter.request.adds)
      finish_add(waiter.request, entry, now);
    else if (waiter.joined)
      send(waiter.request, entry, busy_until_ + latency_);
    else
      answer(waiter.request, entry, now);
    *link = waiter.next;
    waiter.next = free_waiter_;
    free_waiter_ = w;
    mshr.waiting -= kOnes[waiter.request.sectors & kFullLine];
  }
  mshr.last = previous;
  if (coalesces_) note_fill(entry, mshr.pending == 0 ? busy_until_ + latency_ : kNever);
  if (mshr.pending == 0) close(fill.mshr);
}

void L2Slice::close(std::uint16_t index) {
  Mshr& mshr = mshrs_[index];
  if (mshr.stale != 0) cache_.drop(mshr.entry, mshr.stale);
  mshr_of_[mshr.entry] = kNoMshr;
  free_mshrs_.push_back(index);
  far_mshrs_ -= mshr.far;
  cache_.unlock(mshr.entry);
}

void L2Slice::read_done(const Request& request, Tick data_end) {
  const Tick ready = core_.align(data_end) + dram_path_;
  const auto mshr = static_cast<std::uint16_t>(request.token);
  if (fills_.empty()) {
    next_fill_ = ready;
    scheduler_.wake(*this, ready);
  }
  Fill& fill = fills_.push_growing_slot();
  fill.ready = ready;
  fill.entry = mshrs_[mshr].entry;
  fill.payload = request.payload;
  fill.mshr = mshr;
  fill.sectors = request.sectors;
}

void L2Slice::take_own_fills(Tick now) {
  take_fills(fills_, now);
  next_fill_ = fills_.empty() ? kNever : fills_.front().ready;
}

// The first one's wake-up is set.
void L2Slice::take_fills(RingBuffer<Fill>& fills, Tick now) {
  while (!fills.empty() && fills.front().ready <= now) {
    fill(fills.pop(), now);
    if (held_by_ == Outcome::wait_fill) held_by_ = Outcome::served;
  }
  if (fills.empty()) return;
  scheduler_.wake(*this, fills.front().ready);
  cache_.prefetch_entry(fills.front().entry);
  const Mshr& next = mshrs_[fills.front().mshr];
  __builtin_prefetch(waiters_.data() + next.waiters);
}

}  // namespace t3sim
