#include "machine/cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "machine/fabric_setup.h"
#include "machine/gpu_stats.h"
#include "machine/start_phase.h"
#include "machine/watchdog.h"
#include "sim/team.h"

namespace t3sim {
namespace {

constexpr int kWindowsPerReport = 64;
// After a window of fewer events, the next one is not worth waking other threads for.
constexpr std::uint64_t kEventsWorthThreads = 2000;

}  // namespace

Cluster::Cluster(const Config& config, const Phase& phase, const TimeBase& time, const Handover& handover)
    : config_(config), handover_(handover), phase_(phase), time_(time) {
  const bool mirror = config.gpus.model == GpuModel::mirror;
  for (std::uint32_t rank = 0; rank < (mirror ? 1 : config.gpus.count); ++rank) {
    FunctionalGpu* const functional = handover.functional ? &(*handover.functional)[rank] : nullptr;
    gpus_.push_back(std::make_unique<Gpu>(gpu_spec(config, rank, phase.arbitration), time, functional));
    Gpu& gpu = *gpus_.back();
    start_phase(gpu, config, phase, functional);
    if (handover.l2 && rank < handover.l2->size()) gpu.set_l2(std::move((*handover.l2)[rank]));
    if (handover.before) gpu.start_with((*handover.before)[rank]);
    if (handover.after) gpu.leave_dirty();
  }
  fabric_ = make_fabric(config, phase, time, gpus_);
}

Tick Cluster::next_event() {
  Tick next = fabric_->next_event();
  for (auto& gpu : gpus_) next = std::min(next, gpu->scheduler().next_event());
  return next;
}

std::uint64_t Cluster::events() const {
  std::uint64_t sum = fabric_->events();
  for (const auto& gpu : gpus_) sum += gpu->scheduler().events();
  return sum;
}

double Cluster::progress_so_far() const {
  double done = 1;
  for (const auto& gpu : gpus_) done = std::min(done, gpu->progress());
  return done;
}

// GPUs and what lies between them are independent of each other for the length of a window.
void Cluster::run_window(Tick limit, Team& team) {
  const auto step = [&](std::size_t i) {
    if (i < gpus_.size())
      gpus_[i]->scheduler().run_until(limit);
    else
      fabric_->run_until(limit);
  };
  const std::uint64_t before = events();
  if (window_events_ >= kEventsWorthThreads)
    team.run(gpus_.size() + 1, step);
  else
    for (std::size_t i = 0; i <= gpus_.size(); ++i) step(i);
  window_events_ = events() - before;
}

void Cluster::run_windows(const std::function<void(double)>& progress, Team& team) {
  int windows = 0;
  Watchdog watchdog(longest_wait(config_, time_));
  for (Tick next = next_event(); next != kNever; next = next_event()) {
    if (watchdog.due(next) && watchdog.stuck(next, moves(), computes(next))) report_livelock(watchdog);
    run_window(next + fabric_->window(), team);
    if (after_window)
      for (auto& gpu : gpus_) after_window(*gpu);
    fabric_->exchange();
    if (++windows % kWindowsPerReport == 0 && progress) progress(progress_so_far());
  }
}

PhaseResult Cluster::run(const std::function<void(double)>& progress, unsigned threads) {
  const double start = thread_cpu_seconds();
  Team team(std::clamp<unsigned>(threads, 1, narrow<unsigned>(gpus_.size())));
  run_windows(progress, team);
  for (const auto& gpu : gpus_)
    if (!gpu->complete() || !fabric_->idle()) report_no_progress("nothing moves any more, but work is left");
  check();
  PhaseResult result = this->result();
  hand_over();
  result.gpus = std::move(gpus_);
  result.fabric = std::move(fabric_);
  result.host_seconds = thread_cpu_seconds() - start + team.helpers_cpu_seconds();
  return result;
}

// Closes the accounts.
PhaseResult Cluster::result() {
  PhaseResult result;
  result.phase = phase_;
  for (auto& gpu : gpus_) {
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
  result.dram = gpus_[0]->dram_bytes();
  result.link_bytes = gpus_[0]->link_bytes();
  result.events = events();
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
  return **std::ranges::max_element(gpus_, {}, peak);
}

void Cluster::hand_over() {
  if (handover_.l2) {
    handover_.l2->clear();
    for (auto& gpu : gpus_) handover_.l2->push_back(gpu->take_l2());
  }
  if (handover_.after)
    for (const auto& gpu : gpus_) handover_.after->push_back(gpu->dirty_lines());
}

std::uint64_t Cluster::moves() const {
  std::uint64_t sum = fabric_->moves();
  for (const auto& gpu : gpus_) sum += gpu->moves();
  return sum;
}

bool Cluster::computes(Tick now) const {
  for (const auto& gpu : gpus_)
    if (gpu->computes(now)) return true;
  return false;
}

// Events go on, so somebody wakes for ever: whoever has a wake-up pending.
void Cluster::report_livelock(const Watchdog& watchdog) const {
  const std::string awake = awake_parts(view());
  report_no_progress(fmt::format(
      "events go on, but for {:.3g} us nothing has moved, longer than any wait of this configuration "
      "({:.3g} us); still waking: {}",
      time_.to_us(watchdog.quiet_for()), time_.to_us(watchdog.limit()),
      awake.empty() ? "the switch" : awake));
}

void Cluster::report_no_progress(const std::string& reason) const {
  throw NoProgressError(stuck_report(view(), reason));
}

void Cluster::check() const {
  // Where the L2 keeps data between kernels or takes writes from links, it saves traffic that no formula
  // knows.
  const bool closed_form = phase_.kind != PhaseKind::kernel &&
                           config_.l2.kernel_boundary == KernelBoundary::flush &&
                           config_.l2.remote_writes == RemoteWrites::memory;
  std::uint64_t sent = 0, received = 0, absorbed = 0;
  for (std::uint32_t rank = 0; rank < gpus_.size(); ++rank) {
    sent += gpus_[rank]->link_bytes();
    received += gpus_[rank]->received_bytes();
    absorbed += fabric_->absorbed_bytes(rank);
    if (closed_form) check_bytes(rank);
  }
  if (sent != received + absorbed)
    throw CheckError(
        fmt::format("links: {} bytes sent, {} received, {} added up on the way", sent, received, absorbed));
}

// Against the byte table: what the GEMM reads it does not know, and what is read several times may hit the L2.
void Cluster::check_bytes(std::uint32_t rank) const {
  DramBytes moved = gpus_[rank]->dram_bytes();
  moved.read(Traffic::gemm) = 0;
  DramBytes expected = expected_bytes(config_, phase_, rank);
  expected.written(Traffic::rs) -= fabric_->absorbed_bytes(rank);
  if (config_.memory.reduction == ReductionSubstrate::atomic)
    expected.read(Traffic::rs) -= fabric_->absorbed_bytes(rank);
  const std::uint64_t gathered = moved.read(Traffic::ag);
  if (gathered >= expected_bytes(config_, phase_, rank, true).read(Traffic::ag) &&
      gathered <= expected.read(Traffic::ag))
    expected.read(Traffic::ag) = gathered;
  if (moved != expected)
    throw CheckError(fmt::format("byte table: GPU {}: moved {}, expected {}", rank, to_string(moved),
                                 to_string(expected)));
}

}  // namespace t3sim
