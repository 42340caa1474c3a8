// Writing back what is dirty: where a line makes room, and at the end of a kernel.
#include <algorithm>

#include "gpu/l2_slice.h"

namespace t3sim {

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

void L2Slice::flush(Tick now) {
  flushing_ = true;
  find_company();
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
  find_company();
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
  find_company();
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
  find_company();
}

void L2Slice::drop(const Request& request) {
  make_copies_stale(request, nullptr);
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

}  // namespace t3sim
