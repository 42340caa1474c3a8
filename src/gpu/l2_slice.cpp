#include "gpu/l2_slice.h"

#include <fmt/format.h>

#include <algorithm>

namespace t3sim {
namespace {

std::uint32_t sets_of(const L2Config& c) {
  return static_cast<std::uint32_t>(c.size_bytes / c.slices / c.ways / kLineBytes);
}

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
    port_time_[sectors] = static_cast<std::uint32_t>(
        core_.cycles((sectors * kSectorBytes + config.bytes_per_cycle - 1) / config.bytes_per_cycle));
  if (coalesces_) under_way_.resize(cache_.entries());
  if (pool_) payload_of_.assign(cache_.entries(), kNoPayload);
  for (std::size_t i = config.mshrs; i-- > 0;) free_mshrs_.push_back(static_cast<std::uint16_t>(i));
}

void L2Slice::channel_free(Tick now) { scheduler_.wake(*this, core_.next(now)); }

void L2Slice::wake(Tick now) {
  if (next_fill_ <= now) take_own_fills(now);
  if (!only_cus_) [[unlikely]]
    return wake_in_company(now);
  serve_input_here(now);
  if (!only_cus_ && flushing_) continue_flush(now);  // the kernel's last store was this one
}

void L2Slice::wake_in_company(Tick now) {
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

void L2Slice::push_to_channel(const Request& request, Tick now) {
  channel_.push(port_, request, now);
  leftovers_turn_ = true;
}

void L2Slice::serve_input(Tick now) { serve_input_here(now); }

[[gnu::always_inline]] inline void L2Slice::serve_input_here(Tick now) {
  if (input_.empty()) return;
  const Arrived& head = input_.front();
  if (head.ready > now || busy_until_ > now) {
    scheduler_.wake(*this, std::max(head.ready, busy_until_));
    return;
  }
  if (held_by_ == Outcome::wait_fill) return;  // only a fill can help
  if (head_set_ == kNoSet) head_set_ = cache_.set_of(SectorCache::line_number(head.request.address));
  const Outcome outcome = serve_here(head.request, head_set_, now, nullptr);
  if (outcome != Outcome::served) return hold_head(outcome, now);
  if (held_since_ != kNever) count_held(now);
  held_by_ = Outcome::served;
  stats_.input_wait += now - head.ready;
  input_.pop();
  places_.release(now);
  busy_until_ = std::max(busy_until_, now + core_.period());
  head_set_ = kNoSet;
  if (input_.empty()) return;
  head_set_ = cache_.set_of(SectorCache::line_number(input_.front().request.address));
  cache_.prefetch_set(head_set_);
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

[[gnu::always_inline]] inline L2Slice::Outcome L2Slice::serve_here(const Request& request, std::uint32_t set,
                                                                   Tick now, const L2Slice* by) {
  if (passes_l2(request)) return request.far ? pass_on(request, now) : serve_bypass(request, now);
  if (request.op == Op::read)
    return plain_hit(request, set, now) ? Outcome::served : serve_read(request, set, now);
  return request.adds ? serve_add(request, now) : serve_store(request, now, by);
}

L2Slice::Outcome L2Slice::serve(const Request& request, Tick now, const L2Slice* by) {
  return serve_here(request, cache_.set_of(SectorCache::line_number(request.address)), now, by);
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

L2Slice::Outcome L2Slice::serve_read(const Request& request, std::uint32_t set, Tick now) {
  const std::uint32_t line = SectorCache::line_number(request.address);
  std::uint32_t entry = cache_.find(set, line);
  if (entry == SectorCache::kNone) {
    if (!may_open(request, line)) return Outcome::wait_fill;
    const Outcome outcome = allocate(line, entry, now);
    if (outcome != Outcome::served) return outcome;
  }
  const auto sectors = static_cast<std::uint64_t>(sector_count(request.sectors));
  const bool joined = coalesces_ && joins(request, entry, now);
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
[[gnu::always_inline]] inline bool L2Slice::plain_hit(const Request& request, std::uint32_t set, Tick now) {
  if (coalesces_) return false;
  const std::uint32_t entry = cache_.use(set, SectorCache::line_number(request.address), request.sectors);
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
