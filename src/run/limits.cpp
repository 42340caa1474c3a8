#include "run/limits.h"

#include <algorithm>

#include "base/number.h"

namespace t3sim {
namespace {

using enum Limit;

// Shares of one, by limit, that ticks are spent in.
using Weights = LimitTicks;

void spend(LimitTicks& spent, double ticks, const Weights& weights, Limit without) {
  const double total = weights.total();
  if (total == 0) return spent.add(without, ticks);
  for (int l = 0; l < kLimits; ++l) {
    const auto limit = static_cast<Limit>(l);
    spent.add(limit, ticks * weights[limit] / total);
  }
}

// Of the time of reads, what an idle DRAM would not have taken.
double queueing_share(const PhaseUse::Dram::Reads& reads, Tick idle_read) {
  const double time = real(reads.time), idle = real(reads.count) * real(idle_read);
  return time <= idle ? 0 : 1 - idle / time;
}

Weights slice_weights(const PhaseUse& use) {
  Weights w;
  const double queueing = queueing_share(use.dram.compute, use.dram.idle_read);
  w.add(dram_bandwidth, real(use.l2.held_by_dram) + queueing * real(use.l2.held_by_mshrs));
  w.add(l2, real(use.l2.transferring) + (1 - queueing) * real(use.l2.held_by_mshrs));
  return w;
}

Weights credit_weights(const PhaseUse::Link& link) {
  Weights w;
  const std::uint64_t wire = std::min(link.credit_ticks, link.wire_ticks);
  const std::uint64_t memory = std::min(link.credit_ticks - wire, link.memory_ticks);
  w.add(link_credits, real(wire));
  w.add(dram_bandwidth, real(memory));
  w.add(link_bandwidth, real(link.credit_ticks - wire - memory));
  return w;
}

// What a port was at while it was busy or held up.
Weights port_weights(const LinkTime& port, const PhaseUse& use) {
  Weights w;
  const double queueing = queueing_share(use.dram.communication, use.dram.idle_read);
  const double reading = real(port.idle_for(LinkIdle::dma));
  w.add(link_bandwidth, real(port.busy));
  w.add(dma, reading * (1 - queueing));
  w.add(network_card, real(port.idle_for(LinkIdle::card)));
  w.add(dram_bandwidth, reading * queueing + real(port.idle_for(LinkIdle::dma_memory)));
  spend(w, real(port.idle_for(LinkIdle::credit)), credit_weights(use.link), link_credits);
  return w;
}

// `ticks` of waiting for a port that spent its time so, `scale` times. Beyond the time that it was busy or held up
// it had nothing to send.
void add_link(LimitTicks& spent, double ticks, const LinkTime& port, double scale, const PhaseUse& use) {
  const Weights at = port_weights(port, use);
  const double occupied = std::min(ticks, at.total() * scale);
  spend(spent, occupied, at, link_latency);
  spent.add(link_latency, ticks - occupied);
}

// What one group's loads go through, in ticks.
struct LoadPath {
  double fixed = 0, l2_queue = 0, in_flight = 0;
  double dram_idle = 0, dram_queue = 0;
  double port = 0;
};

LoadPath load_path(const PhaseUse& use) {
  const PhaseUse::Loads& loads = use.loads;
  const auto groups = real(loads.groups);
  LoadPath p;
  const double missing = 1 - ratio(real(use.l2.hit_sectors), real(use.l2.read_sectors));
  const double needs_dram = std::min(1.0, missing * ratio(real(use.l2.read_requests), groups));
  const double read = ratio(real(use.dram.compute.time), real(use.dram.compute.count));
  const double queued = read * queueing_share(use.dram.compute, use.dram.idle_read);
  p.fixed = use.l2.read_requests == 0 ? 0 : real(loads.network_and_l2);
  p.l2_queue =
      ratio(real(use.l2.input_wait), real(use.l2.requests)) + ratio(real(loads.wait_to_load), groups);
  p.in_flight = ratio(real(loads.wait_in_flight), groups);
  p.dram_idle = needs_dram * (read - queued + real(loads.dram_path));
  p.dram_queue = needs_dram * queued;
  p.port = ratio(real(loads.issuing), groups) + ratio(real(loads.reply_wait), real(use.l2.read_requests));
  return p;
}

Weights load_weights(const PhaseUse& use) {
  const LoadPath p = load_path(use);
  const double latency = p.fixed + p.dram_idle, queued = p.l2_queue + p.dram_queue;
  const double by_latency = p.in_flight * ratio(latency, latency + queued);
  const double longer =
      queued == 0 ? 1 : 1 + (p.in_flight - by_latency) / queued;  // queues, for loads in flight
  Weights w;
  w.add(loads_in_flight, by_latency);
  w.add(l2_latency, p.fixed);
  w.add(dram_latency, p.dram_idle);
  w.add(dram_bandwidth, p.dram_queue * longer);
  spend(w, p.l2_queue * longer, slice_weights(use), l2);
  w.add(cu_port, p.port);
  return w;
}

// Where workgroups queue for what all share, one more would have queued as well.
void add_empty_places(LimitTicks& spent, double ticks) {
  constexpr Limit kShared[] = {l2,           dram_bandwidth, tracker,      dma,
                               network_card, link_bandwidth, link_credits, link_latency};
  const double others = spent.total();
  double left = ticks;
  for (const Limit limit : kShared) {
    const double share = ticks * ratio(spent[limit], others);
    spent.add(limit, share);
    left -= share;
  }
  spent.add(too_few_workgroups, left);
}

// Of the whole kernel, in ticks x places.
LimitTicks kernel_ticks(const PhaseUse& use) {
  const KernelAccount& kernel = use.account.kernel;
  const WaitTimes& idle = kernel.idle;
  LimitTicks spent;
  const double padded = ratio(real(use.compute.padding), real(use.compute.useful + use.compute.padding));
  spent.add(tile_padding, padded * real(kernel.working));
  spent.add(matrix_units, (1 - padded) * real(kernel.working));
  spent.add(recorded_times, real(idle[PlaceWait::computing]));
  spent.add(store_path, real(idle[PlaceWait::issue]));
  spent.add(tracker, real(idle[PlaceWait::tracker]));
  spend(spent, real(idle[PlaceWait::memory]), slice_weights(use), store_path);
  add_link(spent, real(idle[PlaceWait::link] + idle[PlaceWait::arrival]), use.account.link_at_kernel_end,
           real(kernel.places), use);
  spend(spent, real(idle[PlaceWait::loads]), load_weights(use), cu_port);
  const Tick launching = std::min(idle[PlaceWait::launch], use.compute.until_dispatched);
  add_empty_places(spent, real(idle[PlaceWait::launch] - launching + idle[PlaceWait::no_workgroup]));
  spent.add(launch, real(launching));
  return spent;
}

// What `to` has beyond `from`.
LinkTime since(const LinkTime& from, LinkTime to) {
  to.busy -= from.busy;
  for (std::size_t c = 0; c < to.idle.size(); ++c) to.idle[c] -= from.idle[c];
  return to;
}

// The part of the port's time that decides how long the phase takes; the rest is the kernel's.
LinkTime link_part(const PhaseUse& use) {
  const PhaseAccount& a = use.account;
  if (a.kernel.places == 0) return a.link;
  if (use.link.fed_by_kernel) return since(a.link.busy == 0 ? a.link : use.link.until_fed, a.link);
  const bool outlasts_kernel = a.link.busy > a.link_at_kernel_end.busy;
  return outlasts_kernel ? a.link : LinkTime{};
}

std::string_view idle_cause(const LinkTime& link) {
  if (link.busy == 0) return "nothing_to_send";
  std::string_view cause = "none";
  Tick most = 0;
  const auto consider = [&](std::string_view name, Tick ticks) {
    if (ticks > most) cause = name, most = ticks;
  };
  for (int c = 0; c < kLinkIdles; ++c) {
    const auto idle = static_cast<LinkIdle>(c);
    consider(to_string(idle), link.between(idle));
  }
  consider("before_first_packet", LinkTime::sum(link.first));
  consider("after_last_packet", LinkTime::sum(link.after_last));
  return cause;
}

// CUs with a workgroup, a CU counted by the share of its places that have one; mean over the phase.
double cus_busy(const PhaseUse& use) {
  const KernelAccount& kernel = use.account.kernel;
  const Tick places_time = kernel.places * use.account.time;
  const Tick empty = kernel.all[PlaceWait::launch] + kernel.all[PlaceWait::no_workgroup];
  return real(use.compute.cus) * ratio(real(kernel.all.total() - empty), real(places_time));
}

}  // namespace

std::string_view to_string(Limit limit) {
  constexpr std::string_view kNames[kLimits] = {"matrix_units",
                                                "tile_padding",
                                                "recorded_times",
                                                "launch",
                                                "too_few_workgroups",
                                                "loads_in_flight",
                                                "cu_port",
                                                "l2",
                                                "l2_latency",
                                                "dram_bandwidth",
                                                "dram_latency",
                                                "store_path",
                                                "tracker",
                                                "dma",
                                                "network_card",
                                                "link_bandwidth",
                                                "link_credits",
                                                "link_latency"};
  return kNames[ordinal(limit)];
}

double LimitTicks::total() const {
  double sum = 0;
  for (const double ticks : of_) sum += ticks;
  return sum;
}

Limit LimitTicks::largest() const { return static_cast<Limit>(std::ranges::max_element(of_) - of_.begin()); }

LimitTicks limit_ticks(const PhaseUse& use) {
  const LinkTime link = link_part(use);
  LimitTicks spent;
  if (use.account.kernel.places != 0)
    spend(spent, real(use.account.time - link.total()), kernel_ticks(use), launch);
  add_link(spent, real(link.total()), link, 1, use);
  return spent;
}

PhaseLimits phase_limits(const PhaseUse& use) {
  const double time = real(use.account.time);
  PhaseLimits l;
  l.matrix_share = ratio(real(use.compute.useful), real(use.compute.cus) * time);
  l.tflops = l.matrix_share * use.compute.peak_flops / 1e12;
  l.link_share = ratio(real(use.account.link.busy), time);
  l.link_idle_cause = idle_cause(use.account.link);
  const double dram = ratio(real(use.dram.bytes) * use.ticks_per_second, real(use.dram.time));
  l.dram_GBps = dram / 1e9;
  l.dram_share = ratio(dram, use.dram.peak);
  if (use.l2.read_sectors != 0) l.l2_hit_rate = real(use.l2.hit_sectors) / real(use.l2.read_sectors);
  l.cus_busy = cus_busy(use);
  const LimitTicks ticks = limit_ticks(use);
  l.limited_by = to_string(ticks.largest());
  l.limited_share = ratio(ticks[ticks.largest()], time);
  return l;
}

}  // namespace t3sim
