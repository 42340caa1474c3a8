#include "gpu/l2_slice.h"

#include <fmt/format.h>

#include <algorithm>

namespace t3sim {
namespace {

constexpr std::uint16_t kNoMshr = 0xFFFF;

std::uint32_t sets_of(const L2Config& c) {
  return static_cast<std::uint32_t>(c.size_bytes / c.slices / c.ways / kLineBytes);
}

void count_sectors(std::array<std::uint16_t, 4>& counts, std::uint8_t sectors, int by) {
  for (unsigned s = 0; s < counts.size(); ++s)
    if (sectors >> s & 1) counts[s] = static_cast<std::uint16_t>(counts[s] + by);
}

}  // namespace

L2Slice::L2Slice(const L2Config& config, std::uint16_t index, unsigned skip_bits, const SliceWiring& wiring)
    : config_(config),
      index_(index),
      core_(wiring.core),
      scheduler_(wiring.scheduler),
      channel_(wiring.channel),
      port_(wiring.port),
      sinks_(wiring.sinks),
      listener_(wiring.listener),
      pool_(wiring.pool),
      cache_(sets_of(config), static_cast<std::uint32_t>(config.ways), skip_bits),
      places_(config.input_queue),
      input_(config.input_queue),
      fills_(config.mshrs),
      mshr_of_(cache_.entries(), kNoMshr),
      traffic_of_(cache_.entries(), Traffic::other),
      mshrs_(config.mshrs) {
  if (pool_) payload_of_.assign(cache_.entries(), kNoPayload);
  for (std::size_t i = config.mshrs; i-- > 0;) free_mshrs_.push_back(static_cast<std::uint16_t>(i));
}

void L2Slice::push(const Request& request, Tick ready) {
  if (input_.empty()) scheduler_.wake(*this, std::max(ready, busy_until_));
  input_.push({request, ready});
}

void L2Slice::read_done(const Request& request, Tick data_end) {
  const Tick ready = core_.align(data_end) + core_.cycles(config_.dram_path_cycles);
  fills_.push_growing({request, ready});
  scheduler_.wake(*this, ready);
}

void L2Slice::channel_free(Tick now) { scheduler_.wake(*this, core_.next(now)); }

void L2Slice::wake(Tick now) {
  while (!fills_.empty() && fills_.front().ready <= now) {
    fill(fills_.pop().request, now);
    if (held_by_ == Outcome::wait_fill) held_by_ = Outcome::served;
  }
  const bool leftovers_first = leftovers_turn_;
  if (leftovers_first) continue_leftovers(now);
  serve_input(now);
  if (flushing_) continue_flush(now);
  if (!leftovers_first) continue_leftovers(now);
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
  const Outcome outcome = serve(head.request, now);
  if (outcome != Outcome::served) {
    if (held_since_ == kNever) held_since_ = now;
    held_by_ = outcome;
    return;
  }
  if (held_since_ != kNever) {
    (held_by_ == Outcome::wait_channel ? stats_.wait_dram_queue : stats_.wait_mshr) += now - held_since_;
    held_since_ = kNever;
  }
  held_by_ = Outcome::served;
  stats_.input_wait += now - head.ready;
  input_.pop();
  places_.release(now);
  busy_until_ = std::max(busy_until_, now + core_.period());
  if (!input_.empty()) scheduler_.wake(*this, std::max(input_.front().ready, busy_until_));
}

L2Slice::Outcome L2Slice::serve(const Request& request, Tick now) {
  if (passes_l2(request)) return serve_bypass(request, now);
  return request.op == Op::read ? serve_read(request, now) : serve_store(request, now);
}

void L2Slice::transfer(const Request& request, Tick from) {
  const std::uint64_t cycles =
      (request_bytes(request) + config_.bytes_per_cycle - 1) / config_.bytes_per_cycle;
  stats_.transferring += core_.cycles(cycles);
  busy_until_ = from + core_.cycles(cycles);
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
L2Slice::Outcome L2Slice::serve_store(const Request& request, Tick now) {
  const std::uint32_t line = SectorCache::line_number(request.address);
  std::uint32_t entry = cache_.find(line);
  if (entry == SectorCache::kNone) {
    const Outcome outcome = allocate(line, entry, now);
    if (outcome != Outcome::served) return outcome;
  }
  stats_.store_miss_sectors += static_cast<std::uint64_t>(
      sector_count(static_cast<std::uint8_t>(request.sectors & ~cache_.valid(entry))));
  cache_.touch(entry);
  cache_.add_dirty(entry, request.sectors);
  traffic_of_[entry] = request.traffic;
  if (pool_) {
    store_payload(entry, request, request.sectors);
    pool_->release(request.payload);
  }
  ++stats_.store_requests;
  stats_.store_sectors += static_cast<std::uint64_t>(sector_count(request.sectors));
  transfer(request, now);
  listener_.store_accepted(request, now);
  return Outcome::served;
}

L2Slice::Outcome L2Slice::serve_read(const Request& request, Tick now) {
  const std::uint32_t line = SectorCache::line_number(request.address);
  std::uint32_t entry = cache_.find(line);
  if (entry == SectorCache::kNone) {
    if (free_mshrs_.empty()) return Outcome::wait_fill;
    const Outcome outcome = allocate(line, entry, now);
    if (outcome != Outcome::served) return outcome;
  }
  const auto sectors = static_cast<std::uint64_t>(sector_count(request.sectors));
  if ((request.sectors & ~cache_.valid(entry)) == 0) {
    cache_.touch(entry);
    reply(request, entry, now);
    stats_.hit_sectors += sectors;
  } else {
    const Outcome outcome = miss(request, entry, now);
    if (outcome != Outcome::served) return outcome;
  }
  ++stats_.read_requests;
  stats_.read_sectors += sectors;
  return Outcome::served;
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
  return Outcome::served;
}

// Hands the dirty sectors of an entry to the memory controller; false if its port is full.
bool L2Slice::write_back(std::uint32_t entry, Tick now) {
  if (cache_.dirty(entry) == 0) return true;
  Request request = write_of(entry);
  if (!channel_.can_accept(port_, request)) return false;
  if (pool_) request.payload = pool_->clone(payload_of_[entry]);
  push_to_channel(request, now);
  stats_.writeback_sectors += static_cast<std::uint64_t>(sector_count(request.sectors));
  cache_.clean(entry);
  return true;
}

Request L2Slice::write_of(std::uint32_t entry) const {
  Request request;
  request.address = cache_.address_of(entry);
  request.sectors = cache_.dirty(entry);
  request.op = Op::write;
  request.source = index_;
  request.traffic = traffic_of_[entry];
  return request;
}

// Joins or opens the MSHR of the line; asks memory for the sectors that nobody has asked for yet.
L2Slice::Outcome L2Slice::miss(const Request& request, std::uint32_t entry, Tick now) {
  const std::uint16_t open = mshr_of_[entry];
  if (open == kNoMshr && free_mshrs_.empty()) return Outcome::wait_fill;
  if (open != kNoMshr && !may_merge(mshrs_[open], request.sectors)) return Outcome::wait_fill;
  const std::uint8_t pending = open == kNoMshr ? std::uint8_t{0} : mshrs_[open].pending;
  const auto missing = static_cast<std::uint8_t>(request.sectors & ~cache_.valid(entry));
  const auto wanted = static_cast<std::uint8_t>(missing & ~pending);
  if (wanted != 0) {
    Request fetch = request;
    fetch.sectors = wanted;
    fetch.source = index_;
    fetch.token = open == kNoMshr ? free_mshrs_.back() : open;
    fetch.payload = kNoPayload;
    if (!channel_.can_accept(port_, fetch)) return Outcome::wait_channel;
    push_to_channel(fetch, now);
  }
  const std::uint16_t index = open == kNoMshr ? free_mshrs_.back() : open;
  Mshr& mshr = mshrs_[index];
  if (open == kNoMshr) {
    free_mshrs_.pop_back();
    mshr_of_[entry] = index;
    mshr = Mshr{};
    mshr.entry = entry;
    cache_.lock(entry);
  }
  mshr.pending |= wanted;
  add_waiter(mshr, request);
  stats_.miss_sectors += static_cast<std::uint64_t>(sector_count(wanted));
  stats_.merged_sectors += static_cast<std::uint64_t>(sector_count(request.sectors & ~wanted));
  return Outcome::served;
}

void L2Slice::add_waiter(Mshr& mshr, const Request& request) {
  if (free_waiter_ == kEnd) {
    waiters_.push_back({});
    free_waiter_ = static_cast<std::uint32_t>(waiters_.size() - 1);
  }
  const std::uint32_t w = free_waiter_;
  free_waiter_ = waiters_[w].next;
  waiters_[w] = {request, kEnd};
  if (mshr.last == kEnd)
    mshr.waiters = w;
  else
    waiters_[mshr.last].next = w;
  mshr.last = w;
  count_sectors(mshr.waiting, request.sectors, 1);
}

bool L2Slice::may_merge(const Mshr& mshr, std::uint8_t sectors) const {
  for (unsigned s = 0; s < mshr.waiting.size(); ++s)
    if ((sectors >> s & 1) && mshr.waiting[s] >= config_.mshr_merge) return false;
  return true;
}

void L2Slice::fill(const Request& request, Tick now) {
  const auto index = static_cast<std::uint16_t>(request.token);
  Mshr& mshr = mshrs_[index];
  const std::uint32_t entry = mshr.entry;
  cache_.add_valid(entry, request.sectors);
  cache_.touch(entry);
  if (pool_) {
    // A store may have overtaken the fetch in this slice: its sectors are newer than memory's.
    store_payload(entry, request, static_cast<std::uint8_t>(request.sectors & ~cache_.dirty(entry)));
    pool_->release(request.payload);
  }
  mshr.pending = static_cast<std::uint8_t>(mshr.pending & ~request.sectors);

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
    reply(waiter.request, entry, now);
    *link = waiter.next;
    waiter.next = free_waiter_;
    free_waiter_ = w;
    count_sectors(mshr.waiting, waiter.request.sectors, -1);
  }
  mshr.last = previous;
  if (mshr.pending == 0) {
    mshr_of_[entry] = kNoMshr;
    free_mshrs_.push_back(index);
    cache_.unlock(entry);
  }
}

void L2Slice::reply(const Request& request, std::uint32_t entry, Tick now) {
  transfer(request, std::max(busy_until_, now));
  Request answer = request;
  if (pool_) answer.payload = pool_->clone(payload_of_[entry]);
  sinks_[request.source]->reply(answer, busy_until_ + core_.cycles(config_.latency_cycles));
}

void L2Slice::store_payload(std::uint32_t entry, const Request& request, std::uint8_t sectors) {
  if (request.payload == kNoPayload) return;
  if (payload_of_[entry] == kNoPayload) payload_of_[entry] = pool_->allocate();
  pool_->copy_sectors(payload_of_[entry], request.payload, sectors);
}

void L2Slice::flush(Tick now) {
  flushing_ = true;
  flush_next_ = 0;
  scheduler_.wake(*this, core_.next(now));
}

void L2Slice::continue_flush(Tick now) {
  for (; flush_next_ < cache_.entries(); ++flush_next_) {
    if (cache_.dirty(flush_next_) == 0) continue;
    if (!write_back(flush_next_, now)) return;  // channel_free() resumes
    ++flush_next_;
    scheduler_.wake(*this, core_.next(now));  // a line a cycle
    return;
  }
  flushing_ = false;
  cache_.invalidate_all();
  for (std::uint32_t& payload : payload_of_) {
    if (payload != kNoPayload) pool_->release(payload);
    payload = kNoPayload;
  }
}

DirtyLines L2Slice::dirty_lines() const {
  DirtyLines lines;
  for (std::uint32_t entry = 0; entry < cache_.entries(); ++entry)
    if (cache_.dirty(entry) != 0) lines.push_back(write_of(entry));
  return lines;
}

void L2Slice::write_back_from(DirtyLines lines, Tick start) {
  leftovers_ = std::move(lines);
  leftover_next_ = 0;
  if (!leftovers_.empty()) scheduler_.wake(*this, core_.next(start));
}

// A line a cycle, in turn with what else goes to memory. Where the port is full, channel_free() resumes.
void L2Slice::continue_leftovers(Tick now) {
  if (leftover_next_ == leftovers_.size() || leftovers_not_before_ > now) return;
  const Request& line = leftovers_[leftover_next_];
  if (!channel_.can_accept(port_, line)) return;
  channel_.push(port_, line, now);
  leftovers_turn_ = false;
  stats_.writeback_sectors += static_cast<std::uint64_t>(sector_count(line.sectors));
  ++leftover_next_;
  leftovers_not_before_ = core_.next(now);
  if (leftover_next_ != leftovers_.size()) {
    scheduler_.wake(*this, leftovers_not_before_);
    return;
  }
  leftovers_ = {};
  leftover_next_ = 0;
}

void L2Slice::drop(const Request& request) {
  const std::uint32_t entry = cache_.find(SectorCache::line_number(request.address));
  if (entry == SectorCache::kNone) return;
  stats_.dropped_sectors += static_cast<std::uint64_t>(
      sector_count(static_cast<std::uint8_t>(request.sectors & cache_.valid(entry))));
  cache_.drop(entry, request.sectors);
}

L2Contents L2Slice::take_contents() { return {std::move(cache_), std::move(traffic_of_)}; }

void L2Slice::set_contents(L2Contents contents) {
  cache_ = std::move(contents.cache);
  traffic_of_ = std::move(contents.traffic_of);
}

bool L2Slice::idle() const {
  return input_.empty() && fills_.empty() && !flushing_ && leftover_next_ == leftovers_.size() &&
         free_mshrs_.size() == mshrs_.size();
}

}  // namespace t3sim
