// What happens on a GPU while a phase runs: traffic between its parts, the kernel's end, the checks at the
// end.
#include <fmt/format.h>

#include <array>

#include "machine/gpu.h"

namespace t3sim {

// A kernel boundary: dirty lines are written back, the cache is emptied, communication is drained (4.5). The
// kernel's time ends here: the writing back goes on while the next kernel is launched and runs.
void Gpu::kernel_ended(Tick now) {
  kernel_end_ = now;
  happened(now);
  for (const auto& port : egress_->ports()) links_at_kernel_end_.push_back(port->account().time(now));
  egress_->set_producing(false, now);
  for (auto& channel : channels_) channel->kernel_ended();
  end_of_kernel_traffic(now);
}

// Where no other phase follows, the L2 is flushed once neither the kernel nor, where its writes go to the L2,
// the link has anything to add.
void Gpu::end_of_kernel_traffic(Tick now) {
  if (config_.l2.kernel_boundary == KernelBoundary::keep || leaves_dirty_ || !kernel_->ended()) return;
  if (config_.l2.remote_writes == RemoteWrites::l2 && arrivals_ && arrivals_->missing() != 0) return;
  for (auto& slice : slices_) slice->flush(now);
}

TrafficBytes bytes_of(const std::vector<DirtyLines>& slices) {
  TrafficBytes bytes{};
  for (const DirtyLines& lines : slices)
    for (const Request& line : lines) bytes[static_cast<std::size_t>(line.traffic)] += request_bytes(line);
  return bytes;
}

void Gpu::start_with(const std::vector<DirtyLines>& lines) {
  brought_ = bytes_of(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) slices_[i]->write_back_from(lines[i], start_);
}

TrafficBytes Gpu::left() const { return leaves_dirty_ ? bytes_of(dirty_lines()) : TrafficBytes{}; }

std::vector<DirtyLines> Gpu::dirty_lines() const {
  std::vector<DirtyLines> lines;
  for (const auto& slice : slices_) lines.push_back(slice->dirty_lines());
  return lines;
}

std::vector<L2Contents> Gpu::take_l2() {
  std::vector<L2Contents> contents;
  for (auto& slice : slices_) contents.push_back(slice->take_contents());
  return contents;
}

void Gpu::set_l2(std::vector<L2Contents> contents) {
  for (std::size_t i = 0; i < contents.size(); ++i) slices_[i]->set_contents(std::move(contents[i]));
}

void Gpu::deliver(const Request& request, Tick at) {
  Request here = request;
  if (here.traffic == Traffic::gemm)
    here.traffic = phase_.collective;  // the producer's first chunk is communication here
  ingress_->deliver(here, at);
}

bool Gpu::may_enqueue(const Request& request) { return tracker_->may_enqueue(request); }

void Gpu::enqueued(const Request& request, Tick now) {
  if (request.tracked) {
    if (config_.tracker.count_at == TrackerCountAt::enqueue)
      tracker_->count(request, now);
    else
      tracker_->reserve(request, now);
  } else if (request.remote && arrivals_) {
    slice_of(request.address).drop(request);
    arrived(request, now);
  }
}

void Gpu::arrived(const Request& request, Tick now) {
  const auto sectors = static_cast<std::uint32_t>(sector_count(request.sectors));
  if (flags_)
    flags_->count(request.step, request.workgroup, sectors, now);
  else
    arrivals_->count(request.step, request.workgroup, sectors, now);
}

void Gpu::push_write(const Request& request, Tick ready) {
  Request store = request;
  store.stream = Stream::compute;  // from here on it is the L2's
  slice_of(request.address).push(store, core_.align(ready) + core_.cycles(config_.gpu.noc_latency_cycles));
}

// Tells a CU that its store is done; the news takes the network's latency.
void Gpu::acknowledge(const Request& store, Tick from) {
  if (!config_.gpu.store_acknowledgement) return;
  cus_[store.source]->store_acknowledged(store, from + core_.cycles(config_.gpu.noc_latency_cycles));
}

void Gpu::performed(Request& request, Tick now) {
  if (is_write_back(request))
    written_back_ = now;
  else
    happened(now);
  if (request.stream == Stream::compute && !request.remote && passes_l2(request))
    acknowledge(request, now + core_.cycles(config_.l2.dram_path_cycles));
  if (request.tracked && config_.tracker.count_at == TrackerCountAt::issue) tracker_->count(request, now);
  if (!functional_) return;
  if (request.op == Op::read) {
    if (request.traffic == Traffic::gemm) return;  // inputs carry no numbers
    request.payload = pool_.allocate();
    functional_->memory.read(request.address, request.sectors, pool_[request.payload]);
    return;
  }
  const LineValues& values = pool_[request.payload];
  if (request.op == Op::write)
    functional_->memory.write(request.address, request.sectors, values);
  else
    functional_->memory.update(request.address, request.sectors, values);
  pool_.release(request.payload);
}

void Gpu::read_done(const Request& request, Tick at) {
  happened(at);
  if (request.source < slices_.size())
    slices_[request.source]->read_done(request, at);
  else
    dma_->read_done(request, at);
}

void Gpu::port_free(unsigned channel, unsigned port, Tick now) {
  if (port < map_.slices_per_channel()) {
    slices_[channel * map_.slices_per_channel() + port]->channel_free(now);
    return;
  }
  ingress_->channel_free(channel, now);
  dma_->channel_free(channel, now);
}

void Gpu::store_accepted(const Request& request, Tick now) {
  if (!request.remote) {
    kernel_->store_accepted(now, false);
    if (!passes_l2(request)) acknowledge(request, now + core_.cycles(config_.l2.latency_cycles));
    return;
  }
  happened(now);
  arrived(request, now);
  end_of_kernel_traffic(now);
}

bool Gpu::complete() const {
  if (kernel_ && !kernel_->ended()) return false;
  if (tracker_ && tracker_->incomplete() != 0) return false;
  if (arrivals_ && arrivals_->missing() != 0) return false;
  for (const auto& channel : channels_)
    if (!channel->idle()) return false;
  for (const auto& slice : slices_)
    if (!slice->idle()) return false;
  return dma_->idle() && dma_->pending_blocks() == 0 && egress_->idle() && ingress_->idle();
}

std::uint64_t Gpu::stalled_stores() const {
  std::uint64_t sum = 0;
  for (const auto& channel : channels_) sum += channel->stats().parked;
  return sum;
}

double Gpu::progress() const {
  double done = 0, parts = 0;
  if (kernel_) {
    done += static_cast<double>(kernel_->retired()) / std::max(1U, kernel_->total());
    parts += 1;
  }
  if (tracker_ && tracked_tiles_ != 0) {
    done += 1.0 - static_cast<double>(tracker_->incomplete()) / static_cast<double>(tracked_tiles_);
    parts += 1;
  }
  return parts > 0 ? done / parts : 1.0;
}

Tick Gpu::kernel_time() const {
  return phase_.kind == PhaseKind::gemm || phase_.kind == PhaseKind::kernel ? end_ : kernel_end_;
}

void Gpu::finish() {
  dma_->settle(end_);
  if (tracker_) tracker_->settle(end_);
  for (auto& channel : channels_) channel->settle(drained());
  for (const auto& port : egress_->ports()) links_.push_back(port->account().time(end_));
  if (!kernel_) return;
  const PlaceWait last_store = kernel_->last_store_remote() ? PlaceWait::link : PlaceWait::memory;
  for (auto& cu : cus_) cu->finish(kernel_->last_retired(), last_store, kernel_time());
}

PhaseAccount Gpu::account() const {
  PhaseAccount a;
  a.time = end_;
  for (std::uint32_t p = 0; p < links_.size(); ++p)
    if (links_[p].busy > links_[a.port].busy) a.port = p;
  a.link = links_[a.port];
  if (!kernel_) return a;
  a.link_at_kernel_end = links_at_kernel_end_[a.port];
  a.kernel.time = kernel_time();
  for (const auto& cu : cus_) {
    const IdleAccount& places = cu->places();
    a.kernel.places += places.places();
    a.kernel.idle += places.idle();
    a.kernel.all += places.all();
    a.kernel.working += cu->matrix_time().working() * places.places();
    a.kernel.loading += cu->stats().loading;
  }
  for (const auto& channel : channels_) {
    const LatencyHistogram& latency = channel->stats().read_latency[static_cast<int>(Stream::compute)];
    a.kernel.reads += latency.count();
    a.kernel.read_latency_cycles += latency.sum();
  }
  return a;
}

DramBytes Gpu::dram_bytes() const {
  std::array<std::uint64_t, kTraffics> read{}, written{};
  for (const auto& channel : channels_)
    for (int t = 0; t < kTraffics; ++t) {
      const auto traffic = static_cast<Traffic>(t);
      read[t] += channel->bytes(traffic, Op::read);
      written[t] += channel->bytes(traffic, Op::write) + channel->bytes(traffic, Op::update);
    }
  const TrafficBytes left = this->left();
  for (int t = 0; t < kTraffics; ++t) written[t] += left[t] - brought_[t];
  const auto at = [](const auto& a, Traffic t) { return a[static_cast<std::size_t>(t)]; };
  return {at(read, Traffic::gemm),  at(written, Traffic::gemm), at(read, Traffic::rs),
          at(written, Traffic::rs), at(read, Traffic::ag),      at(written, Traffic::ag),
          at(read, Traffic::other), at(written, Traffic::other)};
}

void Gpu::check_conservation() const {
  const auto require = [&](bool holds, const std::string& rule) {
    if (!holds) throw CheckError(fmt::format("conservation: GPU {}: {}", rank_, rule));
  };
  require(!tracker_ || tracker_->live_entries() == 0, "the Tracker is not empty at the end");
  require(pool_.live() == 0, fmt::format("{} payloads are left over", pool_.live()));
  for (const auto& cu : cus_) {
    const MatrixTime& time = cu->matrix_time();
    require(!kernel_ || time.total() == kernel_time(),
            fmt::format("the account of a matrix unit has {} ticks, not {}", time.total(), kernel_time()));
  }
  const PhaseAccount account = this->account();
  require(account.kernel.total() == account.kernel.time * account.kernel.places,
          fmt::format("the account of {} places for workgroups has {} ticks, not {} each",
                      account.kernel.places, account.kernel.total(), account.kernel.time));
}

}  // namespace t3sim
