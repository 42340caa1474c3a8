// What the parts of a GPU tell each other while a phase runs.
#include "base/number.h"
#include "machine/gpu.h"

namespace t3sim {

TrafficBytes bytes_of(const std::vector<DirtyLines>& slices) {
  TrafficBytes bytes{};
  for (const DirtyLines& lines : slices)
    for (const Request& line : lines) bytes[ordinal(line.traffic)] += request_bytes(line);
  return bytes;
}

void Gpu::start_with(const std::vector<DirtyLines>& lines) {
  brought_ = bytes_of(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) parts_.slices[i]->write_back_from(lines[i], start_);
}

std::vector<DirtyLines> Gpu::dirty_lines() const {
  std::vector<DirtyLines> lines;
  for (const auto& slice : parts_.slices) lines.push_back(slice->dirty_lines());
  return lines;
}

std::vector<L2Contents> Gpu::take_l2() {
  std::vector<L2Contents> contents;
  for (auto& slice : parts_.slices) contents.push_back(slice->take_contents());
  return contents;
}

void Gpu::set_l2(std::vector<L2Contents> contents) {
  for (std::size_t i = 0; i < contents.size(); ++i) parts_.slices[i]->set_contents(std::move(contents[i]));
}

void Gpu::deliver(const Request& request, Tick at) {
  Request here = request;
  if (here.traffic == Traffic::gemm)
    here.traffic = remote_stores_;  // the producer's first chunk is communication here
  if (listener_) listener_->delivered(here);
  parts_.ingress->deliver(here, at);
}

void Gpu::post(std::uint32_t number, std::uint16_t gpu, std::uint64_t bytes, Tick at) {
  const auto rank = narrow<std::uint16_t>(spec_.rank);
  outbox_.puts.push_back({at, {Put::Kind::data, rank, rank, gpu, bytes, number}});
}

bool Gpu::may_enqueue(const Request& request) { return tracker_->may_enqueue(request); }

void Gpu::enqueued(const Request& request, Tick now) {
  if (request.tracked) {
    if (spec_.tracker.count_at == TrackerCountAt::enqueue)
      tracker_->count(request, now);
    else
      tracker_->reserve(request, now);
  } else if (request.remote && (arrivals_ || listener_)) {
    slice_of(request.address).drop(request);
    land(request);
    arrived(request, now);
  }
}

void Gpu::arrived(const Request& request, Tick now) {
  if (listener_) return listener_->stored(request, now);
  const auto sectors = narrow<std::uint32_t>(sector_count(request.sectors));
  if (flags_)
    flags_->count(request.announces, request.tile, sectors, now);
  else
    arrivals_->count(request.announces, request.tile, sectors, now);
}

void Gpu::push_write(const Request& request, Tick ready) {
  Request store = request;
  store.stream = Stream::compute;  // from here on it is the L2's
  slice_of(request.address).push(store, core_.align(ready) + core_.cycles(spec_.gpu.noc_latency_cycles));
}

// Tells a CU that its store is done; the news takes the network's latency.
void Gpu::acknowledge(const Request& store, Tick from) {
  if (!spec_.gpu.store_acknowledgement) return;
  parts_.cus[store.source]->store_acknowledged(store, from + core_.cycles(spec_.gpu.noc_latency_cycles));
}

void Gpu::performed(Request& request, Tick now) {
  if (is_write_back(request))
    written_back_ = now;
  else
    happened(now);
  if (request.stream == Stream::compute && !request.remote && passes_l2(request))
    acknowledge(request, now + core_.cycles(spec_.l2.dram_path_cycles));
  if (request.tracked && spec_.tracker.count_at == TrackerCountAt::issue) tracker_->count(request, now);
  if (functional_ && !functional_->above_l2) perform_values(request);
}

// Functional mode of programs: later reads see it.
void Gpu::land(const Request& store) {
  if (!lands_above_l2() || store.payload == kNoPayload) return;
  functional_->memory.land(store.address, store.op == Op::update || store.adds, pool_[store.payload]);
  pool_.release(store.payload);
}

void Gpu::perform_values(Request& request) {
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
  if (request.source < parts_.slices.size())
    parts_.slices[request.source]->read_done(request, at);
  else
    parts_.dma->read_done(request, at);
}

void Gpu::port_free(unsigned channel, unsigned port, Tick now) {
  if (port < map_.slices_per_channel()) {
    parts_.slices[channel * map_.slices_per_channel() + port]->channel_free(now);
    return;
  }
  parts_.ingress->channel_free(channel, now);
  parts_.dma->channel_free(channel, now);
}

void Gpu::store_accepted(const Request& request, Tick now) {
  land(request);
  if (!request.remote) {
    if (listener_ && request.tile >= kFirstMark) listener_->stored(request, now);
    kernel_of(request).store_accepted(now, false);
    if (!passes_l2(request)) acknowledge(request, now + core_.cycles(spec_.l2.latency_cycles));
    return;
  }
  happened(now);
  arrived(request, now);
  end_of_kernel_traffic(now);
}

DramBytes Gpu::dram_bytes() const {
  DramBytes bytes;
  const TrafficBytes left = this->left();
  for (int t = 0; t < kTraffics; ++t) {
    const auto traffic = static_cast<Traffic>(t);
    for (const auto& channel : parts_.channels) {
      bytes.read(traffic) += channel->bytes(traffic, Op::read);
      bytes.written(traffic) += channel->bytes(traffic, Op::write) + channel->bytes(traffic, Op::update);
    }
    bytes.written(traffic) += left[t] - brought_[t];
  }
  return bytes;
}

}  // namespace t3sim
