#include "nmc/functional_memory.h"

#include <cassert>

namespace t3sim {

namespace {

constexpr unsigned kLineSize = kElementsPerLine * kElementBytes;

// Calls f for each element index of the selected sectors.
template <class F>
void for_each_element(std::uint8_t sectors, F f) {
  for (unsigned s = 0; s < kElementsPerLine / kElementsPerSector; ++s)
    if ((sectors >> s & 1) != 0)
      for (unsigned i = s * kElementsPerSector; i < (s + 1) * kElementsPerSector; ++i) f(i);
}

}  // namespace

const LineValues* FunctionalMemory::find(std::uint64_t line_address) const {
  const std::uint64_t line = line_address / kLineSize;
  const auto page = pages_.find(line / kPageLines);
  return page == pages_.end() ? nullptr : &(*page->second)[line % kPageLines];
}

LineValues& FunctionalMemory::get(std::uint64_t line_address) {
  const std::uint64_t line = line_address / kLineSize;
  std::unique_ptr<Page>& page = pages_[line / kPageLines];
  if (page == nullptr) page = std::make_unique<Page>();
  return (*page)[line % kPageLines];
}

void FunctionalMemory::read(std::uint64_t line_address, std::uint8_t sectors, LineValues& values) const {
  const LineValues* stored = find(line_address);
  for_each_element(sectors, [&](unsigned i) { values[i] = stored == nullptr ? 0 : (*stored)[i]; });
}

void FunctionalMemory::write(std::uint64_t line_address, std::uint8_t sectors, const LineValues& values) {
  LineValues& stored = get(line_address);
  for_each_element(sectors, [&](unsigned i) { stored[i] = values[i]; });
}

void FunctionalMemory::update(std::uint64_t line_address, std::uint8_t sectors, const LineValues& values) {
  LineValues& stored = get(line_address);
  for_each_element(sectors, [&](unsigned i) { stored[i] += values[i]; });
}

void FunctionalMemory::land(std::uint64_t line_address, bool adds, const LineValues& values) {
  LineValues& stored = get(line_address);
  for (unsigned i = 0; i < kElementsPerLine; ++i)
    if (values[i] != kNoValue) {
      const std::uint32_t before = adds ? static_cast<std::uint32_t>(stored[i]) : 0;
      stored[i] = static_cast<std::int32_t>(before + static_cast<std::uint32_t>(values[i]));  // wraps
    }
}

std::int32_t FunctionalMemory::element(std::uint64_t byte_address) const {
  const LineValues* stored = find(byte_address);
  return stored == nullptr ? 0 : (*stored)[byte_address % kLineSize / kElementBytes];
}

void FunctionalMemory::set_element(std::uint64_t byte_address, std::int32_t value) {
  get(byte_address)[byte_address % kLineSize / kElementBytes] = value;
}

std::uint32_t PayloadPool::allocate() {
  if (free_.empty()) {
    lines_.emplace_back();
    return static_cast<std::uint32_t>(lines_.size() - 1);
  }
  const std::uint32_t handle = free_.back();
  free_.pop_back();
  lines_[handle].fill(0);
  return handle;
}

void PayloadPool::release(std::uint32_t handle) {
  if (handle == 0) return;
  assert(handle < lines_.size());
  free_.push_back(handle);
}

std::uint32_t PayloadPool::clone(std::uint32_t handle) {
  if (handle == 0) return 0;
  const std::uint32_t copy = allocate();
  lines_[copy] = lines_[handle];
  return copy;
}

void PayloadPool::copy_sectors(std::uint32_t to, std::uint32_t from, std::uint8_t sectors) {
  for (unsigned i = 0; i < kElementsPerLine; ++i)
    if (sectors >> (i / kElementsPerSector) & 1) lines_[to][i] = lines_[from][i];
}

}  // namespace t3sim
