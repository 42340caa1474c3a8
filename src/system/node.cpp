#include "system/node.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

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
           std::vector<FunctionalGpu>* functional, std::vector<std::vector<L2Contents>>* l2)
    : config_(config),
      l2_(l2),
      phase_(phase),
      time_(time),
      window_(std::max<Tick>(time.from_ps(config.topology.link.latency_ps), 1)),
      collective_(collective_arrays(config, phase)) {
  const bool mirror = config.gpus.model == GpuModel::mirror;
  for (std::uint32_t rank = 0; rank < (mirror ? 1 : config.gpus.count); ++rank) {
    Config own = config;
    if (const auto found = config.gpus.overrides.find(rank); found != config.gpus.overrides.end())
      own.gpu.clock_hz = found->second.clock_hz.value_or(own.gpu.clock_hz);
    gpus_.push_back(
        std::make_unique<Gpu>(own, rank, phase, time, functional ? &(*functional)[rank] : nullptr));
    if (l2 && rank < l2->size()) gpus_.back()->set_l2(std::move((*l2)[rank]));
  }
}

Tick Node::next_event() {
  Tick next = kNever;
  for (auto& gpu : gpus_) next = std::min(next, gpu->scheduler().next_event());
  return next;
}

PhaseResult Node::run(const std::function<void(double)>& progress) {
  const double start = cpu_seconds();
  int windows = 0;
  for (Tick next = next_event(); next != kNever; next = next_event()) {
    const Tick limit = next + window_;
    for (auto& gpu : gpus_) gpu->scheduler().run_until(limit);
    for (std::size_t g = 0; g < gpus_.size(); ++g) exchange(g);
    if (++windows % kWindowsPerReport == 0 && progress) {
      double done = 1;
      for (const auto& gpu : gpus_) done = std::min(done, gpu->progress());
      progress(done);
    }
  }
  for (const auto& gpu : gpus_)
    if (!gpu->complete()) report_no_progress();
  check();

  PhaseResult result;
  result.phase = phase_;
  for (auto& gpu : gpus_) {
    gpu->finish();
    result.ticks = std::max(result.ticks, gpu->end());
    result.events += gpu->scheduler().events();
    if (const TrackerStats* tracker = gpu->tracker_stats()) {
      if (!result.tracked || tracker->peak_entries > result.tracker.peak_entries) result.tracker = *tracker;
      result.tracked = true;
    }
    result.stalled_stores += gpu->stalled_stores();
    gpu->check_conservation();
  }
  if (l2_) {
    l2_->clear();
    for (auto& gpu : gpus_) l2_->push_back(gpu->take_l2());
  }
  result.time_us = time_.to_us(result.ticks);
  result.dram = gpus_[0]->dram_bytes();
  result.link_bytes = gpus_[0]->link_bytes();
  result.gpus = std::move(gpus_);
  result.host_seconds = cpu_seconds() - start;
  return result;
}

// Carries what a GPU has sent to where it goes.
void Node::exchange(std::size_t from) {
  Outbox& outbox = gpus_[from]->outbox();
  const bool mirror = config_.gpus.model == GpuModel::mirror;
  for (const Outbox::Packet& packet : outbox.packets) {
    Request request = mirror ? seen_by_neighbour(packet.request) : packet.request;
    Gpu& to = mirror ? *gpus_[0] : *gpus_[request.gpu];
    if (request.payload != kNoPayload) {
      PayloadPool& pool = *gpus_[from]->pool();
      const LineValues values = pool[request.payload];
      pool.release(request.payload);
      request.payload = to.pool()->allocate();
      (*to.pool())[request.payload] = values;
    }
    to.deliver(request, packet.at);
  }
  // Credits go back to the GPU upstream: the one whose neighbour this is.
  Gpu& upstream = mirror ? *gpus_[0] : *gpus_[(from + 1) % gpus_.size()];
  for (const Outbox::Credit& credit : outbox.credits) upstream.credit(credit);
  outbox.packets.clear();
  outbox.credits.clear();
}

// All GPUs do the same, each one chunk further on: what this GPU sends to GPU d about chunk c is what GPU -d
// sends to it about chunk c - d.
Request Node::seen_by_neighbour(const Request& request) const {
  const std::uint32_t gpus = config_.gpus.count;
  const TiledMatrix& array = collective_.array;
  const std::uint32_t tiles = array.grid.tiles();
  const std::uint32_t from = request.workgroup % tiles;
  const std::uint32_t chunk = collective_.chunks.chunk_of(from);
  const std::uint32_t there = chunk / gpus * gpus + (chunk + gpus - request.gpu) % gpus;
  const std::uint32_t to = from - collective_.chunks.first_tile(chunk) + collective_.chunks.first_tile(there);
  const Block from_block = array.grid.block(from), to_block = array.grid.block(to);
  Request seen = request;
  seen.workgroup += to - from;
  seen.address +=
      array.address(to_block.row, to_block.column) - array.address(from_block.row, from_block.column);
  seen.gpu = 0;
  return seen;
}

void Node::report_no_progress() const {
  std::string text = "no progress: nothing moves any more, but work is left\n";
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    const std::string waiting = gpus_[g]->describe_waiting();
    if (!waiting.empty()) text += fmt::format("GPU {}:\n{}", g, waiting);
  }
  throw NoProgressError(text);
}

void Node::check() {
  // Where the L2 keeps data between kernels or takes writes from links, it saves traffic that no formula
  // knows.
  const bool closed_form = phase_.kind != PhaseKind::kernel &&
                           config_.l2.kernel_boundary == KernelBoundary::flush &&
                           config_.l2.remote_writes == RemoteWrites::memory;
  std::uint64_t sent = 0, received = 0;
  for (std::uint32_t rank = 0; rank < gpus_.size(); ++rank) {
    sent += gpus_[rank]->link_bytes();
    received += gpus_[rank]->received_bytes();
    if (!closed_form) continue;
    DramBytes moved = gpus_[rank]->dram_bytes();
    moved.gemm_read = 0;
    const DramBytes expected = expected_bytes(config_, phase_, rank);
    if (moved == expected) continue;
    throw CheckError(fmt::format(
        "byte table: GPU {}: moved gemm_write {} rs_read {} rs_write {} ag_read {} ag_write {}, expected {} "
        "{} {} {} {}",
        rank, moved.gemm_write, moved.rs_read, moved.rs_write, moved.ag_read, moved.ag_write,
        expected.gemm_write, expected.rs_read, expected.rs_write, expected.ag_read, expected.ag_write));
  }
  if (sent != received) throw CheckError(fmt::format("links: {} bytes sent, {} received", sent, received));
}

}  // namespace t3sim
