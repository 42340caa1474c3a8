#include "interconnect/link_ingress.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"

namespace t3sim {

LinkIngress::LinkIngress(const LinkConfig& config, const std::vector<WayIn>& ways, const LinkWiring& wiring,
                         MemoryPorts memory)
    : overhead_(config),
      scheduler_(wiring.scheduler),
      map_(memory.map),
      channels_(std::move(memory.channels)),
      port_(memory.port),
      outbox_(wiring.outbox),
      retry_(channels_.size()) {
  for (const WayIn& in : ways) {
    // The output of a switch is a shared port too, but a part of the switch.
    const bool shared = in.bandwidth_Bps != 0 && !in.from_switch;
    Way way{in.name,
            shared,
            Serialiser(std::max<std::uint64_t>(in.bandwidth_Bps, 1), wiring.time.ticks_per_second()),
            {},
            0,
            false,
            {},
            0};
    for (std::uint16_t gpu : in.gpus) {
      places_.resize(std::max<std::size_t>(places_.size(), gpu + std::size_t{1}));
      if (!in.from_switch || way.lanes.empty()) way.lanes.push_back({gpu});
      places_[gpu] = {narrow<std::uint16_t>(ways_.size()), narrow<std::uint16_t>(way.lanes.size() - 1),
                      std::max<Tick>(wiring.time.from_ps(in.latency_ps), 1)};
    }
    ways_.push_back(std::move(way));
  }
  for (unsigned c = 0; c < channels_.size(); ++c) queues_.push_back(std::make_unique<Queue>(*this, c));
}

void LinkIngress::deliver(const Request& request, Tick at) {
  const Place& place = places_[request.source];
  ways_[place.way].lanes[place.lane].arriving.push_growing({request, at});
  ++under_way_;
  scheduler_.wake(*this, at);
}

void LinkIngress::channel_free(unsigned channel, Tick now) {
  if (queues_[channel]->packets.empty()) return;
  retry_[channel] = 1;
  scheduler_.wake(*this, now + 1);
}

void LinkIngress::wake(Tick now) {
  for (Way& way : ways_) {
    arrive(way, now);
    if (way.shared) pass_through_port(way, now);
  }
  for (unsigned c = 0; c < retry_.size(); ++c)
    if (retry_[c]) {
      retry_[c] = 0;
      drain(c, now);
    }
}

void LinkIngress::arrive(Way& way, Tick now) {
  for (Lane& lane : way.lanes)
    while (!lane.arriving.empty() && lane.arriving.front().at <= now) {
      const Request request = lane.arriving.pop().request;
      buffered_bytes_ += request_bytes(request);
      stats_.peak_bytes = std::max(stats_.peak_bytes, buffered_bytes_);
      if (way.shared)
        lane.arrived.push_growing(request);
      else
        accept(request, now);
    }
}

// Takes packets through a port while it has nothing to wait for.
void LinkIngress::pass_through_port(Way& way, Tick now) {
  if (way.port.until() > now) return;
  if (way.passing) accept(way.passes, now);
  way.passing = false;
  while (Lane* lane = next_lane(way)) {
    const Request request = lane->arrived.pop();
    const std::uint64_t bytes = overhead_.wire_bytes(request);
    way.wire_bytes += bytes;
    const Tick until = way.port.pass(now, bytes);
    if (until <= now) {
      accept(request, now);
      continue;
    }
    way.passing = true;
    way.passes = request;
    scheduler_.wake(*this, until);
    return;
  }
}

// The next GPU in turn of which a packet waits for the port; null if there is none.
LinkIngress::Lane* LinkIngress::next_lane(Way& way) {
  const auto n = narrow<unsigned>(way.lanes.size());
  for (unsigned i = 0; i < n; ++i) {
    const unsigned l = way.turn + i < n ? way.turn + i : way.turn + i - n;
    if (way.lanes[l].arrived.empty()) continue;
    way.turn = l + 1 < n ? l + 1 : 0;
    return &way.lanes[l];
  }
  return nullptr;
}

void LinkIngress::accept(const Request& request, Tick now) {
  const unsigned channel = map_.channel(request.address);
  RingBuffer<Request>& packets = queues_[channel]->packets;
  packets.push_growing(request);
  packets.back().stream = Stream::communication;
  packets.back().remote = true;
  ++queued_;
  stats_.bytes += request_bytes(request);
  stats_.memory_wait -= request_bytes(request) * now;  // modulo 2^64: drain() adds what it has become
  if (packets.size() == 1) drain(channel, now);
}

// Hands packets on while there is room, and their buffer space back to the sender.
void LinkIngress::drain(unsigned channel, Tick now) {
  Queue& queue = *queues_[channel];
  while (!queue.packets.empty() && !queue.waiting && hand_over(queue, now)) {
    const Request request = queue.packets.pop();
    --queued_;
    --under_way_;
    buffered_bytes_ -= request_bytes(request);
    stats_.memory_wait += request_bytes(request) * now;
    outbox_.credits.push_back(
        {now + places_[request.source].latency, request_bytes(request), request.source});
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

void LinkIngress::report_waits(GpuWaits& waits) const {
  for (const auto& queue : queues_) {
    if (queue->packets.empty()) continue;
    waits.add("link.in", fmt::format("channel {}", queue->channel),
              fmt::format("room for {} packets, the first from GPU {}", queue->packets.size(),
                          queue->packets.front().source));
  }
  if (under_way_ > queued_)
    waits.dead_end("link.in", fmt::format("has {} packets that arrive and takes none (a lost wake-up)",
                                          under_way_ - queued_));
}

bool LinkIngress::holds(std::uint16_t from) const {
  for (const auto& queue : queues_)
    for (std::size_t i = 0; i < queue->packets.size(); ++i)
      if (queue->packets.at(i).source == from) return true;
  return under_way_ > queued_;
}

std::string LinkIngress::describe_waiting() const {
  if (idle()) return {};
  std::string text;
  for (const auto& queue : queues_)
    if (!queue->packets.empty())
      text += fmt::format("link.in: {} packets, the first from GPU {}, wait for memory controller {}\n",
                          queue->packets.size(), queue->packets.front().source, queue->channel);
  for (const Way& way : ways_)
    for (const Lane& lane : way.lanes)
      if (!lane.arrived.empty())
        text += fmt::format("{}: {} packets from GPU {} wait for the port\n", way.name, lane.arrived.size(),
                            lane.gpu);
  return text + fmt::format("link.in: {} packets wait for a memory controller, {} others are arriving\n",
                            queued_, under_way_ - queued_);
}

}  // namespace t3sim
