// One GPU for the length of one phase (Figure 8): CUs, L2 slices, memory controllers, DMA engine and the two
// ends of its links, wired together, and the kernels and collectives that run on them (machine/running.h).
// Statistics, time line and stuck-report are beside it and read it.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "dma/copy_engine.h"
#include "dma/dma_engine.h"
#include "gpu/arrival_delay.h"
#include "gpu/compute_unit.h"
#include "gpu/kernel_queue.h"
#include "interconnect/egress_ports.h"
#include "interconnect/fabric.h"
#include "interconnect/link_ingress.h"
#include "machine/dram_bytes.h"
#include "machine/gpu_spec.h"
#include "machine/running.h"
#include "memctrl/channel.h"

namespace t3sim {

// Bytes of dirty lines, by the traffic that wrote them.
using TrafficBytes = std::array<std::uint64_t, kTraffics>;
TrafficBytes bytes_of(const std::vector<DirtyLines>& slices);

// What functional mode keeps of a GPU from phase to phase, and what its GEMM produces.
struct FunctionalGpu {
  FunctionalMemory memory;
  std::unique_ptr<ElementValues> produced;
  // Programs: memory is what loads see, L2 and DRAM together. A store changes it where it is accepted; payloads go no
  // further. Otherwise it is DRAM, and the L2 has values of its own.
  bool above_l2 = false;
};

// As Figure 8 draws them. L2 slices are numbered channel by channel. Where there is a memory-side cache, `slices` are that
// cache's, and the L2's are in `dies`, as many for each die, die by die.
struct GpuParts {
  std::vector<std::unique_ptr<Channel>> channels;
  std::vector<std::unique_ptr<L2Slice>> slices, dies;
  std::vector<std::unique_ptr<ComputeUnit>> cus;
  std::unique_ptr<EgressPorts> egress;
  std::unique_ptr<LinkIngress> ingress;
  std::unique_ptr<DmaEngine> dma;
  std::unique_ptr<CopyEngine> copies;

  // That CUs reach.
  const std::vector<std::unique_ptr<L2Slice>>& l2() const { return dies.empty() ? slices : dies; }
  bool caches_idle() const {
    const auto idle = [](const auto& slice) { return slice->idle(); };
    return std::ranges::all_of(slices, idle) && std::ranges::all_of(dies, idle);
  }
};

// Who runs a program on a GPU (runtime/): told what ends and arrives there.
class GpuListener {
 public:
  virtual ~GpuListener() = default;
  virtual void kernel_ended(RunningKernel& kernel, Tick now) = 0;
  // A packet of another GPU is at this end of the link. May mark it.
  virtual void delivered(Request& request) = 0;
  // A store is where later reads see it: one of another GPU, or a marked one (runtime/mark.h) of a CU.
  virtual void stored(const Request& request, Tick now) = 0;
  virtual void message(const Message& message, Tick at) = 0;
  // The last packet of a copy has left.
  virtual void copy_sent(std::uint32_t mark, Tick now) = 0;
  // Its network card starts a put: its data may be read and sent from tick `at` on.
  virtual void put_started(std::uint32_t number, std::uint16_t tag, Tick at) = 0;
  virtual bool done() const = 0;
  // Something will happen by itself at `now` or later, however long that is.
  virtual bool goes_on(Tick now) const = 0;
};

class Gpu : public FabricClient,
            private ChannelClient,
            private StoreListener,
            private RemoteWriteTarget,
            private PutPort,
            private DmaObserver {
 public:
  // `functional` is null outside functional mode and must outlive the GPU.
  Gpu(const GpuSpec& spec, const TimeBase& time, FunctionalGpu* functional);

  // Before the phase runs.
  RunningKernel& launch(KernelLaunch kernel);
  void program(CollectiveProgram collective);
  // From before the first event on, kernels are launched and end while time goes on. `listener` outlives the GPU.
  // Further parts take part in the GPU's time: only before its first event.
  void run_program(GpuListener& listener) { listener_ = &listener; }
  void add_part(Component& part) { scheduler_.add(part); }
  // Programs. Nothing runs, and nothing of what has run is on its way through the L2.
  bool quiet() const;
  // Writes back what is dirty and empties the L2. Only when quiet.
  void flush_l2(Tick now);
  // What kernels of other GPUs store here counts as this traffic.
  void count_remote_stores_as(Traffic traffic) { remote_stores_ = traffic; }
  // KernelBoundary::flush. Dirty lines, by L2 slice, that the kernel before has left are written back while
  // this phase runs; and what it leaves is not written back, but is for the next.
  void start_with(const std::vector<DirtyLines>& lines);
  void leave_dirty() { leaves_dirty_ = true; }
  // KernelBoundary::keep. The contents of the L2.
  void set_l2(std::vector<L2Contents> contents);

  Scheduler& scheduler() { return scheduler_; }
  Outbox& outbox() override { return outbox_; }
  PayloadPool* pool() override { return functional_ ? &pool_ : nullptr; }
  const FunctionalMemory* values() const { return functional_ ? &functional_->memory : nullptr; }
  void deliver(const Request& request, Tick at) override;
  void credit(std::uint16_t gpu, std::uint32_t bytes, Tick at) override {
    parts_.egress->credit(gpu, bytes, at);
  }
  void message(const Message& message, Tick at) override { listener_->message(message, at); }
  // Programs: the card is asked for a put, which the listener hears of when it starts.
  void put(std::uint32_t number, std::uint16_t gpu, std::uint64_t bytes, Tick at) {
    post(number, gpu, bytes, at);
  }
  void put_started(std::uint32_t number, std::uint16_t tag, Tick at) override {
    if (listener_) return listener_->put_started(number, tag, at);
    parts_.dma->put_started(number, tag, at);
  }

  // All work of the phase is done and nothing is on its way.
  bool complete() const;
  // Share of the phase's work that is done, 0 to 1.
  double progress() const;
  // Tick of the last thing that happened, the L2's writing back left out: no kernel waits for it.
  Tick end() const { return end_; }
  // Tick from which nothing moves any more.
  Tick drained() const { return std::max(end_, written_back_); }
  // Closes the accounts at the end of the phase.
  void finish();
  std::vector<DirtyLines> dirty_lines() const;
  std::vector<L2Contents> take_l2();

  // Grows with everything that moves or is done.
  std::uint64_t moves() const;
  // Some CU computes: it will go on by itself.
  bool computes(Tick now) const;
  // What the phase has caused: with what it leaves dirty, without what the kernel before it has left.
  DramBytes dram_bytes() const;
  std::uint64_t link_bytes() const { return parts_.egress->bytes(); }
  std::uint64_t received_bytes() const { return parts_.ingress->stats().bytes; }

  // For those who read it.
  const GpuSpec& spec() const { return spec_; }
  const TimeBase& time() const { return time_; }
  const Clock& core() const { return core_; }
  const GpuParts& parts() const { return parts_; }
  const Scheduler& scheduler() const { return scheduler_; }
  const PayloadPool& payloads() const { return pool_; }
  const DmaAccount& dma_account() const { return dma_account_; }
  // In order of launch.
  const std::vector<std::unique_ptr<RunningKernel>>& kernels() const { return kernels_; }
  const RunningCollective* collective() const { return collective_.get(); }
  // The L2 slice that an address is in.
  L2Slice& slice_of(std::uint64_t address) { return *parts_.slices[map_.slice_of_gpu(address)]; }
  // From the start of the phase to the kernel's end.
  Tick time_of(const RunningKernel& kernel) const { return kernel.launch.alone ? end_ : kernel.ended_at; }
  // Dirty, to the next phase.
  TrafficBytes left() const { return leaves_dirty_ ? bytes_of(dirty_lines()) : TrafficBytes{}; }
  // By port, at the end of the phase.
  const std::vector<LinkTime>& links() const { return links_; }

 private:
  friend struct PlantedFault;  // tests/machine/deadlock_test.cpp: breaks parts

  void build_memory();
  void build_links();
  void build_dma();
  void build_cus();
  std::optional<ClockBesideLinks> make_clock_beside_links();
  void build_copies();
  void build_dies();
  // Of the L2, that a CU reaches, by home: and whether that is beyond them.
  struct Reach {
    std::vector<L2Slice*> slices;
    std::vector<bool> far;  // empty: none is
  };
  void find_reach();
  std::size_t reach_of(std::size_t cu) const;
  Reach reach_from_partition(std::size_t partition) const;
  Reach reach_from_die(std::size_t die) const;
  void connect_partitions();
  void connect_dies();
  void rank_parts();
  std::vector<Channel*> channels() const;
  Tick series_interval() const { return time_.from_ps(spec_.series_interval_ps); }

  void program_chunk(const ChunkPlan& chunk, std::uint32_t first_tile, std::uint32_t tiles);
  void start_present_chunks();
  void wavefront_tile_complete(std::uint32_t tile, std::uint32_t wavefront, Tick at);
  bool kernels_ended() const { return kernels_left_ == 0; }
  KernelRun::Setup setup_of(const KernelLaunch& launch, std::size_t cus, Tick at);
  void follow(RunningKernel& kernel);
  void kernel_ended(RunningKernel& kernel, Tick now);
  void end_of_kernel_traffic(Tick now);
  // Outside programs every CU runs the same kernel: the one that was launched last.
  KernelRun& kernel_of(const Request& store) {
    return listener_ ? parts_.cus[store.source]->kernel_of(store) : *kernels_.back()->run;
  }
  void happened(Tick at) { end_ = at > end_ ? at : end_; }

  bool may_enqueue(const Request& request) override;
  void enqueued(const Request& request, Tick now) override;
  void performed(Request& request, Tick now) override;
  void perform_values(Request& request);
  void land(const Request& store);
  bool lands_above_l2() const { return functional_ && functional_->above_l2; }
  void read_done(const Request& request, Tick at) override;
  void port_free(unsigned channel, unsigned port, Tick now) override;
  void store_accepted(const Request& request, Tick now) override;
  void acknowledge(const Request& store, Tick from);
  CreditedInput& write_input(std::uint64_t address) override { return slice_of(address).input(); }
  void push_write(const Request& request, Tick ready) override;
  void arrived(const Request& request, Tick now);
  std::string_view card_to(std::uint16_t gpu) const override { return spec_.put_cards[gpu]; }
  void post(std::uint32_t number, std::uint16_t gpu, std::uint64_t bytes, Tick at) override;

  void state(DmaState state, Tick now) override { parts_.egress->set_dma(state, now); }
  void blocks(std::size_t ready, std::size_t being_read, Tick now) override {
    dma_account_.blocks(ready, being_read, now);
  }
  void block_read(const DmaTransfer& transfer) override { dma_account_.block_read(transfer); }
  void buffer_full(bool full, Tick now) override { dma_account_.buffer_full(full, now); }

  GpuSpec spec_;
  L2Config home_l2_, die_l2_;  // of the slices at memory channels, and of dies
  TimeBase time_;
  Clock core_;
  Scheduler scheduler_;
  FunctionalGpu* functional_;
  PayloadPool pool_;
  Outbox outbox_;
  AddressMap map_;
  GpuParts parts_;
  std::vector<ReplySink*> reply_sinks_;
  std::vector<Reach> reach_;
  DmaAccount dma_account_;
  BlockedWays blocked_ways_;
  std::optional<ClockBesideLinks> clock_beside_links_;

  GpuListener* listener_ = nullptr;  // null: a phase runs
  KernelQueue queue_;                // of a program's kernels
  std::vector<std::unique_ptr<RunningKernel>> kernels_;
  std::size_t kernels_left_ = 0;  // that have not ended
  std::unique_ptr<RunningCollective> collective_;
  ArrivalBoard* arrivals_ = nullptr;     // that counts what comes over links: of the kernel launched last
  std::unique_ptr<ArrivalDelay> flags_;  // between the links and arrivals_, where the kernel polls flags
  Tracker* tracker_ = nullptr;           // of collective_
  Traffic remote_stores_ = Traffic::rs;

  Tick start_ = 0;
  Tick end_ = 0;
  Tick written_back_ = 0;
  bool leaves_dirty_ = false;  // to the next phase
  TrafficBytes brought_{};     // that the kernel before this phase has left dirty
  std::vector<LinkTime> links_;
};

}  // namespace t3sim
