#include "interconnect/egress_ports.h"

#include <algorithm>
#include <cassert>

namespace t3sim {

EgressPorts::EgressPorts(const LinkConfig& config, const std::vector<PortSpec>& ports,
                         const LinkWiring& wiring, const EgressListener& listener) {
  for (const PortSpec& spec : ports) {
    ports_.push_back(std::make_unique<LinkEgress>(config, spec, wiring, listener));
    for (unsigned lane = 0; lane < spec.gpus.size(); ++lane) {
      const std::size_t gpu = spec.gpus[lane];
      ways_.resize(std::max(ways_.size(), gpu + 1));
      ways_[gpu] = {ports_.back().get(), lane};
    }
  }
}

const EgressPorts::Way& EgressPorts::way_to(std::uint16_t gpu) const {
  assert(gpu < ways_.size() && ways_[gpu].port != nullptr);
  return ways_[gpu];
}

CreditedInput& EgressPorts::store_input(std::uint16_t gpu) {
  const Way& way = way_to(gpu);
  return way.port->store_input(way.lane);
}

void EgressPorts::push_store(const Request& request, Tick ready) {
  const Way& way = way_to(request.gpu);
  way.port->push_store(way.lane, request, ready);
}

void EgressPorts::push_dma(const Request& request, Tick ready) {
  const Way& way = way_to(request.gpu);
  way.port->push_dma(way.lane, request, ready);
}

void EgressPorts::credit(std::uint16_t gpu, std::uint32_t bytes, Tick at) {
  const Way& way = way_to(gpu);
  way.port->credit(way.lane, bytes, at);
}

void EgressPorts::set_dma(DmaState state, Tick now) {
  if (state == dma_) return;
  dma_ = state;
  tell_ports(now);
}

void EgressPorts::set_producing(bool producing, Tick now) {
  producing_ = producing;
  tell_ports(now);
}

void EgressPorts::tell_ports(Tick now) {
  const LinkIdle feed = dma_ == DmaState::reading   ? LinkIdle::dma
                        : dma_ == DmaState::held_up ? LinkIdle::dma_memory
                        : dma_ == DmaState::posted  ? LinkIdle::card
                        : producing_                ? LinkIdle::producer
                                                    : LinkIdle::upstream;
  for (const auto& port : ports_) port->account().set_feed(feed, now);
}

bool EgressPorts::idle() const {
  return std::ranges::all_of(ports_, [](const auto& port) { return port->idle(); });
}

std::uint64_t EgressPorts::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& port : ports_) sum += port->stats().bytes;
  return sum;
}

std::string EgressPorts::describe_waiting() const {
  std::string text;
  for (const auto& port : ports_) text += port->describe_waiting();
  return text;
}

}  // namespace t3sim
