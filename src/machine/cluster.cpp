#include "machine/cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "machine/fabric_setup.h"
#include "machine/gpu_stats.h"
#include "machine/start_phase.h"

namespace t3sim {

Cluster::Cluster(const Config& config, const Phase& phase, const TimeBase& time, const Handover& handover)
    : config_(config), handover_(handover), phase_(phase), time_(time), node_(config, time) {
  const bool mirror = config.gpus.model == GpuModel::mirror;
  for (std::uint32_t rank = 0; rank < (mirror ? 1 : config.gpus.count); ++rank) {
    FunctionalGpu* const functional = handover.functional ? &(*handover.functional)[rank] : nullptr;
    node_.gpus.push_back(std::make_unique<Gpu>(gpu_spec(config, rank, phase.arbitration), time, functional));
    Gpu& gpu = *node_.gpus.back();
    start_phase(gpu, config, phase, functional);
    if (handover.l2 && rank < handover.l2->size()) gpu.set_l2(std::move((*handover.l2)[rank]));
    if (handover.before) gpu.start_with((*handover.before)[rank]);
    if (handover.after) gpu.leave_dirty();
  }
  node_.fabric = make_fabric(config, phase, time, node_.gpus);
  node_.ahead = true;
}

PhaseResult Cluster::run(const std::function<void(double)>& progress, unsigned threads) {
  node_.run(progress, threads);
  check();
  PhaseResult result = this->result();
  hand_over();
  result.gpus = std::move(node_.gpus);
  result.fabric = std::move(node_.fabric);
  result.host_seconds = node_.host_seconds();
  return result;
}

// Closes the accounts.
PhaseResult Cluster::result() {
  PhaseResult result;
  result.phase = phase_;
  for (auto& gpu : node_.gpus) {
    gpu->finish();
    if (gpu->end() > result.ticks) result.use = use_of(*gpu);
    result.ticks = std::max(result.ticks, gpu->end());
    add_tracker(*gpu, result);
    result.stalled_stores += stalled_stores(*gpu);
    check_conservation(*gpu);
  }
  ResultCounters counters;
  visit_stats(with_fullest_tracker(), counters, result.stalled_stores);
  result.counters = counters.blocks();
  if (result.use.account.link.total() != result.ticks)
    throw CheckError(fmt::format("conservation: the account of a link has {} ticks, not {}",
                                 result.use.account.link.total(), result.ticks));
  result.time_us = time_.to_us(result.ticks);
  result.dram = node_.gpus[0]->dram_bytes();
  result.link_bytes = node_.gpus[0]->link_bytes();
  result.events = node_.events();
  return result;
}

void Cluster::add_tracker(const Gpu& gpu, PhaseResult& result) const {
  if (!gpu.collective()) return;
  const TrackerStats& tracker = gpu.collective()->tracker->stats();
  if (!result.tracked || tracker.peak_entries > result.tracker.peak_entries) {
    result.tracker = tracker;
    result.tracker_bits = tracker_entry_bits(*gpu.collective());
  }
  result.tracked = true;
}

// GPU 0 if none has one.
const Gpu& Cluster::with_fullest_tracker() const {
  const auto peak = [](const std::unique_ptr<Gpu>& gpu) {
    return gpu->collective() ? gpu->collective()->tracker->stats().peak_entries : 0;
  };
  return **std::ranges::max_element(node_.gpus, {}, peak);
}

void Cluster::hand_over() {
  if (handover_.l2) {
    handover_.l2->clear();
    for (auto& gpu : node_.gpus) handover_.l2->push_back(gpu->take_l2());
  }
  if (handover_.after)
    for (const auto& gpu : node_.gpus) handover_.after->push_back(gpu->dirty_lines());
}

void Cluster::check() const {
  // Where the L2 keeps data between kernels or takes writes from links, it saves traffic that no formula
  // knows.
  const bool closed_form = has_byte_table(phase_) && config_.l2.kernel_boundary == KernelBoundary::flush &&
                           config_.l2.remote_writes == RemoteWrites::memory;
  std::uint64_t sent = 0, received = 0, absorbed = 0;
  for (std::uint32_t rank = 0; rank < node_.gpus.size(); ++rank) {
    sent += node_.gpus[rank]->link_bytes();
    received += node_.gpus[rank]->received_bytes();
    absorbed += node_.fabric->absorbed_bytes(rank);
    if (closed_form) check_bytes(rank);
  }
  if (sent != received + absorbed)
    throw CheckError(
        fmt::format("links: {} bytes sent, {} received, {} added up on the way", sent, received, absorbed));
}

// Against the byte table: what the GEMM reads it does not know, and what is read several times may hit the L2.
void Cluster::check_bytes(std::uint32_t rank) const {
  DramBytes moved = node_.gpus[rank]->dram_bytes();
  moved.read(Traffic::gemm) = 0;
  DramBytes expected = expected_bytes(config_, phase_, rank);
  expected.written(Traffic::rs) -= node_.fabric->absorbed_bytes(rank);
  if (config_.memory.reduction == ReductionSubstrate::atomic)
    expected.read(Traffic::rs) -= node_.fabric->absorbed_bytes(rank);
  const std::uint64_t gathered = moved.read(Traffic::ag);
  if (gathered >= expected_bytes(config_, phase_, rank, true).read(Traffic::ag) &&
      gathered <= expected.read(Traffic::ag))
    expected.read(Traffic::ag) = gathered;
  if (moved != expected)
    throw CheckError(fmt::format("byte table: GPU {}: moved {}, expected {}", rank, to_string(moved),
                                 to_string(expected)));
}

}  // namespace t3sim
