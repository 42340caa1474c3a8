// One compute unit in front of two L2 slices and one memory channel each, all at a period of one tick, with
// kernels written down group by group.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/compute_unit.h"

namespace t3sim::test {

// A kernel that is a list of groups for each workgroup, and remembers when each group was asked for.
class ListedKernel final : public KernelSource, public StoreRouter {
 public:
  struct Asked {
    std::uint32_t workgroup;
    Tick at;
  };

  ListedKernel(const Scheduler& scheduler, std::vector<std::vector<Group>> workgroups, unsigned buffers = 1)
      : scheduler_(scheduler), workgroups_(std::move(workgroups)), buffers_(buffers) {}

  std::uint32_t workgroups() const override { return static_cast<std::uint32_t>(workgroups_.size()); }
  std::uint32_t tile(std::uint32_t i) const override { return i; }
  unsigned buffers() const override { return buffers_; }
  std::unique_ptr<WorkgroupProgram> program(std::uint32_t i, std::unique_ptr<WorkgroupProgram>) override {
    return std::make_unique<Program>(*this, i);
  }
  StoreRoute route(std::uint32_t, std::uint32_t) const override { return to; }
  KernelTraits traits() const override {
    KernelTraits traits;
    traits.buffers = buffers_;
    traits.timing = timing;
    traits.epilogue = epilogue;
    return traits;
  }

  // When each workgroup began, by workgroup.
  std::map<std::uint32_t, Tick> begun() const {
    std::map<std::uint32_t, Tick> first;
    for (const Asked& a : asked) first.emplace(a.workgroup, a.at);
    return first;
  }

  StoreRoute to;
  Timing timing = Timing::none;
  std::uint32_t epilogue = 0;
  std::vector<Asked> asked;  // the last call of a workgroup finds nothing: everything before is done then

 private:
  class Program final : public WorkgroupProgram {
   public:
    Program(ListedKernel& kernel, std::uint32_t index) : kernel_(kernel), index_(index) {}
    bool next(Group& group) override {
      kernel_.asked.push_back({index_, kernel_.scheduler_.now()});
      const std::vector<Group>& groups = kernel_.workgroups_[index_];
      if (next_ == groups.size()) return false;
      group = groups[next_++];
      return true;
    }

   private:
    ListedKernel& kernel_;
    std::uint32_t index_;
    std::size_t next_ = 0;
  };

  const Scheduler& scheduler_;
  std::vector<std::vector<Group>> workgroups_;
  unsigned buffers_;
};

// The link's end of a CU: takes stores while it has places.
class FakeLink final : public RemotePort, public Component {
 public:
  struct Arrived {
    Request request;
    Tick ready;
  };
  explicit FakeLink(std::size_t places) : places_(places) {}
  CreditedInput& store_input(std::uint16_t) override { return places_; }
  std::string lane_name(std::uint16_t) const override { return "link.out"; }
  void push_store(const Request& request, Tick ready) override { arrived.push_back({request, ready}); }
  void wake(Tick now) override {
    places_.release(now);
    if (scheduler_ && arrived.size() > seen_) scheduler_->wake(*this, now + period_);
    seen_ = arrived.size();
  }
  // A place is free again every `period` ticks, until nobody has taken the last one.
  void opens_every(Scheduler& scheduler, Tick period) {
    scheduler_ = &scheduler;
    period_ = period;
    scheduler.wake(*this, period);
  }

  std::vector<Arrived> arrived;

 private:
  CreditedInput places_;
  Scheduler* scheduler_ = nullptr;
  Tick period_ = 0;
  std::size_t seen_ = 0;
};

inline Run run_of(std::uint64_t address, std::uint32_t bytes) {
  Run run;
  run.address = address;
  run.bytes = bytes;
  return run;
}
inline Group loads(std::vector<Run> runs) {
  Group group;
  group.tile = 0;
  group.loads = std::move(runs);
  return group;
}
inline Group computes(std::uint64_t cycles) {
  Group group;
  group.tile = 0;
  group.matrix_flops = group.useful_flops = cycles * 1000;  // 1000 a cycle
  return group;
}
inline Group stores(std::vector<Run> runs) {
  Group group;
  group.tile = 0;
  group.stores = std::move(runs);
  return group;
}

class OneCu : public ChannelClient, public StoreListener {
 public:
  static GpuConfig small_gpu() {
    GpuConfig config;
    config.cus = 1;
    config.matrix_flops_per_cycle = 1000;
    config.matrix_issue_efficiency = 1.0;
    config.l1_latency_cycles = 28;
    config.noc_latency_cycles = 20;
    config.noc_bytes_per_cycle = 32;
    config.loads_in_flight = 256;
    return config;
  }
  static L2Config small_l2() {
    L2Config config;
    config.size_bytes = 2048 * kLineBytes;
    config.slices = 2;
    config.ways = 16;
    config.latency_cycles = 120;
    return config;
  }

  explicit OneCu(const GpuConfig& gpu_config = small_gpu(), const L2Config& l2_config = small_l2(),
                 std::size_t link_places = 4)
      : gpu(gpu_config), l2(l2_config), memory(two_channels()), map(memory, 1), link(link_places) {
    for (unsigned c = 0; c < 2; ++c) {
      channels.push_back(
          std::make_unique<Channel>(memory, c, ChannelWiring{Clock(1), scheduler, *this, map, 1}));
      slices.push_back(std::make_unique<L2Slice>(
          l2, static_cast<std::uint16_t>(c), 1,
          SliceWiring{Clock(1), scheduler, *channels[c], 0, sinks, *this, nullptr}));
    }
    CuWiring wiring;
    wiring.scheduler = &scheduler;
    wiring.map = &map;
    reached = {slices[0].get(), slices[1].get()};
    wiring.slices = reached;
    wiring.remote = &link;
    cu = std::make_unique<ComputeUnit>(gpu, 0, Clock(1), wiring, 16 * 1024);
    sinks.push_back(cu.get());
    for (auto& channel : channels) scheduler.add(*channel);
    for (auto& slice : slices) scheduler.add(*slice);
    scheduler.add(*cu);
    scheduler.add(link);
  }

  // Runs the kernel from tick 0 until nothing moves.
  void run(ListedKernel& listed, unsigned workgroups_per_cu = 1, bool uses_l1 = false,
           Arrivals* arrivals = nullptr) {
    KernelRun::Setup setup;
    setup.source = &listed;
    setup.router = &listed;
    setup.workgroups_per_cu = workgroups_per_cu;
    setup.arrivals = arrivals;
    setup.uses_l1 = uses_l1;
    setup.time = &time;
    kernel = std::make_unique<KernelRun>(setup);
    cu->run(*kernel, 0);
    scheduler.run();
  }
  // An address whose line lies in the given slice: the n-th such line.
  std::uint64_t address_in(unsigned slice, unsigned n) const {
    for (std::uint64_t address = 0;; address += kLineBytes)
      if (map.channel(address) == slice && n-- == 0) return address;
  }

  bool may_enqueue(const Request&) override { return true; }
  void enqueued(const Request& r, Tick now) override { entered.push_back({r, now}); }
  void performed(Request&, Tick) override {}
  void read_done(const Request& r, Tick at) override { slices[r.source]->read_done(r, at); }
  void port_free(unsigned channel, unsigned, Tick now) override { slices[channel]->channel_free(now); }

  struct Recorded {
    Request request;
    Tick at;
  };

  const TimeBase time{std::array<std::uint64_t, 1>{1'000'000'000}};  // a tick is a nanosecond
  GpuConfig gpu;
  L2Config l2;
  MemoryConfig memory;
  Scheduler scheduler;
  AddressMap map;
  std::vector<std::unique_ptr<Channel>> channels;
  std::vector<ReplySink*> sinks;
  std::vector<std::unique_ptr<L2Slice>> slices;
  std::vector<L2Slice*> reached;
  FakeLink link;
  std::unique_ptr<ComputeUnit> cu;
  std::unique_ptr<KernelRun> kernel;
  Tick acknowledged_after = 0;
  std::vector<Recorded> accepted, entered;  // stores at L2, requests at DRAM

 private:
  static MemoryConfig two_channels() {
    MemoryConfig config;
    config.channels = 2;
    return config;
  }
  void store_accepted(const Request& r, Tick now) override {
    accepted.push_back({r, now});
    kernel->store_accepted(now, r.remote);
    if (gpu.store_acknowledgement) cu->store_acknowledged(r, now + acknowledged_after);
  }
};

inline GpuConfig with_crossbar() {
  GpuConfig config = OneCu::small_gpu();
  config.network = OnChipNetwork::sectors;
  return config;
}

}  // namespace t3sim::test
