#include "interconnect/link.h"

#include <fmt/format.h>

#include <algorithm>

namespace t3sim {
namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

LinkEgress::LinkEgress(const LinkConfig& config, const TimeBase& time, Scheduler& scheduler, Outbox& outbox,
                       std::function<void(Tick)> dma_sent, std::function<void(Tick)> store_sent,
                       Tick series_interval)
    : config_(config),
      ticks_per_second_(time.ticks_per_second()),
      latency_(std::max<Tick>(time.from_ps(config.latency_ps), 1)),
      scheduler_(scheduler),
      outbox_(outbox),
      dma_sent_(std::move(dma_sent)),
      store_sent_(std::move(store_sent)),
      store_places_(config.store_queue),
      stores_(config.store_queue),
      dma_(64),
      returning_(64),
      credits_(config.buffer_bytes),
      series_(series_interval) {}

void LinkEgress::push_store(const Request& request, Tick ready) {
  stores_.push({request, ready});
  scheduler_.wake(*this, std::max(ready, busy_until_));
}

void LinkEgress::push_dma(const Request& request, Tick ready) {
  dma_.push_growing({request, ready});
  scheduler_.wake(*this, std::max(ready, busy_until_));
}

void LinkEgress::credit(std::uint32_t bytes, Tick at) {
  returning_.push_growing({at, bytes});
  scheduler_.wake(*this, at);
}

// Stores and DMA in turn; the other one when one has nothing ready.
RingBuffer<LinkEgress::Waiting>* LinkEgress::choose(Tick now) {
  const bool store = !stores_.empty() && stores_.front().ready <= now;
  const bool dma = !dma_.empty() && dma_.front().ready <= now;
  if (store && dma) return dma_turn_ ? &dma_ : &stores_;
  return store ? &stores_ : dma ? &dma_ : nullptr;
}

void LinkEgress::wake(Tick now) {
  while (!returning_.empty() && returning_.front().at <= now) credits_ += returning_.pop().bytes;
  if (busy_until_ > now) return;  // push and send have scheduled a wake-up at busy_until_
  RingBuffer<Waiting>* from = choose(now);
  if (from == nullptr) return;  // pushing wakes
  if (credits_ < request_bytes(from->front().request)) {
    if (starved_since_ == kNever) starved_since_ = now;
    return;  // credit() wakes
  }
  if (starved_since_ != kNever) {
    stats_.wait_credit += now - starved_since_;
    starved_since_ = kNever;
  }
  send(*from, now);
}

void LinkEgress::send(RingBuffer<Waiting>& from, Tick now) {
  const bool is_dma = &from == &dma_;
  dma_turn_ = !is_dma;
  const Request request = from.pop().request;
  const std::uint32_t bytes = request_bytes(request);
  credits_ -= bytes;
  occupy(now, bytes + config_.header_bytes);
  ++stats_.packets;
  stats_.bytes += bytes;
  series_.add(now, bytes);
  outbox_.packets.push_back({busy_until_ + latency_, request});
  if (is_dma) {
    dma_sent_(now);
  } else {
    store_places_.release(now);
    store_sent_(now);
  }
  if (!idle()) scheduler_.wake(*this, busy_until_);
}

// Keeps the link busy for the bytes' time, exact over a run of packets.
void LinkEgress::occupy(Tick now, std::uint64_t bytes) {
  if (now > busy_until_) {
    burst_start_ = now;
    burst_bytes_ = 0;
  } else if (burst_bytes_ == 0) {
    burst_start_ = now;
  }
  burst_bytes_ += bytes;
  const auto duration =
      static_cast<Tick>((static_cast<Wide>(burst_bytes_) * ticks_per_second_ + config_.bandwidth_Bps - 1) /
                        config_.bandwidth_Bps);
  const Tick until = std::max(burst_start_ + duration, now + 1);
  stats_.busy += until - now;
  busy_until_ = until;
}

std::string LinkEgress::describe_waiting() const {
  if (idle()) return {};
  return fmt::format("link out: {} stores and {} DMA packets queued, {} bytes of credit\n", stores_.size(),
                     dma_.size(), credits_);
}

LinkIngress::LinkIngress(const LinkConfig& config, const TimeBase& time, Scheduler& scheduler,
                         const AddressMap& map, std::vector<Channel*> channels, unsigned communication_port,
                         Outbox& outbox)
    : config_(config),
      latency_(std::max<Tick>(time.from_ps(config.latency_ps), 1)),
      scheduler_(scheduler),
      map_(map),
      channels_(std::move(channels)),
      port_(communication_port),
      outbox_(outbox),
      arriving_(64),
      retry_(channels_.size()) {
  for (unsigned c = 0; c < channels_.size(); ++c) queues_.push_back(std::make_unique<Queue>(*this, c));
}

void LinkIngress::deliver(const Request& request, Tick at) {
  arriving_.push_growing({request, at});
  scheduler_.wake(*this, at);
}

void LinkIngress::channel_free(unsigned channel, Tick now) {
  if (queues_[channel]->packets.empty()) return;
  retry_[channel] = 1;
  scheduler_.wake(*this, now + 1);
}

void LinkIngress::wake(Tick now) {
  while (!arriving_.empty() && arriving_.front().at <= now) {
    Request request = arriving_.pop().request;
    request.stream = Stream::communication;
    request.remote = true;
    const unsigned channel = map_.channel(request.address);
    queues_[channel]->packets.push_growing(request);
    ++queued_;
    bytes_ += request_bytes(request);
    buffered_bytes_ += request_bytes(request);
    peak_bytes_ = std::max(peak_bytes_, buffered_bytes_);
    if (queues_[channel]->packets.size() == 1) drain(channel, now);
  }
  for (unsigned c = 0; c < retry_.size(); ++c)
    if (retry_[c]) {
      retry_[c] = 0;
      drain(c, now);
    }
}

// Hands packets on while there is room, and their buffer space back to the sender.
void LinkIngress::drain(unsigned channel, Tick now) {
  Queue& queue = *queues_[channel];
  while (!queue.packets.empty() && !queue.waiting && hand_over(queue, now)) {
    const Request request = queue.packets.pop();
    --queued_;
    buffered_bytes_ -= request_bytes(request);
    outbox_.credits.push_back({now + latency_, request_bytes(request)});
  }
}

// Passes the first packet to its memory controller or L2 slice; false if it has to wait.
bool LinkIngress::hand_over(Queue& queue, Tick now) {
  const Request& request = queue.packets.front();
  if (writes_ && request.op == Op::write && !request.tracked) {
    if (!queue.granted_place && !writes_->write_input(request.address).take(queue)) {
      queue.waiting = true;
      return false;
    }
    queue.granted_place = false;
    writes_->push_write(request, now + 1);
    return true;
  }
  if (!channels_[queue.channel]->can_accept(port_, request)) return false;
  channels_[queue.channel]->push(port_, request, now + 1);
  return true;
}

void LinkIngress::place_granted(Queue& queue, Tick now) {
  queue.waiting = false;
  queue.granted_place = true;
  retry_[queue.channel] = 1;
  scheduler_.wake(*this, now + 1);
}

std::string LinkIngress::describe_waiting() const {
  if (idle()) return {};
  return fmt::format("link in: {} packets wait for a memory controller, {} are arriving\n", queued_,
                     arriving_.size());
}

}  // namespace t3sim
