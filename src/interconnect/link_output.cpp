#include "interconnect/link_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"

namespace t3sim {

LinkOutput::LinkOutput(const OutputSetup& setup, const TimeBase& time, OutputClient& client,
                       ReductionTable* table)
    : setup_(setup),
      client_(client),
      table_(table),
      arriving_(setup.inputs, RingBuffer<Arriving>(16)),
      channels_(setup.channels),
      wire_(setup.bandwidth_Bps, time.ticks_per_second()),
      sending_(setup.latency) {
  for (Channel& channel : channels_) {
    channel.credits = setup.buffer_bytes;
    channel.queues.assign(setup.inputs + 1, RingBuffer<Request>(16));
  }
}

void LinkOutput::attach(Scheduler& scheduler) {
  scheduler_ = &scheduler;
  scheduler.add(*this);
}

void LinkOutput::deliver(std::uint32_t input, std::uint32_t channel, const Request& request, Tick at) {
  arriving_[input].push_growing({request, channel, at});
  ++under_way_;
  scheduler_->wake(*this, at);
}

void LinkOutput::credit(std::uint32_t channel, std::uint32_t bytes, Tick at) {
  auto& returning = channels_[channel].returning;
  returning.push_back({at, bytes});
  std::ranges::push_heap(returning, std::greater<>{}, &Returning::at);
  scheduler_->wake(*this, at);
}

void LinkOutput::collect_credits(Channel& channel, Tick now) {
  while (!channel.returning.empty() && channel.returning.front().at <= now) {
    std::ranges::pop_heap(channel.returning, std::greater<>{}, &Returning::at);
    channel.credits += channel.returning.back().bytes;
    channel.returning.pop_back();
  }
}

void LinkOutput::wake(Tick now) {
  for (Channel& channel : channels_) collect_credits(channel, now);
  for (std::uint32_t i = 0; i < arriving_.size(); ++i) arrive(i, now);
  while (wire_.until() <= now && send_next(now)) {
  }
}

void LinkOutput::arrive(std::uint32_t input, Tick now) {
  while (!arriving_[input].empty() && arriving_[input].front().at <= now) {
    const auto [arrived, channel, at] = arriving_[input].pop();
    Request packet = arrived;
    stats_.received_bytes += request_bytes(packet);
    if (reduce(packet, channel, now)) continue;
    channels_[channel].queues[input].push_growing(packet);
    queued_bytes_ += request_bytes(packet);
    stats_.peak_bytes = std::max(stats_.peak_bytes, queued_bytes_);
  }
}

// True if the packet's buffer is free again: the table has it.
bool LinkOutput::reduce(Request& packet, std::uint32_t channel, Tick now) {
  if (!table_ || packet.op != Op::update || !packet.tracked) return false;
  const Request came = packet;
  const ReductionTable::Outcome outcome = table_->add(packet);
  if (outcome == ReductionTable::Outcome::pass) return false;
  client_.left(setup_.link, came, now);
  if (outcome == ReductionTable::Outcome::complete)
    channels_[channel].queues.back().push_growing(packet);
  else
    --under_way_;
  return true;
}

RingBuffer<Request>* LinkOutput::next_queue(Channel& channel) {
  const auto n = narrow<unsigned>(channel.queues.size());
  for (unsigned i = 0; i < n; ++i) {
    const unsigned q = channel.turn + i < n ? channel.turn + i : channel.turn + i - n;
    if (channel.queues[q].empty()) continue;
    channel.turn = q;  // stays until the packet is sent
    return &channel.queues[q];
  }
  return nullptr;
}

// Channels in turn; one without packets or without room is passed over. False if nothing could be sent.
bool LinkOutput::send_next(Tick now) {
  const auto n = narrow<unsigned>(channels_.size());
  bool starved = false;
  for (unsigned i = 0; i < n; ++i) {
    const unsigned c = turn_ + i < n ? turn_ + i : turn_ + i - n;
    RingBuffer<Request>* from = next_queue(channels_[c]);
    if (from == nullptr) continue;  // deliver() wakes
    if (channels_[c].credits < request_bytes(from->front())) {
      starved = true;
      continue;  // credit() wakes
    }
    turn_ = c + 1 < n ? c + 1 : 0;
    send(channels_[c], *from, now);
    return true;
  }
  if (starved && starved_since_ == kNever) starved_since_ = now;
  return false;
}

void LinkOutput::send(Channel& channel, RingBuffer<Request>& from, Tick now) {
  if (starved_since_ != kNever) {
    stats_.wait_credit += now - starved_since_;
    starved_since_ = kNever;
  }
  channel.turn = channel.turn + 1 < channel.queues.size() ? channel.turn + 1 : 0;
  const Request packet = from.pop();
  --under_way_;
  const std::uint32_t bytes = request_bytes(packet);
  channel.credits -= bytes;
  const std::uint64_t wire_bytes = setup_.overhead.wire_bytes(packet);
  const Tick before = wire_.until();
  const Tick until = wire_.pass(now, wire_bytes);
  ++stats_.packets;
  stats_.bytes += bytes;
  stats_.wire_bytes += wire_bytes;
  sending_.add(std::max(before, until - std::min(until, wire_.duration(wire_bytes))), until, bytes);
  client_.sent(setup_.link, packet, until + setup_.latency);
  if (&from == &channel.queues.back()) {
    table_->release();
  } else {
    queued_bytes_ -= bytes;
    client_.left(setup_.link, packet, until);
  }
  if (!idle() && until > now) scheduler_->wake(*this, until);
}

std::size_t LinkOutput::waiting(std::uint32_t channel) const {
  std::size_t packets = 0;
  for (const auto& queue : channels_[channel].queues) packets += queue.size();
  return packets;
}

bool LinkOutput::has_room(std::uint32_t channel) const {
  const auto fits = [&](const RingBuffer<Request>& queue) {
    return !queue.empty() && request_bytes(queue.front()) <= channels_[channel].credits;
  };
  return std::ranges::any_of(channels_[channel].queues, fits);
}

bool LinkOutput::holds(std::uint32_t input) const {
  return std::ranges::any_of(channels_, [&](const Channel& c) { return !c.queues[input].empty(); });
}

std::string LinkOutput::describe_waiting() const {
  std::string text;
  for (const Channel& channel : channels_) {
    for (std::size_t i = 0; i + 1 < channel.queues.size(); ++i)
      if (const auto& queue = channel.queues[i]; !queue.empty())
        text += fmt::format("{}: {} packets from GPU {} wait for {}, {} bytes of credit\n", setup_.vertex,
                            queue.size(), queue.front().source, setup_.target, channel.credits);
    if (!channel.queues.back().empty())
      text += fmt::format("{}: {} sums wait for {}, {} bytes of credit\n", setup_.vertex,
                          channel.queues.back().size(), setup_.target, channel.credits);
  }
  return text;
}

void LinkOutput::report(Counters& out) const {
  out.count("packets", stats_.packets, "sent over the link");
  out.bytes("bytes", stats_.bytes, "sent over the link, without headers");
  out.bytes("received_bytes", stats_.received_bytes, "that came to be sent");
  out.time("busy", busy(), "the link sends");
  out.time("wait_credit", stats_.wait_credit,
           "something is to be sent, but the buffer of the far end is full");
  out.bytes("peak_buffer", stats_.peak_bytes, "that waited at a time, at most");
}

}  // namespace t3sim
