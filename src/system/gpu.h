// One GPU for the length of one phase (Figure 8): CUs, L2 slices, memory controllers, Tracker, DMA engine and
// the two ends of its links, wired together.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dma/dma_engine.h"
#include "gpu/arrival_board.h"
#include "gpu/compute_unit.h"
#include "gpu/ring_kernel.h"
#include "interconnect/link.h"
#include "memctrl/channel.h"
#include "plan/plan.h"
#include "sim/stats.h"
#include "system/config.h"
#include "tracker/tracker.h"

namespace t3sim {

// What a phase makes every GPU do. Kernel boundaries lie between phases.
enum class PhaseKind : std::uint8_t {
  kernel,              // one kernel alone, whatever it is; no collective
  gemm,                // the GEMM alone, its output through the L2
  reduce_scatter,      // ring kernel on the CUs (Figure 3)
  all_gather,          // ring kernel on the CUs
  fused,               // GEMM and reduce-scatter by Tracker, DMA and near-memory updates (Figure 7)
  dma_reduce_scatter,  // reduce-scatter of data in memory, DMA-driven, reduced near memory
};

struct Phase {
  PhaseKind kind = PhaseKind::gemm;
  ArbitrationKind arbitration = ArbitrationKind::round_robin;
  PlanFunction plan = nullptr;  // fused and DMA-driven phases
  bool operator==(const Phase&) const = default;
};

// Bytes that a GPU's DRAM moved, by cause (Figure 18).
struct DramBytes {
  std::uint64_t gemm_read = 0, gemm_write = 0, rs_read = 0, rs_write = 0, ag_read = 0, ag_write = 0;
  bool operator==(const DramBytes&) const = default;
};

// What functional mode keeps of a GPU from phase to phase, and what its GEMM produces.
struct FunctionalGpu {
  FunctionalMemory memory;
  std::unique_ptr<ElementValues> produced;
};

class Gpu : private ChannelClient, private StoreListener, private RemoteWriteTarget {
 public:
  // `functional` is null outside functional mode and must outlive the GPU.
  Gpu(const Config& config, std::uint32_t rank, const Phase& phase, const TimeBase& time,
      FunctionalGpu* functional);
  ~Gpu() override;

  Scheduler& scheduler() { return scheduler_; }
  Outbox& outbox() { return outbox_; }
  std::uint16_t neighbour() const;  // that its packets go to
  PayloadPool* pool() { return functional_ ? &pool_ : nullptr; }

  void deliver(const Request& request, Tick at);
  void credit(const Outbox::Credit& credit) { egress_->credit(credit.bytes, credit.at); }

  // All work of the phase is done and nothing is on its way.
  bool complete() const;
  // Share of the phase's work that is done, 0 to 1.
  double progress() const;
  // Tick of the last thing that happened.
  Tick end() const { return end_; }
  // Closes the accounts at the end of the phase.
  void finish();
  // The L2's contents, to be carried to the next phase (KernelBoundary::keep).
  std::vector<L2Contents> take_l2();
  void set_l2(std::vector<L2Contents> contents);

  DramBytes dram_bytes() const;
  std::uint64_t link_bytes() const { return egress_->stats().bytes; }
  std::uint64_t received_bytes() const { return ingress_->bytes(); }
  // Local stores that had to wait for the Tracker.
  std::uint64_t stalled_stores() const;
  const TrackerStats* tracker_stats() const { return tracker_ ? &tracker_->stats() : nullptr; }
  void visit(StatsSink& sink);
  // Fixed-interval series: f(component, name, unit, series).
  using SeriesVisitor = std::function<void(const std::string& component, const std::string& name,
                                           const std::string& unit, const Series&)>;
  void visit_series(const SeriesVisitor& f) const;
  std::string describe_waiting() const;
  // Throws CheckError when a conservation rule does not hold.
  void check_conservation() const;

 private:
  class GemmRouter;

  void build_memory();
  void build_links();
  void build_cus();
  void start_gemm(const GpuPlan* plan);
  KernelSource& make_kernel();
  void start_ring_kernel();
  void start_tracking(const GpuPlan& plan);
  void start_kernel(KernelSource& source, const StoreRouter& router, Traffic traffic,
                    unsigned workgroups_per_cu, const ElementValues* values);
  void kernel_ended(Tick now);
  void happened(Tick at) { end_ = at > end_ ? at : end_; }

  bool may_enqueue(const Request& request) override;
  void enqueued(const Request& request, Tick now) override;
  void performed(Request& request, Tick now) override;
  void read_done(const Request& request, Tick at) override;
  void port_free(unsigned channel, unsigned port, Tick now) override;
  void store_accepted(const Request& request, Tick now) override;
  CreditedInput& write_input(std::uint64_t address) override { return slice_of(address).input(); }
  void push_write(const Request& request, Tick ready) override;
  L2Slice& slice_of(std::uint64_t address) {
    return *slices_[map_.channel(address) * map_.slices_per_channel() + map_.slice(address)];
  }
  void arrived(const Request& request, Tick now);
  void end_of_kernel_traffic(Tick now);

  Tick kernel_time() const;  // from the start of the phase to the kernel's end, its output written
  void visit_cus(StatsSink& sink) const;
  void visit_slices(StatsSink& sink) const;
  void visit_fabric(StatsSink& sink) const;

  Config config_;
  std::uint32_t rank_;
  Phase phase_;
  TimeBase time_;
  Clock core_;
  Scheduler scheduler_;
  FunctionalGpu* functional_;
  PayloadPool pool_;
  Outbox outbox_;

  GemmSpec gemm_;
  TiledMatrix output_, received_;
  ChunkMap chunks_;
  KernelTraits traits_;
  unsigned workgroups_per_cu_ = 1;

  AddressMap map_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<std::unique_ptr<L2Slice>> slices_;
  std::vector<std::unique_ptr<ComputeUnit>> cus_;
  std::vector<ReplySink*> reply_sinks_;
  std::unique_ptr<LinkEgress> egress_;
  std::unique_ptr<LinkIngress> ingress_;
  std::unique_ptr<DmaEngine> dma_;
  std::unique_ptr<Tracker> tracker_;
  std::unique_ptr<ArrivalBoard> arrivals_;

  std::unique_ptr<KernelSource> produced_kernel_, rotated_kernel_;
  std::unique_ptr<RingKernel> ring_kernel_;
  std::unique_ptr<StoreRouter> gemm_router_;
  std::unique_ptr<KernelRun> kernel_;

  Tick start_ = 0;
  Tick kernel_end_ = 0;
  Tick end_ = 0;
  std::uint64_t tracked_tiles_ = 0;
};

}  // namespace t3sim
