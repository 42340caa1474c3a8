#include "machine/node.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

#include "machine/fabric_setup.h"
#include "machine/watchdog.h"

namespace t3sim {
namespace {

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

constexpr int kWindowsPerReport = 64;

}  // namespace

Node::Node(const Config& config, const Phase& phase, const TimeBase& time,
           std::vector<FunctionalGpu>* functional, std::vector<std::vector<L2Contents>>* l2,
           const Leftovers* before, Leftovers* after)
    : config_(config), l2_(l2), after_(after), phase_(phase), time_(time) {
  const bool mirror = config.gpus.model == GpuModel::mirror;
  for (std::uint32_t rank = 0; rank < (mirror ? 1 : config.gpus.count); ++rank) {
    gpus_.push_back(std::make_unique<Gpu>(gpu_config(config, rank), rank, phase, time,
                                          functional ? &(*functional)[rank] : nullptr));
    if (l2 && rank < l2->size()) gpus_.back()->set_l2(std::move((*l2)[rank]));
    if (before) gpus_.back()->start_with((*before)[rank]);
    if (after) gpus_.back()->leave_dirty();
  }
  fabric_ = make_fabric(config, phase, time, gpus_);
}

Tick Node::next_event() {
  Tick next = fabric_->next_event();
  for (auto& gpu : gpus_) next = std::min(next, gpu->scheduler().next_event());
  return next;
}

PhaseResult Node::run(const std::function<void(double)>& progress) {
  const double start = cpu_seconds();
  int windows = 0;
  Watchdog watchdog(longest_wait(config_, time_));
  for (Tick next = next_event(); next != kNever; next = next_event()) {
    if (watchdog.due(next) && watchdog.stuck(next, moves(), computes(next))) report_livelock(watchdog);
    const Tick limit = next + fabric_->window();
    for (auto& gpu : gpus_) gpu->scheduler().run_until(limit);
    fabric_->run_until(limit);
    if (after_window)
      for (auto& gpu : gpus_) after_window(*gpu);
    fabric_->exchange();
    if (++windows % kWindowsPerReport == 0 && progress) {
      double done = 1;
      for (const auto& gpu : gpus_) done = std::min(done, gpu->progress());
      progress(done);
    }
  }
  for (const auto& gpu : gpus_)
    if (!gpu->complete() || !fabric_->idle()) report_no_progress("nothing moves any more, but work is left");
  check();

  PhaseResult result;
  result.phase = phase_;
  for (auto& gpu : gpus_) {
    gpu->finish();
    if (gpu->end() > result.ticks) result.use = gpu->use();
    result.ticks = std::max(result.ticks, gpu->end());
    result.events += gpu->scheduler().events();
    if (const TrackerStats* tracker = gpu->tracker_stats()) {
      if (!result.tracked || tracker->peak_entries > result.tracker.peak_entries) {
        result.tracker = *tracker;
        result.tracker_bits = gpu->tracker_entry_bits();
      }
      result.tracked = true;
    }
    result.stalled_stores += gpu->stalled_stores();
    gpu->check_conservation();
  }
  if (result.use.account.link.total() != result.ticks)
    throw CheckError(fmt::format("conservation: the account of a link has {} ticks, not {}",
                                 result.use.account.link.total(), result.ticks));
  if (l2_) {
    l2_->clear();
    for (auto& gpu : gpus_) l2_->push_back(gpu->take_l2());
  }
  if (after_)
    for (const auto& gpu : gpus_) after_->push_back(gpu->dirty_lines());
  result.time_us = time_.to_us(result.ticks);
  result.dram = gpus_[0]->dram_bytes();
  result.link_bytes = gpus_[0]->link_bytes();
  result.events += fabric_->events();
  result.gpus = std::move(gpus_);
  result.fabric = std::move(fabric_);
  result.host_seconds = cpu_seconds() - start;
  return result;
}

std::uint64_t Node::moves() const {
  std::uint64_t sum = fabric_->moves();
  for (const auto& gpu : gpus_) sum += gpu->moves();
  return sum;
}

bool Node::computes(Tick now) const {
  for (const auto& gpu : gpus_)
    if (gpu->computes(now)) return true;
  return false;
}

// Events go on, so somebody wakes for ever: whoever has a wake-up pending.
void Node::report_livelock(const Watchdog& watchdog) const {
  std::string awake;
  for (const auto& gpu : gpus_) {
    const std::string parts = gpu->describe_awake();
    if (!parts.empty()) awake += (awake.empty() ? "" : ", ") + parts;
  }
  report_no_progress(fmt::format(
      "events go on, but for {:.3g} us nothing has moved, longer than any wait of this configuration "
      "({:.3g} us); still waking: {}",
      time_.to_us(watchdog.quiet_for()), time_.to_us(watchdog.limit()),
      awake.empty() ? "the switch" : awake));
}

void Node::report_no_progress(const std::string& reason) const {
  Waits waits;
  for (const auto& gpu : gpus_) gpu->report_waits(waits, gpus_, *fabric_);
  std::string text = fmt::format("no progress: {}\n{}\n", reason, waits.explain());
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    const std::string waiting = gpus_[g]->describe_waiting();
    if (!waiting.empty()) text += fmt::format("GPU {}:\n{}", g, waiting);
  }
  throw NoProgressError(text + fabric_->describe_waiting());
}

void Node::check() {
  // Where the L2 keeps data between kernels or takes writes from links, it saves traffic that no formula
  // knows.
  const bool closed_form = phase_.kind != PhaseKind::kernel && phase_.kind != PhaseKind::channels &&
                           phase_.kind != PhaseKind::owner_stores &&
                           config_.l2.kernel_boundary == KernelBoundary::flush &&
                           config_.l2.remote_writes == RemoteWrites::memory;
  std::uint64_t sent = 0, received = 0, absorbed = 0;
  for (std::uint32_t rank = 0; rank < gpus_.size(); ++rank) {
    sent += gpus_[rank]->link_bytes();
    received += gpus_[rank]->received_bytes();
    absorbed += fabric_->absorbed_bytes(rank);
    if (!closed_form) continue;
    DramBytes moved = gpus_[rank]->dram_bytes();
    moved.gemm_read = 0;
    DramBytes expected = expected_bytes(config_, phase_, rank);
    expected.rs_write -= fabric_->absorbed_bytes(rank);
    if (config_.memory.reduction == ReductionSubstrate::atomic)
      expected.rs_read -= fabric_->absorbed_bytes(rank);
    const DramBytes least = expected_bytes(config_, phase_, rank, true);
    if (moved.ag_read >= least.ag_read && moved.ag_read <= expected.ag_read) expected.ag_read = moved.ag_read;
    if (moved == expected) continue;
    throw CheckError(fmt::format(
        "byte table: GPU {}: moved gemm_write {} rs_read {} rs_write {} ag_read {} ag_write {} other_read {} "
        "other_write {}, expected {} {} {} {} {} {} {}",
        rank, moved.gemm_write, moved.rs_read, moved.rs_write, moved.ag_read, moved.ag_write,
        moved.other_read, moved.other_write, expected.gemm_write, expected.rs_read, expected.rs_write,
        expected.ag_read, expected.ag_write, expected.other_read, expected.other_write));
  }
  if (sent != received + absorbed)
    throw CheckError(
        fmt::format("links: {} bytes sent, {} received, {} added up on the way", sent, received, absorbed));
}

}  // namespace t3sim
