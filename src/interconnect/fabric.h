// What lies between the GPUs: carries packets and credits from where they leave to where they go, and owns
// the network of what forwards them, if there is one.
//
// GPUs and network are the parts of a run (sim/pacer.h): what one sends, another sees no sooner than a window later,
// the shortest latency between any two of them. What a part has sent is collected after it has run, kept, and handed over
// before its receiver runs: in step, from all to all, or part by part.
//
// Mirror: GPU 0 stands for all GPUs, each of which does what GPU 0 does, some chunks further on. What it
// sends to GPU d about chunk c is therefore what GPU (gpus - d) sends to it about chunk c - d.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "interconnect/network.h"
#include "interconnect/outbox.h"
#include "interconnect/topology.h"
#include "nmc/functional_memory.h"

namespace t3sim {

// A GPU, seen from outside.
class FabricClient {
 public:
  virtual ~FabricClient() = default;
  virtual Outbox& outbox() = 0;
  // A packet from GPU request.source.
  virtual void deliver(const Request& request, Tick at) = 0;
  // `bytes` of the buffer for packets to `gpu` are free again from tick `at` on.
  virtual void credit(std::uint16_t gpu, std::uint32_t bytes, Tick at) = 0;
  // A network card has started the GPU's put of that number: its data is to be read and sent from tick `at` on, in
  // packets with this tag.
  virtual void put_started(std::uint32_t /*number*/, std::uint16_t /*tag*/, Tick /*at*/) {}
  virtual void message(const Message& /*message*/, Tick /*at*/) {}
  // Values of packets in functional mode, else null.
  virtual PayloadPool* pool() = 0;
};

struct FabricSetup {
  TopologyConfig topology;
  std::vector<GpuPorts> ports;      // by GPU; with mirror, of GPU 0
  std::vector<FabricClient*> gpus;  // the same
  std::uint32_t count = 0;          // of GPUs that there are
  // Mirror: turns a request about chunk c into the same about chunk c - d (modulo count, within groups of
  // `count` chunks): its workgroup and address. Empty: all GPUs are there.
  std::function<void(Request&, std::uint32_t d)> mirror;
  UpdatesExpected updates_expected;  // for in-switch reduction
};

class Fabric {
 public:
  Fabric(FabricSetup setup, const TimeBase& time);

  // How long parts can run without seeing what the others do meanwhile.
  Tick window() const { return window_; }
  // Parts: GPUs by number, then the network, if there is one.
  std::size_t parts() const { return setup_.gpus.size() + (network_ ? 1 : 0); }
  // The parts that can send packets or credits to this one. Messages come from anywhere.
  const std::vector<std::size_t>& senders(std::size_t part) const { return senders_[part]; }
  // Takes what the part has sent.
  void collect(std::size_t part);
  // Tick from which on the part sees something that it has not been handed over; kNever if there is nothing.
  Tick waiting(std::size_t part) const { return inboxes_[part].first; }
  // The part runs up to `limit` next, and nothing is sent to it any more that it sees before: gives it what has been collected.
  void hand_over(std::size_t part, Tick limit);
  // Carries over all that has been sent, where all parts have run through the same window.
  void exchange();

  bool idle() const { return !network_ || network_->idle(); }
  // Bytes that were sent to a GPU and not received, as they were added to others on the way.
  std::uint64_t absorbed_bytes(std::size_t gpu) const { return network_ ? network_->absorbed_bytes(gpu) : 0; }
  std::string describe_waiting() const { return network_ ? network_->describe_waiting() : ""; }
  // Null where nothing forwards.
  const Network* network() const { return network_.get(); }
  Network* network() { return network_.get(); }
  const Topology& topology() const { return *topology_; }
  // Links have names of their own in reports (is_network() in topology.h).
  bool named_links() const { return is_network(setup_.topology.kind); }
  // The network, if so; else null.
  const Network* named_network() const { return named_links() ? network_.get() : nullptr; }
  // Grows with everything that moves.
  std::uint64_t moves() const { return network_ ? network_->moves() : 0; }
  // Counters of what lies before a GPU.
  void visit(std::size_t gpu, StatsSink& sink) const;

 private:
  // What has been collected for a part. Values of packets are in in_transit_ meanwhile.
  struct Inbox {
    std::vector<Outbox::Packet> packets;
    std::vector<Network::Credit> credits;
    std::vector<Cards::Start> starts;
    std::vector<Outbox::Posted> puts;
    std::vector<Outbox::Posting> messages;
    Tick first = kNever;
    Tick limit = 0;  // up to which the part has run, or runs
  };

  void find_senders();
  void collect_from_gpu(std::uint16_t gpu);
  void collect_from_network();
  void keep_packet(std::size_t part, const Request& request, PayloadPool* pool, Tick at);
  void keep_credit(std::size_t part, const Network::Credit& credit);
  Inbox& inbox_of(std::size_t part, Tick at);
  void hand_over_to_gpu(FabricClient& gpu, Inbox& inbox);
  void hand_over_to_network(Inbox& inbox);
  std::size_t network_part() const { return setup_.gpus.size(); }
  // Mirror: what goes to any GPU is GPU 0's.
  std::size_t gpu_part(std::uint16_t gpu) const { return setup_.mirror ? 0 : gpu; }
  // Does what GPU `from` sends to GPU `to` pass a switch?
  bool forwarded(std::uint16_t from, std::uint16_t to) const;

  FabricSetup setup_;
  TimeBase time_;
  Tick window_ = kNever;
  std::shared_ptr<const Topology> topology_;
  std::unique_ptr<Network> network_;
  std::vector<std::vector<std::size_t>> senders_;  // by part
  std::vector<Inbox> inboxes_;                     // by part
  PayloadPool in_transit_;
};

}  // namespace t3sim
