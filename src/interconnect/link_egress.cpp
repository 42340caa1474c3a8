#include "interconnect/link_egress.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/number.h"

namespace t3sim {

LinkEgress::LinkEgress(const LinkConfig& config, const PortSpec& port, const LinkWiring& wiring,
                       EgressListener listener)
    : overhead_(config, port.header_bytes),
      port_(port),
      latency_(std::max<Tick>(wiring.time.from_ps(port.latency_ps), 1)),
      scheduler_(wiring.scheduler),
      outbox_(wiring.outbox),
      listener_(std::move(listener)),
      wire_(port.bandwidth_Bps, wiring.time.ticks_per_second()),
      series_(wiring.series_interval),
      busy_series_(wiring.series_interval) {
  add_lanes(config);
}

void LinkEgress::add_lanes(const LinkConfig& config) {
  for (std::uint32_t i = 0; i < port_.gpus.size(); ++i) {
    const std::uint32_t pool = port_.channels.empty() ? i : port_.channels[i];
    while (pools_.size() <= pool) pools_.push_back(std::make_unique<Pool>(port_.buffer_bytes));
    lanes_.push_back(std::make_unique<Queues>(config.store_queue, latency_));
    lanes_.back()->pool = pools_[pool].get();
  }
}

void LinkEgress::push_store(Lane lane, const Request& request, Tick ready) {
  lanes_[lane]->stores.push_growing({request, ready});
  ++waiting_;
  scheduler_.wake(*this, std::max(ready, wire_.until()));
}

void LinkEgress::push_dma(Lane lane, const Request& request, Tick ready) {
  lanes_[lane]->dma.push_growing({request, ready});
  ++waiting_;
  scheduler_.wake(*this, std::max(ready, wire_.until()));
}

void LinkEgress::credit(Lane lane, std::uint32_t bytes, Tick at) {
  RingBuffer<Returning>& returning = lanes_[lane]->pool->returning;
  returning.push_growing({at, bytes});
  for (std::size_t i = returning.size() - 1; i > 0 && returning.at(i).at < returning.at(i - 1).at; --i)
    std::swap(returning.at(i), returning.at(i - 1));  // those of several switch outputs come out of order
  stats_.credit_ticks += bytes * at;                  // modulo 2^64: send() has taken its time off
  scheduler_.wake(*this, at);
}

// Stores and DMA in turn; the other one when one has nothing ready.
RingBuffer<LinkEgress::Waiting>* LinkEgress::ready_queue(Queues& lane, Tick now) {
  const bool store = !lane.stores.empty() && lane.stores.front().ready <= now;
  const bool dma = !lane.dma.empty() && lane.dma.front().ready <= now;
  if (store && dma) return lane.dma_turn ? &lane.dma : &lane.stores;
  return store ? &lane.stores : dma ? &lane.dma : nullptr;
}

void LinkEgress::collect_credits(Pool& pool, Tick now) {
  while (!pool.returning.empty() && pool.returning.front().at <= now)
    pool.credits += pool.returning.pop().bytes;
}

// A wire that carries more than a packet a tick takes several.
void LinkEgress::wake(Tick now) {
  if (wire_.until() > now) return;  // push and send have scheduled a wake-up for when it is free
  while (wire_.until() <= now && send_next(now)) {
  }
  if (!idle() && wire_.until() > now) scheduler_.wake(*this, wire_.until());
}

// GPUs in turn; one without ready packets or without room is passed over. False if nothing could be sent.
bool LinkEgress::send_next(Tick now) {
  const auto n = narrow<unsigned>(lanes_.size());
  bool starved = false;
  for (unsigned i = 0; i < n; ++i) {
    const unsigned l = turn_ + i < n ? turn_ + i : turn_ + i - n;
    Queues& lane = *lanes_[l];
    RingBuffer<Waiting>* from = ready_queue(lane, now);
    if (from == nullptr) continue;  // pushing wakes
    collect_credits(*lane.pool, now);
    if (lane.pool->credits < request_bytes(from->front().request)) {
      starved = true;
      continue;  // credit() wakes
    }
    turn_ = l + 1 < n ? l + 1 : 0;
    send(lane, *from, now);
    return true;
  }
  if (!starved || starved_since_ != kNever) return false;
  starved_since_ = now;
  account_.starve(now);
  return false;
}

void LinkEgress::send(Queues& lane, RingBuffer<Waiting>& from, Tick now) {
  if (starved_since_ != kNever) {
    stats_.wait_credit += now - starved_since_;
    starved_since_ = kNever;
  }
  const bool is_dma = &from == &lane.dma;
  lane.dma_turn = !is_dma;
  const Request request = from.pop().request;
  --waiting_;
  const std::uint32_t bytes = request_bytes(request);
  lane.pool->credits -= bytes;
  stats_.credit_ticks -= bytes * now;
  const Tick until = wire_.send(now, overhead_.wire_bytes(request) + std::exchange(along_, 0));
  stats_.busy += until - now;
  ++stats_.packets;
  stats_.bytes += bytes;
  series_.add(now, bytes);
  busy_series_.add_span(now, until, 1);
  account_.send(now, until);
  lane.sending.add(now, until, bytes);
  outbox_.packets.push_back({until + latency_, request});
  if (is_dma) {
    listener_.dma_sent(request, now);
  } else {
    lane.store_places.release(now);
    listener_.store_sent(request, now);
  }
}

std::string LinkEgress::lane_name(Lane lane) const {
  return fmt::format("{} to GPU {}", port_.name, port_.gpus[lane]);
}

LinkEgress::Held LinkEgress::held(Lane lane) const {
  const Queues& queues = *lanes_[lane];
  return {queues.stores.size(), queues.dma.size(), queues.pool->credits};
}

std::string LinkEgress::describe_waiting() const {
  std::string text;
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    const Queues& lane = *lanes_[l];
    if (lane.stores.empty() && lane.dma.empty()) continue;
    text += fmt::format("{}: {} stores and {} DMA packets wait for {}, {} bytes of credit\n", port_.name,
                        lane.stores.size(), lane.dma.size(), fmt::format("GPU {}", port_.gpus[l]),
                        lane.pool->credits);
  }
  return text;
}

}  // namespace t3sim
