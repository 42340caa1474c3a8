#include "run/gap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/number.h"

namespace t3sim {
namespace {

using enum GapPart;

std::int64_t difference(Tick a, Tick b) { return narrow<std::int64_t>(a) - narrow<std::int64_t>(b); }

// How idle time for a wait has changed: as the wait has become longer, at the share of it that was idle in
// the run alone, and as another share of it is idle.
struct Change {
  std::int64_t longer = 0, exposed = 0;
};

Change change_of(PlaceWait wait, const KernelAccount& fused, const KernelAccount& alone) {
  const std::int64_t idle = difference(fused.idle[wait], alone.idle[wait]);
  if (alone.all[wait] == 0) return {idle, 0};
  const double share = real(alone.idle[wait]) / real(alone.all[wait]);
  const auto longer = static_cast<std::int64_t>(share * real(difference(fused.all[wait], alone.all[wait])));
  return {longer, idle - longer};
}

// Waits for loads that have become longer or shorter. As much of it as the loads themselves took longer or
// shorter is due to memory; of that, to slower reads and to more of them in the ratio of their effects, if
// both work in its direction.
void add_loads(GapTicks& gap, const KernelAccount& fused, const KernelAccount& alone) {
  const Change change = change_of(PlaceWait::loads, fused, alone);
  const std::int64_t waits = change.longer;
  const std::int64_t loading = difference(fused.loading, alone.loading);
  const std::int64_t sign = waits < 0 ? -1 : 1;
  const std::int64_t measured = sign * std::clamp<std::int64_t>(sign * loading, 0, std::abs(waits));
  const auto latency = [](const KernelAccount& k) {
    return k.reads == 0 ? 0.0 : real(k.read_latency_cycles) / real(k.reads);
  };
  const auto towards = [&](double effect) { return std::max(real(sign) * effect, 0.0); };
  const double slower = towards((latency(fused) - latency(alone)) * real(alone.reads));
  const double more = towards(real(difference(fused.reads, alone.reads)) * latency(fused));
  gap[workgroup_overlap] += change.exposed;
  if (slower + more > 0) {
    const auto by_number = static_cast<std::int64_t>(real(measured) * (more / (slower + more)));
    gap[cache_bypass] += by_number;
    gap[memory_contention] += measured - by_number;
    gap[unexplained] += waits - measured;
  } else {
    gap[unexplained] += waits;
  }
}

// Of ticks / unit, rounded to the nearest.
std::int64_t picoseconds(std::int64_t ticks, std::uint64_t unit, const TimeBase& time) {
  __extension__ using Wide = unsigned __int128;
  const Wide per = static_cast<Wide>(time.ticks_per_second()) * unit;
  const Wide ps = (static_cast<Wide>(std::abs(ticks)) * 1'000'000'000'000ULL + per / 2) / per;
  return ticks < 0 ? -static_cast<std::int64_t>(ps) : static_cast<std::int64_t>(ps);
}

// After the kernel's end.
void add_tail(GapTicks& gap, const PhaseAccount& fused) {
  const auto add = [&](GapPart part, Tick ticks) { gap[part] += narrow<std::int64_t>(ticks * gap.unit); };
  const LinkTime& all = fused.link;
  const LinkTime& before = fused.link_at_kernel_end;
  add(link, all.busy - before.busy);
  for (std::size_t c = 0; c < all.idle.size(); ++c) {
    const Tick idle = all.idle[c] - before.idle[c];
    const Tick after_last = std::min(idle, all.after_last[c]);
    add(tail, after_last);
    const auto cause = static_cast<LinkIdle>(c);
    const bool waits_for_memory = cause == LinkIdle::credit || cause == LinkIdle::dma_memory;
    const bool waits_for_dma = cause == LinkIdle::dma || cause == LinkIdle::card;
    add(waits_for_memory ? memory_contention : waits_for_dma ? dma : tail, idle - after_last);
  }
}

}  // namespace

std::string_view to_string(GapPart part) {
  switch (part) {
    case memory_contention:
      return "memory_contention";
    case cache_bypass:
      return "cache_bypass";
    case link:
      return "link";
    case tracker:
      return "tracker";
    case dma:
      return "dma";
    case producer:
      return "producer";
    case dispatch:
      return "dispatch";
    case workgroup_overlap:
      return "workgroup_overlap";
    case arrival:
      return "arrival";
    case tail:
      return "tail";
    case kernel_steps:
      return "kernel_steps";
    case near_memory_reduction:
      return "near_memory_reduction";
    case other_phases:
      return "other_phases";
    case unexplained:
      return "unexplained";
  }
  return "";
}

std::int64_t GapTicks::sum() const {
  std::int64_t sum = 0;
  for (std::int64_t part : parts) sum += part;
  return sum;
}

GapTicks gap_to_kernel(const PhaseAccount& fused, const PhaseAccount& gemm) {
  GapTicks gap;
  gap.unit = fused.kernel.places;
  const auto idle = [&](PlaceWait wait) {
    return difference(fused.kernel.idle[wait], gemm.kernel.idle[wait]);
  };
  add_loads(gap, fused.kernel, gemm.kernel);
  const Change stores = change_of(PlaceWait::memory, fused.kernel, gemm.kernel);
  gap[memory_contention] += stores.longer;
  gap[workgroup_overlap] += stores.exposed + idle(PlaceWait::issue);
  gap[link] += idle(PlaceWait::link);
  gap[tracker] += idle(PlaceWait::tracker);
  gap[dispatch] += idle(PlaceWait::launch) + idle(PlaceWait::no_workgroup);
  gap[arrival] += idle(PlaceWait::arrival);
  gap[unexplained] += idle(PlaceWait::computing) + difference(fused.kernel.working, gemm.kernel.working);
  add_tail(gap, fused);
  return gap;
}

GapTicks gap_to_collective(const PhaseAccount& fused, const PhaseAccount& collective) {
  GapTicks gap;
  const LinkTime& f = fused.link;
  const LinkTime& c = collective.link;
  const auto between = [](const LinkTime& time, LinkIdle cause) {
    return narrow<std::int64_t>(time.between(cause));
  };
  gap[link] = difference(f.busy, c.busy);
  gap[dispatch] = difference(LinkTime::sum(f.first), LinkTime::sum(c.first));
  gap[memory_contention] =
      between(f, LinkIdle::credit) + between(f, LinkIdle::dma_memory) - between(c, LinkIdle::credit);
  gap[dma] = between(f, LinkIdle::dma) + between(f, LinkIdle::card);
  gap[producer] = between(f, LinkIdle::producer);
  gap[arrival] = between(f, LinkIdle::upstream);
  gap[kernel_steps] = -between(c, LinkIdle::producer) - between(c, LinkIdle::upstream);
  gap[near_memory_reduction] = difference(LinkTime::sum(f.after_last), LinkTime::sum(c.after_last));
  return gap;
}

GapResult gap_result(GapTicks parts, std::int64_t others, std::int64_t gap, const TimeBase& time,
                     const std::string& bound_by) {
  const auto unit = narrow<std::int64_t>(parts.unit);
  parts[other_phases] += others * unit;
  if (parts.sum() != gap * unit)
    throw CheckError(fmt::format("gap to the ideal overlap: its parts add up to {} ticks / {}, not to {}",
                                 parts.sum(), unit, gap * unit));
  const auto ps = [&](std::int64_t ticks) { return picoseconds(ticks, parts.unit, time); };
  GapResult result;
  result.bound_by = bound_by;
  result.gap_ps = ps(gap * unit);
  std::int64_t explained = 0;
  for (int p = 0; p < kGapParts; ++p) {
    const auto part = static_cast<GapPart>(p);
    const std::int64_t rounded = part == unexplained ? result.gap_ps - explained : ps(parts[part]);
    explained += rounded;
    result.parts_ps.emplace_back(to_string(part), rounded);
  }
  return result;
}

}  // namespace t3sim
