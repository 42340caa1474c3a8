// One GPU for the length of one phase (Figure 8): CUs, L2 slices, memory controllers, Tracker, DMA engine and
// the two ends of its links, wired together.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dma/dma_engine.h"
#include "gpu/arrival_board.h"
#include "gpu/arrival_delay.h"
#include "gpu/channel_kernel.h"
#include "gpu/chunk_kernel.h"
#include "gpu/compute_unit.h"
#include "interconnect/egress_ports.h"
#include "interconnect/fabric.h"
#include "interconnect/link_ingress.h"
#include "machine/config.h"
#include "machine/gpu_timeline.h"
#include "machine/phase_account.h"
#include "machine/phase_use.h"
#include "memctrl/channel.h"
#include "plan/kernel_plan.h"
#include "plan/plan.h"
#include "sim/stats.h"
#include "sim/waiting.h"
#include "tracker/tracker.h"

namespace t3sim {

// What a phase makes every GPU do. Kernel boundaries lie between phases.
enum class PhaseKind : std::uint8_t {
  kernel,             // one kernel alone, whatever it is; no collective
  gemm,               // the GEMM alone, its output through the L2
  collective_kernel,  // a collective, or a step before or after one, on the CUs (Figure 3)
  fused,              // GEMM and collective by Tracker, DMA and near-memory updates (Figure 7)
  dma,                // a collective of data in memory, driven by DMA, reduced near memory
  gathered,           // an all-gather of the GEMM's input A by DMA, whose Tracker triggers workgroups (7.2)
  channels,           // a collective as a library's kernel runs it (plan/channel_plan.h)
  owner_stores,       // a GEMM whose stores go straight to the GPU that owns the rows of C
  concurrent,         // a GEMM beside the DMA-driven collective of another array (7.2, data parallelism)
};

// Which array a phase's collective works on.
enum class CollectiveOn : std::uint8_t {
  output,
  input,  // A, whose rows are gathered
  apart,  // one of the output's shape that the kernel has nothing to do with
};

struct Phase {
  PhaseKind kind = PhaseKind::gemm;
  ArbitrationKind arbitration = ArbitrationKind::round_robin;
  Traffic collective = Traffic::rs;  // whose traffic the collective's is
  CollectiveOn on = CollectiveOn::output;
  std::shared_ptr<const CollectivePlan> plan;  // gemm: only its order of production counts; may be null
  std::shared_ptr<const KernelPlan> steps;     // of collective kernels
  std::shared_ptr<const std::vector<ChannelPlan>> channels;  // by GPU
  bool shifted =
      false;  // owner_stores: a GPU begins with the rows of the next one, not all with those of GPU 0
  bool operator==(const Phase&) const = default;
};

// The array that a phase's collective works on; array a of plan.h lies a * stride bytes behind it.
struct CollectiveArrays {
  TiledMatrix array;
  std::uint32_t arrays = 1;
  std::uint64_t stride = 0;
  ChunkMap chunks;
};
CollectiveArrays collective_arrays(const Config& config, const Phase& phase);

// Bytes that a GPU's DRAM moved, by cause (Figure 18).
struct DramBytes {
  std::uint64_t gemm_read = 0, gemm_write = 0, rs_read = 0, rs_write = 0, ag_read = 0, ag_write = 0;
  std::uint64_t other_read = 0, other_write = 0;  // of kernels around the collective
  bool operator==(const DramBytes&) const = default;
};

// Bytes of dirty lines, by the traffic that wrote them.
using TrafficBytes = std::array<std::uint64_t, kTraffics>;
TrafficBytes bytes_of(const std::vector<DirtyLines>& slices);

// What functional mode keeps of a GPU from phase to phase, and what its GEMM produces.
struct FunctionalGpu {
  FunctionalMemory memory;
  std::unique_ptr<ElementValues> produced;
};

class Gpu : public FabricClient, private ChannelClient, private StoreListener, private RemoteWriteTarget {
 public:
  // `functional` is null outside functional mode and must outlive the GPU.
  Gpu(const Config& config, std::uint32_t rank, const Phase& phase, const TimeBase& time,
      FunctionalGpu* functional);
  ~Gpu() override;

  Scheduler& scheduler() { return scheduler_; }
  Outbox& outbox() override { return outbox_; }
  PayloadPool* pool() override { return functional_ ? &pool_ : nullptr; }
  void deliver(const Request& request, Tick at) override;
  void credit(std::uint16_t gpu, std::uint32_t bytes, Tick at) override { egress_->credit(gpu, bytes, at); }

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
  // Where its time went. Of a finished phase.
  PhaseAccount account() const;
  // What its parts have counted, for the limits. Of a finished phase.
  PhaseUse use() const;
  // Before the phase runs (KernelBoundary::flush). Dirty lines, by L2 slice, that the kernel before has left are
  // written back while it runs; and what this one leaves is not written back, but is for the next.
  void start_with(const std::vector<DirtyLines>& lines);
  void leave_dirty() { leaves_dirty_ = true; }
  std::vector<DirtyLines> dirty_lines() const;
  // The L2's contents, to be carried to the next phase (KernelBoundary::keep).
  std::vector<L2Contents> take_l2();
  void set_l2(std::vector<L2Contents> contents);

  // What the phase has caused: with what it leaves dirty, without what the kernel before it has left.
  DramBytes dram_bytes() const;
  std::uint64_t link_bytes() const { return egress_->bytes(); }
  std::uint64_t received_bytes() const { return ingress_->stats().bytes; }
  // Local stores that had to wait for the Tracker.
  std::uint64_t stalled_stores() const;
  const TrackerStats* tracker_stats() const { return tracker_ ? &tracker_->stats() : nullptr; }
  // Of the Tracker's entries, as the phase has needed them. Only with tracker_stats().
  TrackerEntryBits tracker_entry_bits() const;
  void visit(StatsSink& sink);
  // Fixed-interval series: f(component, name, unit, series).
  // What an interval sums is divided by `divisor`, if that is not 0.
  using SeriesVisitor = std::function<void(const std::string& component, const std::string& name,
                                           const std::string& unit, const Series&, std::uint64_t divisor)>;
  void visit_series(const SeriesVisitor& f) const;
  // What happened when. Of a finished phase.
  GpuTimeline timeline() const;
  std::vector<GpuTimeline::Counter> counters() const;
  std::string describe_waiting() const;
  // Who waits for whom on this GPU. `all`: the GPUs of the node.
  void report_waits(Waits& waits, const std::vector<std::unique_ptr<Gpu>>& all, const Fabric& fabric) const;
  // Parts that have a wake-up pending.
  std::string describe_awake() const;
  // Grows with everything that moves or is done.
  std::uint64_t moves() const;
  // Some CU computes: it will go on by itself.
  bool computes(Tick now) const;
  // Throws CheckError when a conservation rule does not hold.
  void check_conservation() const;

 private:
  friend struct PlantedFault;  // tests/machine/deadlock_test.cpp: breaks parts
  class GemmRouter;
  class OwnerRouter;
  // Order of the kernel's tiles: from a tile on, or chunks by rank.
  struct Production {
    std::uint32_t start_tile = 0;
    std::vector<std::uint32_t> ranks;  // by chunk; kNoRank: not produced here
  };

  void build_memory();
  void build_links();
  void build_cus();
  void start_phase();
  void start_gemm(bool routed);
  KernelSource& make_kernel();
  KernelSource& triggered(KernelSource& kernel);
  Production production() const;
  void start_collective_kernel();
  void start_channels();
  void expect_owned_rows();
  void start_tracking();
  void wavefront_tile_complete(std::uint32_t tile, std::uint32_t wavefront, Tick at);
  // On the first `cus`; 0: on all.
  void start_kernel(KernelSource& source, const StoreRouter& router, Traffic traffic,
                    unsigned workgroups_per_cu, const ElementValues* values, std::size_t cus = 0);
  void kernel_ended(Tick now);
  void happened(Tick at) { end_ = at > end_ ? at : end_; }

  bool may_enqueue(const Request& request) override;
  void enqueued(const Request& request, Tick now) override;
  void performed(Request& request, Tick now) override;
  void read_done(const Request& request, Tick at) override;
  void port_free(unsigned channel, unsigned port, Tick now) override;
  void store_accepted(const Request& request, Tick now) override;
  void acknowledge(const Request& store, Tick from);
  CreditedInput& write_input(std::uint64_t address) override { return slice_of(address).input(); }
  void push_write(const Request& request, Tick ready) override;
  L2Slice& slice_of(std::uint64_t address) {
    return *slices_[map_.channel(address) * map_.slices_per_channel() + map_.slice(address)];
  }
  void arrived(const Request& request, Tick now);
  void end_of_kernel_traffic(Tick now);

  using Gpus = std::vector<std::unique_ptr<Gpu>>;
  struct Source;
  void report_kernel(GpuWaits& waits, const Gpus& all) const;
  void report_arrival(GpuWaits& waits, const Gpus& all, std::uint32_t step, std::uint32_t tile) const;
  void report_tile(GpuWaits& waits, const Gpus& all, const Fabric& fabric, std::uint32_t tile) const;
  // Other GPUs that a plan lets make updates.
  struct PlannedSenders {
    std::vector<std::uint32_t> by_stores, by_dma;
  };
  bool report_senders(GpuWaits& waits, const Gpus& all, std::uint32_t tile, const std::string& what,
                      PlannedSenders& senders) const;
  bool report_switch_table(GpuWaits& waits, const Fabric& fabric, std::uint32_t tile,
                           const std::string& what) const;
  const ChunkPlan& planned(std::uint32_t gpu, std::uint32_t tile) const;
  void report_links(GpuWaits& waits, const Gpus& all, const Fabric& fabric) const;
  Source source(const Gpus& all, std::uint32_t gpu, std::uint32_t tile) const;
  std::string on_the_way() const;

  TrafficBytes left() const;  // dirty, to the next phase
  void add_compute_use(PhaseUse& use) const;
  void add_memory_use(PhaseUse& use) const;
  void add_link_use(PhaseUse& use) const;
  Tick kernel_time() const;  // from the start of the phase to the kernel's end
  void visit_cus(StatsSink& sink) const;
  void visit_slices(StatsSink& sink) const;
  void visit_fabric(StatsSink& sink) const;
  std::uint32_t stages() const;
  std::string chunk_name(std::uint32_t array, std::uint32_t chunk) const;

  Config config_;
  std::uint32_t rank_;
  Phase phase_;
  TimeBase time_;
  Clock core_;
  GpuPorts ports_;
  Scheduler scheduler_;
  FunctionalGpu* functional_;
  PayloadPool pool_;
  Outbox outbox_;

  GemmSpec gemm_;
  CollectiveArrays collective_;
  KernelTraits traits_;
  unsigned workgroups_per_cu_ = 1;

  AddressMap map_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<std::unique_ptr<L2Slice>> slices_;
  std::vector<std::unique_ptr<ComputeUnit>> cus_;
  std::vector<ReplySink*> reply_sinks_;
  std::unique_ptr<EgressPorts> egress_;
  std::unique_ptr<LinkIngress> ingress_;
  std::unique_ptr<DmaEngine> dma_;
  std::unique_ptr<Tracker> tracker_;
  std::unique_ptr<ArrivalBoard> arrivals_;
  std::unique_ptr<ArrivalDelay> flags_;  // of channels: what they see of arrivals_

  std::unique_ptr<KernelSource> produced_kernel_, ordered_kernel_, triggered_kernel_;
  std::unique_ptr<ChunkKernel> chunk_kernel_;
  std::unique_ptr<ChannelKernel> channel_kernel_;
  std::unique_ptr<StoreRouter> gemm_router_;
  std::unique_ptr<KernelRun> kernel_;

  Tick start_ = 0;
  Tick kernel_end_ = 0;
  Tick end_ = 0;
  Tick written_back_ = 0;
  bool leaves_dirty_ = false;  // to the next phase
  TrafficBytes brought_{};     // that the kernel before this phase has left dirty
  std::uint64_t tracked_tiles_ = 0;
  std::vector<Trigger> triggers_;
  BlockedWays blocked_ways_;
  std::vector<LinkTime> links_at_kernel_end_, links_;  // by port; the latter at the end of the phase
};

}  // namespace t3sim
