#include "gpu/l2_slice.h"

#include <fmt/format.h>

#include <algorithm>

namespace t3sim {
namespace {

constexpr std::uint16_t kNoMshr = 0xFFFF;

std::uint32_t sets_of(const L2Config& c) {
  return static_cast<std::uint32_t>(c.size_bytes / c.slices / c.ways / kLineBytes);
}

// A one in the 16 bits of each sector of a mask.
constexpr auto kOnes = [] {
  std::array<std::uint64_t, 16> ones{};
  for (unsigned mask = 0; mask < 16; ++mask)
    for (unsigned s = 0; s < 4; ++s) ones[mask] |= std::uint64_t{mask >> s & 1} << (16 * s);
  return ones;
}();

}  // namespace

L2Slice::L2Slice(const L2Config& config, std::uint16_t index, unsigned skip_bits, const SliceWiring& wiring)
    : scheduler_(wiring.scheduler),
      coalesces_(config.coalescers != 0),
      input_(config.input_queue),
      places_(config.input_queue),
      fills_(config.mshrs),
      cache_(sets_of(config), static_cast<std::uint32_t>(config.ways), skip_bits),
      latency_(wiring.core.cycles(config.latency_cycles)),
      sinks_(wiring.sinks),
      pool_(wiring.pool),
      core_(wiring.core),
      config_(config),
      index_(index),
      cus_(wiring.cus),
      dram_path_(wiring.core.cycles(config.dram_path_cycles)),
      partner_way_(wiring.core.cycles(config.partition_latency_cycles)),
      partner_reply_(partner_way_ + (wiring.memory_side ? latency_ : 0)),
      channel_(wiring.channel),
      port_(wiring.port),
      listener_(wiring.listener),
      cache_name_(wiring.memory_side ? "memory_side" : "l2"),
      for_partners_(config.partitions == 1 ? 1 : config.input_queue),
      home_fills_(config.partitions == 1 ? 1 : config.mshrs),
      mshr_of_(cache_.entries(), kNoMshr),
      traffic_of_(cache_.entries(), Traffic::other),
      mshrs_(config.mshrs) {
  for (std::uint32_t sectors = 0; sectors < port_time_.size(); ++sectors)
    port_time_[sectors] =
        core_.cycles((sectors * kSectorBytes + config.bytes_per_cycle - 1) / config.bytes_per_cycle);
  if (coalesces_) under_way_.resize(cache_.entries());
  if (pool_) payload_of_.assign(cache_.entries(), kNoPayload);
  for (std::size_t i = config.mshrs; i-- > 0;) free_mshrs_.push_back(static_cast<std::uint16_t>(i));
}

void L2Slice::read_done(const Request& request, Tick data_end) {
  const Tick ready = core_.align(data_end) + dram_path_;
  const auto mshr = static_cast<std::uint16_t>(request.token);
  if (fills_.empty()) scheduler_.wake(*this, ready);
  Fill& fill = fills_.push_growing_slot();
  fill.ready = ready;
  fill.entry = mshrs_[mshr].entry;
  fill.payload = request.payload;
  fill.mshr = mshr;
  fill.sectors = request.sectors;
}

void L2Slice::channel_free(Tick now) { scheduler_.wake(*this, core_.next(now)); }

void L2Slice::wake(Tick now) {
  if (!fills_.empty() && fills_.front().ready <= now) take_fills(fills_, now);
  if (only_cus_) [[likely]] {
    serve_input(now);
    if (flushing_) continue_flush(now);  // the kernel's last store was this one
    return;
  }
  if (!home_fills_.empty() && home_fills_.front().ready <= now) take_fills(home_fills_, now);
  const bool leftovers_first = leftovers_turn_;
  if (leftovers_first) continue_leftovers(now);
  if (!partners_.empty())
    serve_next(now);
  else
    serve_input(now);
  if (flushing_) continue_flush(now);
  if (!leftovers_first) continue_leftovers(now);
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

void L2Slice::push_to_channel(const Request& request, Tick now) {
  channel_.push(port_, request, now);
  leftovers_turn_ = true;
}

void L2Slice::serve_input(Tick now) {
  if (input_.empty()) return;
  const Arrived& head = input_.front();
  if (head.ready > now || busy_until_ > now) {
    scheduler_.wake(*this, std::max(head.ready, busy_until_));
    return;
  }
  if (held_by_ == Outcome::wait_fill) return;  // only a fill can help
  const Outcome outcome = serve_here(head.request, now, nullptr);
  if (outcome != Outcome::served) return hold_head(outcome, now);
  if (held_since_ != kNever) count_held(now);
  held_by_ = Outcome::served;
  stats_.input_wait += now - head.ready;
  input_.pop();
  places_.release(now);
  busy_until_ = std::max(busy_until_, now + core_.period());
  if (input_.empty()) return;
  const Request& next = input_.front().request;
  cache_.prefetch(SectorCache::line_number(next.address));
  if (next.op == Op::read) sinks_[next.source]->expect(next);
  scheduler_.wake(*this, std::max(input_.front().ready, busy_until_));
}

void L2Slice::hold_head(Outcome by, Tick now) {
  if (held_since_ == kNever) held_since_ = now;
  held_by_ = by;
}

void L2Slice::count_held(Tick now) {
  (held_by_ == Outcome::wait_channel ? stats_.wait_dram_queue : stats_.wait_mshr) += now - held_since_;
  held_since_ = kNever;
}

[[gnu::always_inline]] inline L2Slice::Outcome L2Slice::serve_here(const Request& request, Tick now,
                                                                   const L2Slice* by) {
  if (passes_l2(request)) return request.far ? pass_on(request, now) : serve_bypass(request, now);
  if (request.op == Op::read) return plain_hit(request, now) ? Outcome::served : serve_read(request, now);
  return request.adds ? serve_add(request, now) : serve_store(request, now, by);
}

L2Slice::Outcome L2Slice::serve(const Request& request, Tick now, const L2Slice* by) {
  return serve_here(request, now, by);
}

// Tracked output is uncached: the store goes straight to the memory controller, the point of aggregation.
L2Slice::Outcome L2Slice::serve_bypass(const Request& request, Tick now) {
  if (!channel_.can_accept(port_, request)) return Outcome::wait_channel;
  push_to_channel(request, now);
  stats_.bypass_sectors += static_cast<std::uint64_t>(sector_count(request.sectors));
  ++stats_.store_requests;
  transfer(request, now);
  listener_.store_accepted(request, now);
  return Outcome::served;
}

// Write-back, write-allocate without fetch: sectors are always written whole.
L2Slice::Outcome L2Slice::serve_store(const Request& request, Tick now, const L2Slice* by) {
  if (request.far && !home_->room_for(*this)) return Outcome::wait_partner;
  const std::uint32_t line = SectorCache::line_number(request.address);
  std::uint32_t entry = cache_.find(line);
  if (entry == SectorCache::kNone) {
    const Outcome outcome = allocate(line, entry, now);
    if (outcome != Outcome::served) return outcome;
  }
  stats_.store_miss_sectors += static_cast<std::uint64_t>(
      sector_count(static_cast<std::uint8_t>(request.sectors & ~cache_.valid(entry))));
  cache_.touch(entry);
  if (pool_) store_payload(entry, request.payload, request.sectors);
  ++stats_.store_requests;
  stats_.store_sectors += static_cast<std::uint64_t>(sector_count(request.sectors));
  transfer(request, now);
  if (request.far) {
    cache_.add_valid(entry, request.sectors);
    return pass_on(request, now);
  }
  written(request, entry, by, now);
  return Outcome::served;
}

// The home has a store's data.
void L2Slice::written(const Request& store, std::uint32_t entry, const L2Slice* by, Tick now) {
  make_copies_stale(store, by);
  cache_.add_dirty(entry, store.sectors);
  traffic_of_[entry] = store.traffic;
  if (pool_) pool_->release(store.payload);
  listener_.store_accepted(store, now);
}

L2Slice::Outcome L2Slice::serve_read(const Request& request, Tick now) {
  const std::uint32_t line = SectorCache::line_number(request.address);
  std::uint32_t entry = cache_.find(line);
  if (entry == SectorCache::kNone) {
    if (!may_open(request, line)) return Outcome::wait_fill;
    const Outcome outcome = allocate(line, entry, now);
    if (outcome != Outcome::served) return outcome;
  }
  const auto sectors = static_cast<std::uint64_t>(sector_count(request.sectors));
  const bool joined = joins(request, entry, now);
  if ((request.sectors & ~cache_.valid(entry)) == 0) {
    hit(request, entry, now, joined);
  } else {
    const Outcome outcome = miss(request, entry, now, joined);
    if (outcome != Outcome::served) return outcome;
  }
  if (joined) return Outcome::served;
  ++stats_.read_requests;
  stats_.read_sectors += sectors;
  return Outcome::served;
}

// What most reads are, where there are no coalescers.
[[gnu::always_inline]] inline bool L2Slice::plain_hit(const Request& request, Tick now) {
  if (coalesces_) return false;
  const std::uint32_t entry = cache_.use(SectorCache::line_number(request.address), request.sectors);
  if (entry == SectorCache::kNone) return false;
  const auto sectors = static_cast<std::uint64_t>(sector_count(request.sectors));
  stats_.hit_sectors += sectors;
  stats_.read_sectors += sectors;
  ++stats_.read_requests;
  answer(request, entry, now);
  return true;
}

void L2Slice::hit(const Request& request, std::uint32_t entry, Tick now, bool joined) {
  if (joined) return send(request, entry, under_way_[entry].until);
  cache_.touch(entry);
  answer(request, entry, now);
  stats_.hit_sectors += static_cast<std::uint64_t>(sector_count(request.sectors));
}

// Finds an entry for an absent line, writing back what it held.
L2Slice::Outcome L2Slice::allocate(std::uint32_t line, std::uint32_t& entry, Tick now) {
  entry = cache_.victim(line);
  if (entry == SectorCache::kNone) return Outcome::wait_fill;
  if (!write_back(entry, now)) return Outcome::wait_channel;
  if (pool_ && payload_of_[entry] != kNoPayload) {
    pool_->release(payload_of_[entry]);
    payload_of_[entry] = kNoPayload;
  }
  stats_.evicted_lines += cache_.valid(entry) != 0;
  cache_.replace(entry, line);
  if (coalesces_) under_way_[entry] = {};
  return Outcome::served;
}

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
  if (!request.adds) note(request, entry, now);
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
  note_fill(entry, mshr.pending == 0 ? busy_until_ + latency_ : kNever);
  if (mshr.pending == 0) close(fill.mshr);
}

void L2Slice::close(std::uint16_t index) {
  Mshr& mshr = mshrs_[index];
  cache_.drop(mshr.entry, mshr.stale);
  mshr_of_[mshr.entry] = kNoMshr;
  free_mshrs_.push_back(index);
  far_mshrs_ -= mshr.far;
  cache_.unlock(mshr.entry);
}

// Returns when the last byte leaves.
[[gnu::always_inline]] inline Tick L2Slice::answer(const Request& request, std::uint32_t entry, Tick now) {
  transfer(request, std::max(busy_until_, now));
  const Tick out = busy_until_ + (is_of_partner(request) ? partner_reply_ : latency_);
  send(request, entry, out);
  return out;
}

[[gnu::always_inline]] inline void L2Slice::send(const Request& request, std::uint32_t entry, Tick out) {
  if (!pool_) return sinks_[request.source]->reply(request, out);
  send_values(request, entry, out);
}

void L2Slice::send_values(const Request& request, std::uint32_t entry, Tick out) {
  Request with_values = request;
  with_values.payload = pool_->clone(payload_of_[entry]);
  sinks_[request.source]->reply(with_values, out);
}

void L2Slice::store_payload(std::uint32_t entry, std::uint32_t payload, std::uint8_t sectors) {
  if (payload == kNoPayload) return;
  if (payload_of_[entry] == kNoPayload) payload_of_[entry] = pool_->allocate();
  pool_->copy_sectors(payload_of_[entry], payload, sectors);
}

bool L2Slice::idle() const {
  return input_.empty() && fills_.empty() && for_partners_.empty() && home_fills_.empty() && !flushing_ &&
         leftover_next_ == leftovers_.size() && free_mshrs_.size() == mshrs_.size();
}

}  // namespace t3sim
