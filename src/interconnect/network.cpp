#include "interconnect/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/number.h"

namespace t3sim {
namespace {

bool forwards(const Graph& graph, std::uint32_t vertex) {
  return !graph.is_gpu(vertex) && graph.vertex(vertex).kind != VertexKind::wire;
}

std::string reported(const Graph& graph, std::uint32_t vertex) {
  return graph.is_gpu(vertex) ? fmt::format("GPU {}", vertex) : graph.vertex(vertex).name;
}

}  // namespace

Network::Network(Setup setup, const TimeBase& time) : setup_(std::move(setup)), time_(time) {
  const TopologyConfig& config = setup_.config;
  if (config.switched.reduction == SwitchReduction::in_switch)
    table_ = std::make_unique<ReductionTable>(config.switched.table_lines, std::move(setup_.expected),
                                              setup_.functional ? &pool_ : nullptr);
  for (const GraphLink& link : graph().links()) {
    latency_.push_back(std::max<Tick>(time.from_ps(link.latency_ps), 1));
    wires_.emplace_back(link.bandwidth_Bps, time.ticks_per_second());
  }
  outputs_.resize(graph().links().size());
  passages_.resize(graph().vertices().size());
  input_number_.resize(graph().links().size());
  cards_ = std::make_unique<Cards>(config, setup_.topology, time, scheduler_);
  for (std::uint32_t v = graph().gpus(); v < graph().vertices().size(); ++v) add_passage(v);
  for (std::uint32_t l = 0; l < graph().links().size(); ++l) add_output(l);
}

void Network::add_passage(std::uint32_t vertex) {
  const Vertex& v = graph().vertex(vertex);
  if (v.kind == VertexKind::wire || (v.rate_Bps == 0 && v.latency_ps == 0)) return;
  passages_[vertex] = std::make_unique<Passage>(
      PassageSetup{v.name, graph().in(vertex), v.rate_Bps, time_.from_ps(v.latency_ps) + 1}, time_,
      static_cast<PassageClient&>(*this));
  passages_[vertex]->attach(scheduler_);
}

void Network::add_output(std::uint32_t link) {
  const GraphLink& l = graph().link(link);
  const bool absent = graph().is_gpu(l.to) && l.to >= setup_.ways_in.size();
  if (!forwards(graph(), l.from) || absent) return;
  const bool reduces = table_ && graph().is_gpu(l.to);
  outputs_[link] = std::make_unique<LinkOutput>(setup_of(link), time_, static_cast<OutputClient&>(*this),
                                                reduces ? table_.get() : nullptr);
  outputs_[link]->attach(scheduler_);
  const auto inputs = inputs_of(link);
  for (std::uint32_t i = 0; i < inputs.size(); ++i) input_number_[inputs[i]].emplace_back(link, i);
}

// The links into the vertex, by distance of where they come from, so that turns are alike for all.
std::vector<std::uint32_t> Network::inputs_of(std::uint32_t link) const {
  const GraphLink& l = graph().link(link);
  std::vector<std::uint32_t> inputs = graph().in(l.from);
  const auto vertices = narrow<std::uint32_t>(graph().vertices().size());
  std::ranges::stable_sort(
      inputs, {}, [&](std::uint32_t in) { return (graph().link(in).from + vertices - l.to) % vertices; });
  return inputs;
}

// A GPU's own bandwidth holds for its last links too.
OutputSetup Network::setup_of(std::uint32_t link) const {
  const GraphLink& l = graph().link(link);
  OutputSetup setup{reported(graph(), l.from),
                    reported(graph(), l.to),
                    l.bandwidth_Bps,
                    latency_[link],
                    l.buffer_bytes,
                    graph().channels(link),
                    0,
                    link,
                    PacketOverhead(setup_.config.link, l.header_bytes)};
  setup.inputs = narrow<std::uint32_t>(graph().in(l.from).size());
  if (!graph().is_gpu(l.to)) return setup;
  const auto way = std::ranges::find_if(setup_.ways_in[l.to],
                                        [&](const WayIn& w) { return w.from_switch && w.link == link; });
  assert(way != setup_.ways_in[l.to].end());
  setup.bandwidth_Bps = way->bandwidth_Bps;
  setup.buffer_bytes = way->buffer_bytes;
  return setup;
}

void Network::deliver(const Request& request, Tick at) {
  enter(routes().route(request.source, request.gpu).front().link, request, at);
}

void Network::enter(std::uint32_t link, const Request& packet, Tick at) {
  if (Passage* passage = passages_[graph().link(link).to].get())
    passage->deliver(link, packet, at);
  else
    queue(link, packet, at, false);
}

void Network::passed(std::uint32_t link, const Request& packet, Tick at) { queue(link, packet, at, true); }

Tick Network::serialisation(std::uint32_t in, std::uint32_t out, const Request& packet, bool stored) const {
  if (!is_network(setup_.config.kind)) return 0;  // the paper's switch takes all GPUs' ports as alike
  const std::uint64_t bytes = request_bytes(packet);
  const Tick leaves = wires_[out].duration(bytes + graph().link(out).header_bytes);
  const Tick came = stored ? 0 : wires_[in].duration(bytes + graph().link(in).header_bytes);
  return leaves - std::min(leaves, came);
}

void Network::queue(std::uint32_t link, const Request& packet, Tick at, bool stored) {
  const std::size_t place = routes().place(packet.source, packet.gpu, link);
  const Hop next = routes().route(packet.source, packet.gpu)[place + 1];
  const auto input = std::ranges::find(input_number_[link], next.link, [](const auto& i) { return i.first; });
  outputs_[next.link]->deliver(input->second, next.channel, packet,
                               at + serialisation(link, next.link, packet, stored));
}

void Network::sent(std::uint32_t link, const Request& packet, Tick at) {
  if (!graph().is_gpu(graph().link(link).to)) return enter(link, packet, at);
  if (packet.put) cards_->arrived(packet, at);
  packets.push_back({at, packet});
}

// Credits go back over the link that the packet had come over, with its latency.
void Network::left(std::uint32_t link, const Request& packet, Tick from) {
  const auto route = routes().route(packet.source, packet.gpu);
  const Hop before = route[routes().place(packet.source, packet.gpu, link) - 1];
  const Tick at = from + latency_[before.link];
  if (LinkOutput* output = outputs_[before.link].get())
    output->credit(before.channel, request_bytes(packet), at);
  else
    credits.push_back({at, request_bytes(packet), packet.source, packet.gpu});
}

void Network::credit(std::uint16_t from, std::uint16_t gpu, std::uint32_t bytes, Tick at) {
  const Hop last = routes().route(from, gpu).back();
  outputs_[last.link]->credit(last.channel, bytes, at);
}

bool Network::idle() const {
  return std::ranges::all_of(outputs_, [](const auto& output) { return !output || output->idle(); }) &&
         std::ranges::all_of(passages_, [](const auto& passage) { return !passage || passage->idle(); }) &&
         cards_->idle() && (!table_ || table_->empty());
}

std::uint64_t Network::moves() const {
  std::uint64_t sum = 0;
  for (const auto& output : outputs_)
    if (output) sum += output->stats().packets + output->stats().received_bytes;
  for (const auto& passage : passages_)
    if (passage) sum += passage->packets();
  return sum + cards_->moves();
}

std::uint64_t Network::absorbed_bytes(std::size_t gpu) const {
  std::uint64_t sum = 0;
  for (const auto& output : outputs_)
    if (output && graph().link(output->link()).to == gpu)
      sum += output->stats().received_bytes - output->stats().bytes;
  return sum;
}

std::string Network::describe_waiting() const {
  std::string text;
  for (const auto& output : outputs_)
    if (output) text += output->describe_waiting();
  text += cards_->describe_waiting();
  if (table_) text += table_->describe_waiting();
  return text;
}

}  // namespace t3sim
