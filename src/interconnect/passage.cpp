#include "interconnect/passage.h"

#include <algorithm>
#include <cassert>

#include "base/number.h"

namespace t3sim {

Passage::Passage(PassageSetup setup, const TimeBase& time, PassageClient& client)
    : name_(std::move(setup.name)),
      limited_(setup.rate_Bps != 0),
      server_(std::max<std::uint64_t>(setup.rate_Bps, 1), time.ticks_per_second()),
      latency_(setup.latency),
      client_(client) {
  for (const std::uint32_t link : setup.links) inputs_.push_back({link});
}

void Passage::attach(Scheduler& scheduler) {
  scheduler_ = &scheduler;
  scheduler.add(*this);
}

void Passage::deliver(std::uint32_t link, const Request& packet, Tick at) {
  const auto input = std::ranges::find(inputs_, link, &Input::link);
  assert(input != inputs_.end());
  input->arriving.push_growing({packet, at});
  ++waiting_;
  scheduler_->wake(*this, at);
}

// Links in turn.
Passage::Input* Passage::next_input(Tick now) {
  const auto n = narrow<unsigned>(inputs_.size());
  for (unsigned i = 0; i < n; ++i) {
    const unsigned k = turn_ + i < n ? turn_ + i : turn_ + i - n;
    if (inputs_[k].arriving.empty() || inputs_[k].arriving.front().at > now) continue;
    turn_ = k + 1 < n ? k + 1 : 0;
    return &inputs_[k];
  }
  return nullptr;
}

void Passage::wake(Tick now) {
  while (server_.until() <= now) {
    Input* input = next_input(now);
    if (input == nullptr) return;  // deliver() wakes
    const Request packet = input->arriving.pop().request;
    --waiting_;
    ++packets_;
    bytes_ += request_bytes(packet);
    const Tick until = limited_ ? server_.send(now, request_bytes(packet)) : now;
    client_.passed(input->link, packet, std::max(until, now) + latency_);
  }
  if (waiting_ != 0) scheduler_->wake(*this, server_.until());
}

}  // namespace t3sim
