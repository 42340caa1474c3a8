// All that forwards packets between GPUs: the switches, cards and hosts of the graph, on a scheduler of their
// own.
//
// A packet follows the route of its two GPUs, link by link. Every link has a buffer for each of its channels at
// its far end, and credits for it at its near end; what waits in a switch keeps its place there until it has
// left over the next link.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "interconnect/cards.h"
#include "interconnect/link_output.h"
#include "interconnect/passage.h"
#include "interconnect/topology.h"
#include "nmc/functional_memory.h"
#include "sim/stats.h"
#include "sim/waiting.h"

namespace t3sim {

class Network final : private OutputClient, private PassageClient {
 public:
  struct Setup {
    TopologyConfig config;
    std::shared_ptr<const Topology> topology;
    // By GPU, of those that are there (one for all with gpus.model: mirror).
    std::vector<std::vector<WayIn>> ways_in;
    UpdatesExpected expected;  // for reduction
    bool functional = false;   // packets carry values
  };
  Network(Setup setup, const TimeBase& time);

  Scheduler& scheduler() { return scheduler_; }
  PayloadPool& pool() { return pool_; }

  // A packet from GPU request.source to GPU request.gpu, at the far end of the first link of their route.
  void deliver(const Request& request, Tick at);
  // A GPU's buffer has room again for `bytes` of what came from GPU `from`.
  void credit(std::uint16_t from, std::uint16_t gpu, std::uint32_t bytes, Tick at);

  // Packets to GPUs, and places that GPUs' packets have left, in the buffers of GPUs' first links. Whoever
  // takes them clears both.
  struct Credit {
    Tick at;
    std::uint32_t bytes;
    std::uint16_t from, to;  // GPUs whose packet it was
  };
  std::vector<Outbox::Packet> packets;
  std::vector<Credit> credits;

  bool idle() const;
  std::string describe_waiting() const;
  // Which link waits for which, by their names ("link plx0>gpu3"), or for a GPU's "link.in".
  void report_waits(Waits& waits) const;
  // `who`, named for the report, waits for credits of a link: for whatever holds what it has brought.
  void report_holders(Waits& waits, const std::string& who, std::uint32_t link,
                      const std::string& what) const;
  // Bytes of packets to a GPU that have come to its last link and not left: at the end of a run, those that
  // were added to others.
  std::uint64_t absorbed_bytes(std::size_t gpu) const;
  // f(gpu, tile, updates missing) for sums in the making, a tile once, in order.
  template <class F>
  void for_each_waiting_tile(F&& f) const {
    if (table_) table_->for_each_waiting_tile(f);
  }
  // Network cards, for puts.
  Cards& cards() { return *cards_; }
  // Grows with everything that moves.
  std::uint64_t moves() const;
  const Graph& graph() const { return setup_.topology->graph; }
  // By vertex; null where packets pass without delay.
  const std::vector<std::unique_ptr<Passage>>& passages() const { return passages_; }
  // By link; null where a GPU is at the near end.
  const std::vector<std::unique_ptr<LinkOutput>>& outputs() const { return outputs_; }
  // Counters of the last link to a GPU; of all that is between switches with the first.
  void visit(std::size_t gpu, StatsSink& sink) const;

 private:
  void sent(std::uint32_t link, const Request& packet, Tick at) override;
  void left(std::uint32_t link, const Request& packet, Tick from) override;
  void passed(std::uint32_t link, const Request& packet, Tick at) override;
  // A packet that `link` brings to its far end, which is not a GPU.
  void enter(std::uint32_t link, const Request& packet, Tick at);
  // ... and is through what is there; `stored`: had to be there as a whole.
  void queue(std::uint32_t link, const Request& packet, Tick at, bool stored);
  // By how much its last byte leaves later than it came: over a slower link, or after it was stored.
  Tick serialisation(std::uint32_t in, std::uint32_t out, const Request& packet, bool stored) const;
  void add_output(std::uint32_t link);
  void add_passage(std::uint32_t vertex);
  OutputSetup setup_of(std::uint32_t link) const;
  std::vector<std::uint32_t> inputs_of(std::uint32_t link) const;
  const Routes& routes() const { return setup_.topology->routes; }
  void visit_passages(StatsSink& sink) const;

  Setup setup_;
  TimeBase time_;
  Scheduler scheduler_;
  PayloadPool pool_;
  std::unique_ptr<ReductionTable> table_;
  std::vector<std::unique_ptr<LinkOutput>> outputs_;  // by link
  std::vector<std::unique_ptr<Passage>> passages_;    // by vertex; null for switches
  std::unique_ptr<Cards> cards_;
  std::vector<Serialiser> wires_;  // by link, for their durations
  std::vector<Tick> latency_;      // by link
  // By link, of its far end: which input it is of each output there, by the output's link.
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> input_number_;
};

}  // namespace t3sim
