#include "interconnect/fabric.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
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
  if (needed) {
    const bool functional = setup_.gpus[0]->pool() != nullptr;
    network_ = std::make_unique<Network>(
        Network::Setup{setup_.topology, topology_, std::move(ways_in), setup_.updates_expected, functional},
        time);
  }
  inboxes_.resize(parts());
  find_senders();
}

// Packets take ports, and their credits come back. Mirror: what GPU 0 sends comes from it as well.
void Fabric::find_senders() {
  senders_.resize(parts());
  const auto join = [&](std::size_t a, std::size_t b) {
    senders_[a].push_back(b);
    senders_[b].push_back(a);
  };
  for (std::size_t g = 0; g < setup_.gpus.size(); ++g) {
    if (network_) join(g, network_part());
    if (setup_.mirror) {
      join(g, g);
      continue;
    }
    for (const PortSpec& port : setup_.ports[g].out)
      for (const std::uint16_t to : port.gpus)
        if (!forwarded(narrow<std::uint16_t>(g), to)) join(g, to);
  }
  for (std::vector<std::size_t>& senders : senders_) {
    std::ranges::sort(senders);
    senders.erase(std::ranges::unique(senders).begin(), senders.end());
  }
}

void Fabric::exchange() {
  for (std::size_t part = 0; part < parts(); ++part) collect(part);
  for (std::size_t part = 0; part < parts(); ++part) hand_over(part, 0);
}

void Fabric::collect(std::size_t part) {
  if (part < setup_.gpus.size())
    collect_from_gpu(narrow<std::uint16_t>(part));
  else
    collect_from_network();
}

bool Fabric::forwarded(std::uint16_t from, std::uint16_t to) const {
  if (!network_) return false;
  const Graph& graph = topology_->graph;
  const std::uint32_t next = graph.link(topology_->routes.route(from, to).front().link).to;
  return !graph.is_gpu(next) && graph.vertex(next).kind != VertexKind::wire;
}

void Fabric::collect_from_gpu(std::uint16_t gpu) {
  FabricClient& sender = *setup_.gpus[gpu];
  Outbox& outbox = sender.outbox();
  for (const Outbox::Packet& packet : outbox.packets) {
    Request request = packet.request;
    request.source = gpu;
    if (setup_.mirror) {
      const std::uint32_t distance = request.gpu;
      request.source = narrow<std::uint16_t>(setup_.count - distance);
      request.gpu = 0;
      setup_.mirror(request, distance);
    }
    const bool over_network = forwarded(request.source, request.gpu);
    keep_packet(over_network ? network_part() : gpu_part(request.gpu), request, sender.pool(), packet.at);
  }
  // Credits of a GPU's receive buffers go back to the other end of the link.
  for (const Outbox::Credit& credit : outbox.credits)
    keep_credit(forwarded(credit.gpu, gpu) ? network_part() : gpu_part(credit.gpu),
                {credit.at, credit.bytes, credit.gpu, gpu});
  for (const Outbox::Posted& put : outbox.puts) inbox_of(network_part(), put.at).puts.push_back(put);
  for (const Outbox::Posting& sent : outbox.messages)
    inbox_of(sent.message.to, sent.at).messages.push_back(sent);
  outbox.clear();
}

void Fabric::collect_from_network() {
  for (const Outbox::Packet& packet : network_->packets)
    keep_packet(packet.request.gpu, packet.request, &network_->pool(), packet.at);
  for (const Network::Credit& credit : network_->credits) keep_credit(gpu_part(credit.from), credit);
  for (const Cards::Start& start : network_->cards().starts)
    inbox_of(start.put.from, start.at).starts.push_back(start);
  network_->cards().starts.clear();
  network_->packets.clear();
  network_->credits.clear();
}

void Fabric::keep_packet(std::size_t part, const Request& request, PayloadPool* pool, Tick at) {
  Inbox& inbox = inbox_of(part, at);
  inbox.packets.push_back({at, request});
  move_values(inbox.packets.back().request, pool, &in_transit_);
}

void Fabric::keep_credit(std::size_t part, const Network::Credit& credit) {
  inbox_of(part, credit.at).credits.push_back(credit);
}

// For something that the part sees from tick `at` on.
Fabric::Inbox& Fabric::inbox_of(std::size_t part, Tick at) {
  Inbox& inbox = inboxes_[part];
  if (at < inbox.limit)
    throw CheckError(fmt::format("fabric: part {} is sent something for tick {}, and has run up to {}", part,
                                 at, inbox.limit));
  inbox.first = std::min(inbox.first, at);
  return inbox;
}

void Fabric::hand_over(std::size_t part, Tick limit) {
  Inbox& inbox = inboxes_[part];
  inbox.limit = limit;
  if (inbox.first == kNever) return;
  if (part < setup_.gpus.size())
    hand_over_to_gpu(*setup_.gpus[part], inbox);
  else
    hand_over_to_network(inbox);
  inbox.first = kNever;
}

void Fabric::hand_over_to_gpu(FabricClient& gpu, Inbox& inbox) {
  for (const Outbox::Packet& packet : inbox.packets) {
    Request request = packet.request;
    move_values(request, &in_transit_, gpu.pool());
    gpu.deliver(request, packet.at);
  }
  for (const Network::Credit& credit : inbox.credits)  // mirror: of the GPU at its distance from GPU 0
    gpu.credit(setup_.mirror ? narrow<std::uint16_t>(setup_.count - credit.from) : credit.to, credit.bytes,
               credit.at);
  for (const Cards::Start& start : inbox.starts) gpu.put_started(start.put.number, start.tag, start.at);
  for (const Outbox::Posting& sent : inbox.messages) gpu.message(sent.message, sent.at);
  inbox.packets.clear();
  inbox.credits.clear();
  inbox.starts.clear();
  inbox.messages.clear();
}

void Fabric::hand_over_to_network(Inbox& inbox) {
  for (const Outbox::Packet& packet : inbox.packets) {
    Request request = packet.request;
    move_values(request, &in_transit_, &network_->pool());
    network_->deliver(request, packet.at);
  }
  for (const Network::Credit& credit : inbox.credits)
    network_->credit(credit.from, credit.to, credit.bytes, credit.at);
  for (const Outbox::Posted& put : inbox.puts) network_->cards().post(put.put, put.at);
  inbox.packets.clear();
  inbox.credits.clear();
  inbox.puts.clear();
}

void Fabric::visit(std::size_t gpu, StatsSink& sink) const {
  if (network_) network_->visit(gpu, sink);
}

}  // namespace t3sim
