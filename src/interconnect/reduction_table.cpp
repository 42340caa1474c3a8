#include "interconnect/reduction_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/number.h"

namespace t3sim {
namespace {

constexpr unsigned kMostUpdates = std::numeric_limits<decltype(Request::updates)>::max();

}  // namespace

std::size_t ReductionTable::Hash::operator()(const Key& key) const {
  const std::uint64_t mixed =
      (key.address / kLineBytes) ^ std::uint64_t{key.gpu} << 48 ^ std::uint64_t{key.sectors} << 56;
  return narrow<std::size_t>(mixed * 0x9E3779B97F4A7C15ULL >> 16);
}

ReductionTable::ReductionTable(std::uint64_t lines, UpdatesExpected expected, PayloadPool* pool)
    : capacity_(lines), expected_(std::move(expected)), pool_(pool) {}

ReductionTable::Outcome ReductionTable::add(Request& packet) {
  const Key key{packet.address, packet.gpu, packet.sectors};
  const auto [found, first] = lines_.try_emplace(key);
  Line& line = found->second;
  if (first) line.missing = expected_(packet);
  if (line.missing < packet.updates)
    throw CheckError(fmt::format("switch: an update too many of line {:#x} of GPU {}", key.address, key.gpu));
  line.missing -= packet.updates;

  if (line.summed) {
    absorb(line, packet);
    if (line.missing != 0 && line.sum.updates < kMostUpdates) return Outcome::kept;
    packet = line.sum;
    line.summed = false;
    --summed_;
    ++stats_.sums;
    if (line.missing == 0) lines_.erase(found);
    return Outcome::complete;
  }
  if (line.missing == 0) {
    lines_.erase(found);
    return Outcome::pass;  // nothing to add it to
  }
  if (used_ == capacity_) {
    ++stats_.refused;
    stats_.peak_counted_lines = std::max(stats_.peak_counted_lines, lines_.size() - summed_);
    return Outcome::pass;
  }
  line.summed = true;
  line.sum = packet;
  ++summed_;
  stats_.peak_lines = std::max(stats_.peak_lines, ++used_);
  return Outcome::kept;
}

void ReductionTable::absorb(Line& line, const Request& packet) {
  line.sum.updates = narrow<std::uint8_t>(line.sum.updates + packet.updates);
  ++stats_.absorbed;
  stats_.absorbed_bytes += request_bytes(packet);
  if (packet.payload == kNoPayload) return;
  LineValues& sum = (*pool_)[line.sum.payload];
  const LineValues& values = (*pool_)[packet.payload];
  for (unsigned s = 0; s < kLineBytes / kSectorBytes; ++s) {
    if ((packet.sectors >> s & 1) == 0) continue;
    for (unsigned e = s * kElementsPerSector; e < (s + 1) * kElementsPerSector; ++e) sum[e] += values[e];
  }
  pool_->release(packet.payload);
}

std::string ReductionTable::describe_waiting() const {
  if (summed_ == 0) return {};
  return fmt::format("switch: {} lines in the reduction table wait for more updates\n", summed_);
}

}  // namespace t3sim
