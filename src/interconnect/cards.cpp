#include "interconnect/cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>

#include "base/number.h"

namespace t3sim {
namespace {

// Of links and of what lies between them.
std::uint64_t path_latency_ps(const Graph& graph, const Path& path) {
  std::uint64_t sum = 0;
  for (const std::uint32_t link : path)
    sum += graph.link(link).latency_ps + graph.vertex(graph.link(link).to).latency_ps;
  return path.empty() ? 0 : sum - graph.vertex(graph.link(path.back()).to).latency_ps;
}

// Words from one vertex to another; where there is no way, as long as one back takes.
Tick word_latency(const Graph& graph, const TimeBase& time, std::uint32_t from, std::uint32_t to) {
  PathFinder finder(graph);
  Path path = finder.leg(from, to, 0);
  if (path.empty()) path = finder.leg(to, from, 0);
  return std::max<Tick>(time.from_ps(path_latency_ps(graph, path)), 1);
}

}  // namespace

std::uint32_t first_card(const Topology& topology, std::uint32_t from, std::uint32_t to) {
  const Graph& graph = topology.graph;
  for (const Hop& hop : topology.routes.route(from, to))
    if (const std::uint32_t at = graph.link(hop.link).to; graph.vertex(at).kind == VertexKind::card)
      return at;
  return narrow<std::uint32_t>(graph.vertices().size());
}

std::uint32_t host_of(const Graph& graph, std::uint32_t gpu) {
  PathFinder finder(graph);
  auto nearest = narrow<std::uint32_t>(graph.vertices().size());
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t v = graph.gpus(); v < graph.vertices().size(); ++v) {
    if (graph.vertex(v).kind != VertexKind::memory) continue;
    const Path path = finder.leg(gpu, v, 0);
    if (path.empty() || path_latency_ps(graph, path) >= least) continue;
    least = path_latency_ps(graph, path);
    nearest = v;
  }
  return nearest;
}

std::vector<std::string> put_cards(const TopologyConfig& config, std::uint32_t gpus, std::uint32_t from) {
  if (config.card.puts == CardPuts::none) return {};
  const auto topology = make_topology(config, gpus);
  std::vector<std::string> names(gpus);
  for (std::uint32_t to = 0; to < gpus; ++to)
    if (const std::uint32_t card = first_card(*topology, from, to); card < topology->graph.vertices().size())
      names[to] = topology->graph.vertex(card).name;
  return names;
}

Cards::Cards(const TopologyConfig& config, std::shared_ptr<const Topology> topology, const TimeBase& time,
             Scheduler& scheduler)
    : topology_(std::move(topology)), time_(time), scheduler_(scheduler) {
  add_cards(config);
  if (config.card.puts == CardPuts::none || cards_.empty()) return;
  gpus_.resize(topology_->graph.gpus());
  std::map<std::uint32_t, std::uint32_t> poster_at;  // by vertex
  for (std::uint32_t g = 0; g < gpus_.size(); ++g) {
    const bool by_host = config.card.puts == CardPuts::host;
    const std::uint32_t at = by_host ? host_of(topology_->graph, g) : g;
    const auto [known, is_new] = poster_at.emplace(at, posters_.size());
    if (is_new) add_poster(config.card, at);
    add_gpu(g, known->second);
  }
}

void Cards::add_cards(const TopologyConfig& config) {
  const Graph& graph = topology_->graph;
  for (std::uint32_t v = 0; v < graph.vertices().size(); ++v) {
    if (graph.vertex(v).kind != VertexKind::card) continue;
    vertices_.push_back(v);
    cards_.push_back(std::make_unique<NetworkCard>(graph.vertex(v).name, config.card.queue,
                                                   time_.from_ps(config.card.put_time_ps),
                                                   static_cast<CardClient&>(*this)));
    cards_.back()->attach(scheduler_);
  }
}

void Cards::add_poster(const CardConfig& config, std::uint32_t vertex) {
  const auto number = narrow<std::uint32_t>(posters_.size());
  Poster& poster = posters_.emplace_back();
  poster.name = topology_->graph.vertex(vertex).name;
  poster.vertex = vertex;
  for (const std::uint32_t card : vertices_) {
    poster.to_card.push_back(word_latency(topology_->graph, time_, vertex, card));
    poster.from_card.push_back(word_latency(topology_->graph, time_, card, vertex));
  }
  const bool host = !topology_->graph.is_gpu(vertex);
  const Tick time = std::max<Tick>(host ? time_.from_ps(config.host_time_ps) : 0, 1);
  poster.poster = std::make_unique<PutPoster>(config.queue, time,
                                              [this, number](std::uint32_t card, const Put& put, Tick at) {
                                                cards_[card]->post(put, at + posters_[number].to_card[card]);
                                              });
  poster.poster->attach(scheduler_);
}

// A GPU posts itself. What it does is simulated here, later by the shortest way from it to a card, as nothing
// leaves it in less.
void Cards::add_gpu(std::uint32_t number, std::uint32_t poster_number) {
  OfGpu& gpu = gpus_[number];
  Poster& poster = posters_[poster_number];
  gpu.poster = poster_number;
  for (const std::uint32_t card : vertices_)
    gpu.from_card.push_back(word_latency(topology_->graph, time_, card, number));
  if (poster.vertex != number) {
    gpu.to_poster = word_latency(topology_->graph, time_, number, poster.vertex);
    return;
  }
  gpu.to_poster = *std::ranges::min_element(poster.to_card);
  for (Tick& ticks : poster.to_card) ticks -= gpu.to_poster;
  for (Tick& ticks : poster.from_card) ticks += gpu.to_poster;
}

NetworkCard* Cards::find(std::string_view name) {
  const auto found = std::ranges::find_if(cards_, [&](const auto& card) { return card->name() == name; });
  return found != cards_.end() ? found->get() : nullptr;
}

void Cards::post(Put put, Tick at) {
  const std::uint32_t vertex = first_card(*topology_, put.from, put.to);
  const auto card = narrow<std::uint32_t>(std::ranges::find(vertices_, vertex) - vertices_.begin());
  assert(card < cards_.size());
  OfGpu& gpu = gpus_[put.from];
  put.poster = narrow<std::uint16_t>(gpu.poster);
  posters_[gpu.poster].poster->take(card, put, at + gpu.to_poster);
}

std::uint32_t Cards::number_of(const NetworkCard& card) const {
  const auto same = [&](const auto& c) { return c.get() == &card; };
  return narrow<std::uint32_t>(std::ranges::find_if(cards_, same) - cards_.begin());
}

// The lowest one that is free. As many are under way as places, at most.
std::uint16_t Cards::new_tag(OfGpu& gpu) {
  if (gpu.free_tags.empty()) {
    gpu.flying.emplace_back();
    return narrow<std::uint16_t>(gpu.flying.size());
  }
  const std::uint16_t tag = gpu.free_tags.back();
  gpu.free_tags.pop_back();
  return tag;
}

void Cards::put_started(NetworkCard& card, const Put& put, Tick now) {
  const std::uint32_t number = number_of(card);
  OfGpu& gpu = gpus_[put.from];
  const std::uint16_t tag = new_tag(gpu);
  gpu.flying[tag - 1U] = {&card, put, put.bytes, way_back(put, vertices_[number])};
  starts.push_back({now + gpu.from_card[number], put, tag});
}

// From the GPU that a put goes to, over the links that it has come by.
Tick Cards::way_back(const Put& put, std::uint32_t card_vertex) const {
  const Graph& graph = topology_->graph;
  Path behind;
  bool passed = false;
  for (const Hop& hop : topology_->routes.route(put.from, put.to)) {
    if (passed) behind.push_back(hop.link);
    passed |= graph.link(hop.link).to == card_vertex;
  }
  return std::max<Tick>(time_.from_ps(path_latency_ps(graph, behind)), 1);
}

void Cards::arrived(const Request& packet, Tick at) {
  const std::uint32_t tag = packet.token >> 16;
  OfGpu& gpu = gpus_[packet.source];
  Flying& flying = gpu.flying[tag - 1];
  if (flying.bytes_left < request_bytes(packet))
    throw CheckError(fmt::format("{}: more bytes of a put have come than it has", flying.card->name()));
  flying.bytes_left -= request_bytes(packet);
  if (flying.bytes_left != 0) return;
  gpu.free_tags.push_back(narrow<std::uint16_t>(tag));
  flying.card->acknowledge(flying.put, at + flying.back);
}

void Cards::put_done(NetworkCard& card, const Put& put, Tick now) {
  const std::uint32_t number = number_of(card);
  Poster& poster = posters_[put.poster];
  poster.poster->free_place(number, now + poster.from_card[number]);
  ++done_;
}

bool Cards::idle() const {
  return std::ranges::all_of(cards_, [](const auto& card) { return card->idle(); }) &&
         std::ranges::all_of(posters_, [](const Poster& p) { return p.poster->idle(); });
}

std::uint64_t Cards::moves() const {
  std::uint64_t sum = done_;
  for (const auto& card : cards_) sum += card->stats().puts;
  for (const Poster& p : posters_) sum += p.poster->posted();
  return sum;
}

std::string Cards::describe_waiting() const {
  std::string text;
  for (const auto& card : cards_) text += card->describe_waiting();
  return text;
}

void Cards::report_waits(Waits& waits) const {
  for (const Poster& p : posters_)
    if (!p.poster->idle())
      for (const auto& card : cards_)
        if (!card->idle())
          waits.add("puts of " + p.name, card->name(),
                    fmt::format("places for {} puts", p.poster->waiting()));
  for (const auto& card : cards_) {
    std::size_t waiting = 0, under_way = 0;
    card->for_each_poster([&](std::uint16_t, std::size_t w, std::size_t u) {
      waiting += w;
      under_way += u;
    });
    if (under_way == 0 && waiting != 0)
      waits.dead_end(card->name(), fmt::format("has {} puts, and starts none (a lost wake-up)", waiting));
    for (std::size_t g = 0; g < gpus_.size() && under_way != 0; ++g)
      if (std::ranges::any_of(gpus_[g].flying,
                              [&](const Flying& f) { return f.card == card.get() && f.bytes_left != 0; }))
        waits.add(card->name(), fmt::format("GPU {} dma", g), "the data of puts that it has started");
  }
}

void Cards::report(StatsSink& sink) const {
  for (const auto& card : cards_) {
    if (card->stats().puts == 0) continue;
    Counters out(sink, card->name(), time_);
    card->stats().report(out);
  }
}

}  // namespace t3sim
