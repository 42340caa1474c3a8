#include "interconnect/fabric.h"

#include <algorithm>

namespace t3sim {
namespace {

// Hands the values of a packet on from one pool to another.
void move_values(Request& request, PayloadPool* from, PayloadPool* to) {
  if (request.payload == kNoPayload) return;
  const LineValues values = (*from)[request.payload];
  from->release(request.payload);
  request.payload = to->allocate();
  (*to)[request.payload] = values;
}

}  // namespace

Fabric::Fabric(FabricSetup setup, const TimeBase& time) : setup_(std::move(setup)), time_(time) {
  const auto shorten = [&](std::uint64_t ps) {
    window_ = std::min(window_, std::max<Tick>(time.from_ps(ps), 1));
  };
  std::vector<WayIn> from_switch;
  for (const GpuPorts& ports : setup_.ports) {
    for (const PortSpec& port : ports.out) shorten(port.latency_ps);
    for (const WayIn& way : ports.in) shorten(way.latency_ps);
    for (const WayIn& way : ports.in)
      if (way.from_switch) from_switch.push_back(way);
  }
  if (!from_switch.empty())
    switch_ = std::make_unique<Switch>(setup_.topology, setup_.count, from_switch, time,
                                       setup_.updates_expected, setup_.gpus[0]->pool() != nullptr);
}

Tick Fabric::next_event() { return switch_ ? switch_->scheduler().next_event() : kNever; }

void Fabric::run_until(Tick limit) {
  if (switch_) switch_->scheduler().run_until(limit);
}

void Fabric::exchange() {
  for (std::size_t g = 0; g < setup_.gpus.size(); ++g) {
    carry_packets(g);
    carry_credits(g);
    setup_.gpus[g]->outbox().clear();
  }
  for (std::size_t o = 0; switch_ && o < switch_->outputs(); ++o) carry_from_switch(o);
}

void Fabric::carry_packets(std::size_t from) {
  FabricClient& sender = *setup_.gpus[from];
  for (const Outbox::Packet& packet : sender.outbox().packets) {
    Request request = packet.request;
    if (setup_.mirror) {
      const std::uint32_t distance = request.gpu;
      request.source = static_cast<std::uint16_t>(setup_.count - distance);
      request.gpu = 0;
      setup_.mirror(request, distance);
    } else {
      request.source = static_cast<std::uint16_t>(from);
    }
    FabricClient& receiver = *setup_.gpus[request.gpu];
    if (switch_) {
      move_values(request, sender.pool(), &switch_->pool());
      switch_->output(request.gpu).deliver(request, packet.at);
    } else {
      move_values(request, sender.pool(), receiver.pool());
      receiver.deliver(request, packet.at);
    }
  }
}

// Credits of a GPU's receive buffers go back to the other end of the link.
void Fabric::carry_credits(std::size_t from) {
  for (const Outbox::Credit& credit : setup_.gpus[from]->outbox().credits) {
    if (switch_)
      switch_->output(from).credit(credit.bytes, credit.at);
    else
      credit_sender(from, credit);
  }
}

// Room for packets from GPU credit.gpu to GPU `to`.
void Fabric::credit_sender(std::size_t to, const Outbox::Credit& credit) {
  if (setup_.mirror)  // its distance to GPU 0
    setup_.gpus[0]->credit(static_cast<std::uint16_t>(setup_.count - credit.gpu), credit.bytes, credit.at);
  else
    setup_.gpus[credit.gpu]->credit(static_cast<std::uint16_t>(to), credit.bytes, credit.at);
}

void Fabric::carry_from_switch(std::size_t output) {
  Outbox& outbox = switch_->output(output).outbox();
  FabricClient& receiver = *setup_.gpus[output];
  for (const Outbox::Packet& packet : outbox.packets) {
    Request request = packet.request;
    move_values(request, &switch_->pool(), receiver.pool());
    receiver.deliver(request, packet.at);
  }
  for (const Outbox::Credit& credit : outbox.credits) credit_sender(output, credit);
  outbox.clear();
}

void Fabric::visit(std::size_t gpu, StatsSink& sink) const {
  if (switch_) switch_->visit(gpu, sink, time_);
}

}  // namespace t3sim
