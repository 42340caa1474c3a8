#include "memctrl/config.h"

#include <fmt/format.h>

#include <bit>

#include "base/error.h"
#include "sim/request.h"

namespace t3sim {

namespace {

void require(bool holds, const char* key, const char* allowed) {
  if (!holds) throw InputError(fmt::format("memory.{} must be {}", key, allowed));
}

void power_of_two(std::uint64_t value, std::uint64_t low, std::uint64_t high, const char* key) {
  if (!std::has_single_bit(value) || value < low || value > high)
    throw InputError(
        fmt::format("memory.{} is {}, must be a power of two from {} to {}", key, value, low, high));
}

void validate_timing(const DramTiming& t) {
  require(t.burst >= 1, "timing.burst", "at least 1 cycle");
  require(t.rc >= t.ras, "timing.rc", "at least timing.ras");
  require(t.wl <= t.cl + t.burst + t.bus_turnaround, "timing.wl", "at most cl + burst + bus_turnaround");
}

void validate_queue(const DramQueueConfig& q) {
  const std::uint32_t line = kLineBytes / kSectorBytes;
  const char* size = "from 4 (the bursts of a line) to 4096 bursts";
  if (q.kind == QueueKind::shared)
    require(q.shared_bursts >= line && q.shared_bursts <= 4096, "queue.shared_bursts", size);
  if (q.kind == QueueKind::split) {
    require(q.read_bursts >= line && q.read_bursts <= 4096, "queue.read_bursts", size);
    require(q.write_bursts >= line && q.write_bursts <= 4096, "queue.write_bursts", size);
    require(q.write_high_watermark <= q.write_bursts && q.write_high_watermark >= 1,
            "queue.write_high_watermark", "from 1 to queue.write_bursts");
    require(q.write_low_watermark < q.write_high_watermark, "queue.write_low_watermark",
            "below queue.write_high_watermark");
  }
  require(q.age_cap_cycles >= 1, "queue.age_cap", "at least 1 cycle");
}

}  // namespace

double MemoryConfig::peak_bytes_per_second() const {
  return static_cast<double>(clock_hz) * static_cast<double>(burst_bytes) * channels / timing.burst;
}

void MemoryConfig::validate() const {
  require(clock_hz > 0, "clock", "above 0");
  require(channels >= 1 && channels <= 4096, "channels", "1..4096");
  power_of_two(bank_groups, 1, 64, "bank_groups");
  power_of_two(banks_per_group, 1, 64, "banks_per_group");
  require(banks() <= 64, "banks_per_group", "at most 64 / bank_groups");
  power_of_two(burst_bytes, kSectorBytes, kLineBytes, "burst");
  power_of_two(row_bytes, burst_bytes, 65536, "row");
  validate_timing(timing);
  validate_queue(queue);
  if (refresh.mode != RefreshMode::none) {
    require(refresh.interval_cycles > refresh.all_bank_cycles, "refresh.interval", "longer than a refresh");
    require(refresh.interval_cycles / banks() > 0, "refresh.interval", "at least a cycle a bank");
  }
  require(port_bursts >= kLineBytes / kSectorBytes, "port_bursts", "at least 4 (the bursts of a line)");
}

}  // namespace t3sim
