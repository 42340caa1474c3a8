// GPUs that do nothing but send and receive, joined by a real fabric: real ports out, real links in, and a
// memory that takes everything at once, or nothing.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "interconnect/egress_ports.h"
#include "interconnect/fabric.h"
#include "interconnect/link_ingress.h"
#include "interconnect/paper_link.h"

namespace t3sim {

class NetGpu final : public FabricClient, private RemoteWriteTarget {
 public:
  struct Arrived {
    Tick at;
    std::uint16_t from;
    std::uint32_t token;
    std::uint32_t chunk;
    unsigned updates;
    bool operator==(const Arrived&) const = default;
  };
  NetGpu(const TopologyConfig& config, std::uint32_t gpus, std::uint16_t rank, bool takes_all)
      : room_(takes_all ? 1U << 30 : 0),
        map_(MemoryConfig{}, 1),
        ports(gpu_ports(config, gpus, rank)),
        out(config.link, ports.out, {paper_time(), scheduler, outbox_}, {[](auto...) {}, [](auto...) {}}),
        in(config.link, ports.in, {paper_time(), scheduler, outbox_}, {map_, {nullptr}, 1}) {
    in.send_writes_to(*this);
    scheduler.add(in);
    for (const auto& port : out.ports()) scheduler.add(*port);
  }

  // Puts a packet into the queue of the port to `gpu`, ready at tick 1 or later.
  void send(std::uint16_t gpu, const Request& request, Tick ready = 1) {
    Request r = request;
    r.gpu = gpu;
    sent_bytes += request_bytes(r);
    out.push_dma(r, ready);
  }

  Outbox& outbox() override { return outbox_; }
  PayloadPool* pool() override { return functional ? &pool_ : nullptr; }
  void credit(std::uint16_t gpu, std::uint32_t bytes, Tick at) override { out.credit(gpu, bytes, at); }
  // What arrives goes to a memory that is not there: as a write, which the target below takes.
  void deliver(const Request& request, Tick at) override {
    Request write = request;
    write.op = Op::write;
    write.tracked = false;
    write.address = 0;
    in.deliver(write, at);
    if (functional && request.payload != kNoPayload) {
      sums.update(request.address, request.sectors, pool_[request.payload]);
      pool_.release(request.payload);
    }
  }
  std::uint64_t live_payloads() const { return pool_.live(); }

 private:
  CreditedInput& write_input(std::uint64_t) override { return room_; }
  void push_write(const Request& r, Tick ready) override {
    arrived.push_back({ready - 1, r.source, r.token, r.tile, r.updates});
  }

  Outbox outbox_;
  CreditedInput room_;
  AddressMap map_;
  PayloadPool pool_;

 public:
  bool functional = false;
  Scheduler scheduler;
  GpuPorts ports;
  EgressPorts out;
  LinkIngress in;
  std::vector<Arrived> arrived;
  FunctionalMemory sums;
  std::uint64_t sent_bytes = 0;
};

class SmallNet {
 public:
  struct Options {
    bool mirror = false;
    bool functional = false;
    std::vector<std::uint16_t> closed = {};  // GPUs that take nothing
    UpdatesExpected updates_expected = {};
  };
  SmallNet(const TopologyConfig& config, std::uint32_t count) : SmallNet(config, count, Options{}) {}
  SmallNet(const TopologyConfig& config, std::uint32_t count, const Options& options) {
    FabricSetup setup;
    setup.topology = config;
    setup.count = count;
    setup.updates_expected = options.updates_expected;
    for (std::uint16_t g = 0; g < (options.mirror ? 1 : count); ++g) {
      const bool closed = std::ranges::find(options.closed, g) != options.closed.end();
      gpus.push_back(std::make_unique<NetGpu>(config, count, g, !closed));
      gpus.back()->functional = options.functional;
      setup.gpus.push_back(gpus.back().get());
      setup.ports.push_back(gpus.back()->ports);
    }
    if (options.mirror)
      setup.mirror = [count](Request& r, std::uint32_t d) { r.tile = (r.tile + count - d) % count; };
    fabric = std::make_unique<Fabric>(std::move(setup), paper_time());
  }

  void run() {
    while (step()) {
    }
  }
  // All a window further; false if there is nothing to do any more.
  bool step() {
    const Tick next = next_event();
    if (next == kNever) return false;
    const Tick limit = next + fabric->window();
    for (auto& gpu : gpus) gpu->scheduler.run_until(limit);
    if (Network* network = fabric->network()) network->scheduler().run_until(limit);
    fabric->exchange();
    return true;
  }
  Tick last_arrival(std::size_t gpu) const {
    return gpus[gpu]->arrived.empty() ? 0 : gpus[gpu]->arrived.back().at;
  }
  std::size_t arrived_from(std::size_t gpu, std::uint16_t from) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(gpus[gpu]->arrived, [&](const auto& a) { return a.from == from; }));
  }
  std::uint64_t sent_bytes() const {
    std::uint64_t sum = 0;
    for (const auto& gpu : gpus) sum += gpu->out.bytes();
    return sum;
  }
  std::uint64_t received_bytes() const {
    std::uint64_t sum = 0;
    for (const auto& gpu : gpus) sum += gpu->in.stats().bytes;
    return sum;
  }

  std::vector<std::unique_ptr<NetGpu>> gpus;
  std::unique_ptr<Fabric> fabric;

 private:
  Tick next_event() {
    Tick next = fabric->network() ? fabric->network()->scheduler().next_event() : kNever;
    for (auto& gpu : gpus) next = std::min(next, gpu->scheduler.next_event());
    return next;
  }
};

}  // namespace t3sim
