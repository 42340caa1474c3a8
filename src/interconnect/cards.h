// The network cards of a graph, and the puts of a run from the GPU that wants one to its acknowledgement:
//
//   GPU --> card                                         card.puts: gpu
//   GPU --> host, `card.host_time` a put --> card        card.puts: host
//   card --> GPU: its copy engine reads the data, whose packets take their route, through the card
//   the last one at the GPU that it goes to --> card: acknowledged --> who has posted it: a place is free
//
// Each arrow takes the latency of the links and vertices that it passes; these words are few, and take no
// bandwidth. Order and rate are the card's (network_card.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interconnect/put_poster.h"
#include "interconnect/topology.h"
#include "sim/request.h"
#include "sim/waiting.h"

namespace t3sim {

class Cards final : private CardClient {
 public:
  Cards(const TopologyConfig& config, std::shared_ptr<const Topology> topology, const TimeBase& time,
        Scheduler& scheduler);

  // The card of that name; null if there is none.
  NetworkCard* find(std::string_view name);
  // GPU put.from wants this put from tick `at` on, with a number of its own. Only if topology.card.puts says so.
  void post(Put put, Tick at);
  // A packet that says it is of a put has come to its GPU.
  void arrived(const Request& packet, Tick at);

  // Puts whose data GPU put.from is to read and send from tick `at` on, in packets with this tag (never 0).
  // Whoever takes them clears them.
  struct Start {
    Tick at;
    Put put;
    std::uint16_t tag;
  };
  std::vector<Start> starts;

  bool idle() const;
  std::string describe_waiting() const;
  // Grows with everything that moves.
  std::uint64_t moves() const;
  void report_waits(Waits& waits) const;
  void report(StatsSink& sink) const;

 private:
  // A put under way: from its start to its last byte.
  struct Flying {
    NetworkCard* card = nullptr;
    Put put;
    std::uint64_t bytes_left = 0;
    Tick back = 0;  // that its acknowledgement takes
  };
  struct OfGpu {
    std::vector<Flying> flying;  // by tag - 1
    std::vector<std::uint16_t> free_tags;
    std::uint32_t poster = 0;
    Tick to_poster = 0;
    std::vector<Tick> from_card;  // by card
  };
  struct Poster {
    std::unique_ptr<PutPoster> poster;
    std::string name;
    std::uint32_t vertex = 0;
    std::vector<Tick> to_card, from_card;  // by card
  };

  void put_started(NetworkCard& card, const Put& put, Tick now) override;
  void put_done(NetworkCard& card, const Put& put, Tick now) override;
  void add_cards(const TopologyConfig& config);
  void add_poster(const CardConfig& config, std::uint32_t vertex);
  void add_gpu(std::uint32_t number, std::uint32_t poster_number);
  std::uint16_t new_tag(OfGpu& gpu);
  std::uint32_t number_of(const NetworkCard& card) const;
  Tick way_back(const Put& put, std::uint32_t card_vertex) const;

  std::shared_ptr<const Topology> topology_;
  TimeBase time_;
  Scheduler& scheduler_;
  std::vector<std::unique_ptr<NetworkCard>> cards_;
  std::vector<std::uint32_t> vertices_;  // by card
  std::vector<OfGpu> gpus_;              // empty: no puts
  std::vector<Poster> posters_;
  std::uint64_t done_ = 0;
};

// The card that the way from one GPU to another passes first; a vertex, or vertices().size() if there is none.
std::uint32_t first_card(const Topology& topology, std::uint32_t from, std::uint32_t to);
// The memory of a host that is nearest to a GPU; vertices().size() if none can be reached.
std::uint32_t host_of(const Graph& graph, std::uint32_t gpu);
// By GPU: the card whose puts carry what GPU `from` sends there by DMA; "" for none. Empty without puts.
std::vector<std::string> put_cards(const TopologyConfig& config, std::uint32_t gpus, std::uint32_t from);

}  // namespace t3sim
