#include "interconnect/switch.h"

#include <fmt/format.h>

#include <algorithm>

namespace t3sim {

SwitchOutput::SwitchOutput(const LinkConfig& config, const WayIn& to, Tick before, Tick behind,
                           std::uint32_t gpus, std::uint16_t gpu, const TimeBase& time, Scheduler& scheduler,
                           ReductionTable* table)
    : overhead_(config),
      before_(before),
      behind_(behind),
      gpu_(gpu),
      scheduler_(scheduler),
      table_(table),
      inputs_(gpus),
      sums_(16),
      returning_(16),
      credits_(to.buffer_bytes),
      wire_(to.bandwidth_Bps, time.ticks_per_second()) {}

void SwitchOutput::deliver(const Request& request, Tick at) {
  const std::size_t gpus = inputs_.size();
  inputs_[(request.source + gpus - gpu_) % gpus].arriving.push_growing({request, at});
  ++under_way_;
  scheduler_.wake(*this, at);
}

void SwitchOutput::credit(std::uint32_t bytes, Tick at) {
  returning_.push_growing({at, bytes});
  scheduler_.wake(*this, at);
}

void SwitchOutput::wake(Tick now) {
  while (!returning_.empty() && returning_.front().at <= now) credits_ += returning_.pop().bytes;
  for (Input& input : inputs_) arrive(input, now);
  while (wire_.until() <= now) {
    RingBuffer<Request>* from = next_queue();
    if (from == nullptr) return;  // deliver() wakes
    if (credits_ < request_bytes(from->front())) {
      if (starved_since_ == kNever) starved_since_ = now;
      return;  // credit() wakes
    }
    send(*from, now);
  }
}

void SwitchOutput::arrive(Input& input, Tick now) {
  while (!input.arriving.empty() && input.arriving.front().at <= now) {
    Request packet = input.arriving.pop().request;
    stats_.received_bytes += request_bytes(packet);
    if (reduce(packet, now)) continue;
    input.arrived.push_growing(packet);
    queued_bytes_ += request_bytes(packet);
    stats_.peak_bytes = std::max(stats_.peak_bytes, queued_bytes_);
  }
}

// True if the packet's buffer is free again: the table has it.
bool SwitchOutput::reduce(Request& packet, Tick now) {
  if (!table_ || packet.op != Op::update || !packet.tracked) return false;
  const Request came = packet;
  const ReductionTable::Outcome outcome = table_->add(packet);
  if (outcome == ReductionTable::Outcome::pass) return false;
  give_back(came, now);
  if (outcome == ReductionTable::Outcome::complete)
    sums_.push_growing(packet);
  else
    --under_way_;
  return true;
}

// The queue whose turn it is, among those that have a packet; null if none has.
RingBuffer<Request>* SwitchOutput::next_queue() {
  const auto n = static_cast<unsigned>(inputs_.size() + 1);
  for (unsigned i = 0; i < n; ++i) {
    const unsigned q = turn_ + i < n ? turn_ + i : turn_ + i - n;
    RingBuffer<Request>& queue = q < inputs_.size() ? inputs_[q].arrived : sums_;
    if (queue.empty()) continue;
    turn_ = q;  // stays until the packet is sent
    return &queue;
  }
  return nullptr;
}

void SwitchOutput::send(RingBuffer<Request>& from, Tick now) {
  if (starved_since_ != kNever) {
    stats_.wait_credit += now - starved_since_;
    starved_since_ = kNever;
  }
  turn_ = turn_ < inputs_.size() ? turn_ + 1 : 0;
  const Request packet = from.pop();
  --under_way_;
  const std::uint32_t bytes = request_bytes(packet);
  credits_ -= bytes;
  const Tick until = wire_.pass(now, overhead_.wire_bytes(packet));
  ++stats_.packets;
  stats_.bytes += bytes;
  stats_.wire_bytes += overhead_.wire_bytes(packet);
  outbox_.packets.push_back({until + behind_, packet});
  if (&from == &sums_) {
    table_->release();
  } else {
    queued_bytes_ -= bytes;
    give_back(packet, until);
  }
  if (!idle() && until > now) scheduler_.wake(*this, until);
}

void SwitchOutput::give_back(const Request& packet, Tick at) {
  outbox_.credits.push_back({at + before_, request_bytes(packet), packet.source});
}

std::string SwitchOutput::describe_waiting() const {
  std::string text;
  for (const Input& input : inputs_)
    if (!input.arrived.empty())
      text += fmt::format("switch: {} packets from GPU {} wait for GPU {}, {} bytes of credit\n",
                          input.arrived.size(), input.arrived.front().source, gpu_, credits_);
  if (!sums_.empty())
    text +=
        fmt::format("switch: {} sums wait for GPU {}, {} bytes of credit\n", sums_.size(), gpu_, credits_);
  return text;
}

Switch::Switch(const TopologyConfig& config, std::uint32_t gpus, const std::vector<WayIn>& to,
               const TimeBase& time, UpdatesExpected expected, bool functional) {
  if (config.switched.reduction == SwitchReduction::in_switch)
    table_ = std::make_unique<ReductionTable>(config.switched.table_lines, std::move(expected),
                                              functional ? &pool_ : nullptr);
  const auto ticks = [&](std::uint64_t ps) { return std::max<Tick>(time.from_ps(ps), 1); };
  for (const WayIn& way : to) {
    const Tick before = ticks(config.link.latency_ps - way.latency_ps);
    outputs_.push_back(std::make_unique<SwitchOutput>(config.link, way, before, ticks(way.latency_ps), gpus,
                                                      static_cast<std::uint16_t>(outputs_.size()), time,
                                                      scheduler_, table_.get()));
    scheduler_.add(*outputs_.back());
  }
}

bool Switch::idle() const {
  return std::ranges::all_of(outputs_, [](const auto& output) { return output->idle(); }) &&
         (!table_ || table_->empty());
}

std::uint64_t Switch::moves() const {
  std::uint64_t sum = 0;
  for (const auto& output : outputs_) sum += output->stats().packets + output->stats().received_bytes;
  return sum;
}

std::string Switch::describe_waiting() const {
  std::string text;
  for (const auto& output : outputs_) text += output->describe_waiting();
  if (table_) text += table_->describe_waiting();
  return text;
}

void Switch::visit(std::size_t gpu, StatsSink& sink, const TimeBase& time) const {
  const SwitchOutput& output = *outputs_[gpu];
  const SwitchStats& s = output.stats();
  sink.count("switch.out", "packets", s.packets, "1");
  sink.count("switch.out", "bytes", s.bytes, "bytes");
  sink.count("switch.out", "received_bytes", s.received_bytes, "bytes");
  sink.real("switch.out", "busy", time.to_us(output.busy()), "us");
  sink.real("switch.out", "wait_credit", time.to_us(s.wait_credit), "us");
  sink.count("switch.out", "peak_buffer", s.peak_bytes, "bytes");
  if (!table_ || gpu != 0) return;
  const ReductionStats& r = table_->stats();
  sink.count("switch.table", "sums", r.sums, "1");
  sink.count("switch.table", "absorbed_packets", r.absorbed, "1");
  sink.count("switch.table", "absorbed_bytes", r.absorbed_bytes, "bytes");
  sink.count("switch.table", "refused_packets", r.refused, "1");
  sink.count("switch.table", "peak_lines", r.peak_lines, "1");
  sink.count("switch.table", "peak_counted_lines", r.peak_counted_lines, "1");
}

}  // namespace t3sim
