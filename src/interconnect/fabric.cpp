#include "interconnect/fabric.h"

#include <algorithm>

#include "base/number.h"

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

Fabric::Fabric(FabricSetup setup, const TimeBase& time)
    : setup_(std::move(setup)), time_(time), topology_(make_topology(setup_.topology, setup_.count)) {
  const auto shorten = [&](std::uint64_t ps) {
    window_ = std::min(window_, std::max<Tick>(time.from_ps(ps), 1));
  };
  std::vector<std::vector<WayIn>> ways_in;
  bool needed = false;
  for (const GpuPorts& ports : setup_.ports) {
    for (const PortSpec& port : ports.out) shorten(port.latency_ps);
    for (const WayIn& way : ports.in) {
      shorten(way.latency_ps);
      needed |= way.from_switch;
    }
    ways_in.push_back(ports.in);
  }
  if (!needed) return;
  const bool functional = setup_.gpus[0]->pool() != nullptr;
  network_ = std::make_unique<Network>(
      Network::Setup{setup_.topology, topology_, std::move(ways_in), setup_.updates_expected, functional},
      time);
}

Tick Fabric::next_event() { return network_ ? network_->scheduler().next_event() : kNever; }

void Fabric::run_until(Tick limit) {
  if (network_) network_->scheduler().run_until(limit);
}

void Fabric::exchange() {
  for (std::size_t g = 0; g < setup_.gpus.size(); ++g) {
    carry_packets(g);
    carry_credits(g);
    for (const Outbox::Posted& put : setup_.gpus[g]->outbox().puts) network_->cards().post(put.put, put.at);
    for (const Outbox::Posting& sent : setup_.gpus[g]->outbox().messages)
      setup_.gpus[sent.message.to]->message(sent.message, sent.at);
    setup_.gpus[g]->outbox().clear();
  }
  if (network_) carry_from_network();
}

bool Fabric::forwarded(std::uint16_t from, std::uint16_t to) const {
  if (!network_) return false;
  const Graph& graph = topology_->graph;
  const std::uint32_t next = graph.link(topology_->routes.route(from, to).front().link).to;
  return !graph.is_gpu(next) && graph.vertex(next).kind != VertexKind::wire;
}

void Fabric::carry_packets(std::size_t from) {
  FabricClient& sender = *setup_.gpus[from];
  for (const Outbox::Packet& packet : sender.outbox().packets) {
    Request request = packet.request;
    if (setup_.mirror) {
      const std::uint32_t distance = request.gpu;
      request.source = narrow<std::uint16_t>(setup_.count - distance);
      request.gpu = 0;
      setup_.mirror(request, distance);
    } else {
      request.source = narrow<std::uint16_t>(from);
    }
    FabricClient& receiver = *setup_.gpus[request.gpu];
    if (forwarded(request.source, request.gpu)) {
      move_values(request, sender.pool(), &network_->pool());
      network_->deliver(request, packet.at);
    } else {
      move_values(request, sender.pool(), receiver.pool());
      receiver.deliver(request, packet.at);
    }
  }
}

// Credits of a GPU's receive buffers go back to the other end of the link.
void Fabric::carry_credits(std::size_t from) {
  const auto gpu = narrow<std::uint16_t>(from);
  for (const Outbox::Credit& credit : setup_.gpus[from]->outbox().credits) {
    if (forwarded(credit.gpu, gpu))
      network_->credit(credit.gpu, gpu, credit.bytes, credit.at);
    else
      credit_sender(credit.gpu, gpu, credit.bytes, credit.at);
  }
}

// Room for packets from one GPU to another.
void Fabric::credit_sender(std::uint16_t from, std::uint16_t to, std::uint32_t bytes, Tick at) {
  if (setup_.mirror)  // its distance to GPU 0
    setup_.gpus[0]->credit(narrow<std::uint16_t>(setup_.count - from), bytes, at);
  else
    setup_.gpus[from]->credit(to, bytes, at);
}

void Fabric::carry_from_network() {
  for (const Outbox::Packet& packet : network_->packets) {
    Request request = packet.request;
    FabricClient& receiver = *setup_.gpus[request.gpu];
    move_values(request, &network_->pool(), receiver.pool());
    receiver.deliver(request, packet.at);
  }
  for (const Network::Credit& credit : network_->credits)
    credit_sender(credit.from, credit.to, credit.bytes, credit.at);
  for (const Cards::Start& start : network_->cards().starts)
    setup_.gpus[start.put.from]->put_started(start.put.number, start.tag, start.at);
  network_->cards().starts.clear();
  network_->packets.clear();
  network_->credits.clear();
}

void Fabric::visit(std::size_t gpu, StatsSink& sink) const {
  if (network_) network_->visit(gpu, sink);
}

}  // namespace t3sim
