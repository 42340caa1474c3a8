#include "system/gpu.h"

#include "trace/gemm_kernel.h"
#include "trace/rotated_kernel.h"
#include "trace/trace_kernel.h"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace t3sim {
namespace {

// Ticks that most wake-ups lie ahead at most: a little over the link latency, or a long memory wait.
Tick near_ticks(const TimeBase& time, const Config& config) {
  return std::min<Tick>(time.from_ps(config.topology.link.latency_ps + 200'000), Tick{1} << 20);
}

}  // namespace

// Where the GEMM's stores go: by the chunk of the tile (Figure 11). Without a plan, through the L2.
class Gpu::GemmRouter final : public StoreRouter {
 public:
  GemmRouter(const ChunkMap& chunks, const GpuPlan* plan) : chunks_(chunks) {
    if (plan) plan_ = *plan;
  }
  StoreRoute route(std::uint32_t, std::uint32_t tile) const override {
    StoreRoute route;
    if (plan_.chunks.empty()) return route;
    const ChunkPlan& chunk = plan_.chunks[chunks_.chunk_of(tile)];
    route.remote = chunk.producer == ChunkPlan::Producer::remote;
    route.gpu = chunk.destination;
    route.op = chunk.op;
    route.tracked = true;
    return route;
  }

 private:
  ChunkMap chunks_;
  GpuPlan plan_;
};

Gpu::Gpu(const Config& config, std::uint32_t rank, const Phase& phase, const TimeBase& time,
         FunctionalGpu* functional)
    : config_(config),
      rank_(rank),
      phase_(phase),
      time_(time),
      core_(time.period(config.gpu.clock_hz)),
      scheduler_(near_ticks(time, config)),
      functional_(functional),
      gemm_(gemm_spec(config, rank)),
      output_(gemm_.c()),
      received_(output_),
      chunks_(output_.grid, config.gpus.count),
      map_(config.memory, static_cast<unsigned>(config.l2.slices / config.memory.channels)) {
  config_.memory = memory_config(config, phase.arbitration);
  const std::uint64_t after_c = align_up(output_.layout.base() + output_.layout.footprint_bytes(), 2 << 20);
  received_.layout = MatrixLayout(after_c, gemm_.shape.m, gemm_.shape.n, gemm_.element_bytes());
  traits_ = kernel_traits(config);
  workgroups_per_cu_ = workgroups_per_cu(config.gpu, traits_);

  build_memory();
  build_links();
  build_cus();
  for (auto& channel : channels_) scheduler_.add(*channel);
  scheduler_.add(*ingress_);
  for (auto& slice : slices_) scheduler_.add(*slice);
  for (auto& cu : cus_) scheduler_.add(*cu);
  scheduler_.add(*dma_);
  scheduler_.add(*egress_);

  const GpusConfig& gpus = config_.gpus;
  if (const auto found = gpus.overrides.find(rank);
      found != gpus.overrides.end() && found->second.start_delay_ps)
    start_ = core_.align(time_.from_ps(*found->second.start_delay_ps));
  switch (phase.kind) {
    case PhaseKind::kernel:
    case PhaseKind::gemm:
      start_gemm(nullptr);
      break;
    case PhaseKind::fused: {
      const GpuPlan plan = phase.plan(gpus.count, rank);
      start_tracking(plan);
      start_gemm(&plan);
      break;
    }
    case PhaseKind::dma_reduce_scatter:
      start_tracking(phase.plan(gpus.count, rank));
      break;
    case PhaseKind::reduce_scatter:
    case PhaseKind::all_gather:
      start_ring_kernel();
      break;
  }
}

Gpu::~Gpu() = default;

std::uint16_t Gpu::neighbour() const { return ring_next(config_.gpus.count, rank_); }

void Gpu::build_memory() {
  const unsigned ports = map_.slices_per_channel();
  const Clock memory_clock(time_.period(config_.memory.clock_hz));
  const Tick interval = time_.from_ps(config_.run.series_interval_ps);
  for (unsigned c = 0; c < map_.channels(); ++c)
    channels_.push_back(std::make_unique<Channel>(config_.memory, c, memory_clock, scheduler_,
                                                  static_cast<ChannelClient&>(*this), map_, ports, interval));
  // Low bits of the line number that only choose channel and slice say nothing about the set.
  const bool power_of_two = std::has_single_bit(config_.l2.slices);
  const unsigned skip_bits = power_of_two ? static_cast<unsigned>(std::countr_zero(config_.l2.slices)) : 0;
  for (std::uint16_t s = 0; s < config_.l2.slices; ++s)
    slices_.push_back(std::make_unique<L2Slice>(config_.l2, s, skip_bits, core_, scheduler_,
                                                *channels_[s / ports], s % ports, reply_sinks_,
                                                static_cast<StoreListener&>(*this), pool()));
}

void Gpu::build_links() {
  std::vector<Channel*> channels;
  for (auto& channel : channels_) channels.push_back(channel.get());
  const unsigned communication_port = map_.slices_per_channel();
  LinkConfig link = config_.topology.link;
  if (const auto found = config_.gpus.overrides.find(rank_);
      found != config_.gpus.overrides.end() && found->second.link_bandwidth_Bps)
    link.bandwidth_Bps = *found->second.link_bandwidth_Bps;
  egress_ = std::make_unique<LinkEgress>(
      link, time_, scheduler_, outbox_, [this](Tick now) { dma_->sent(now); },
      [this](Tick now) { kernel_->store_accepted(now); }, time_.from_ps(config_.run.series_interval_ps));
  ingress_ =
      std::make_unique<LinkIngress>(link, time_, scheduler_, map_, channels, communication_port, outbox_);
  if (config_.l2.remote_writes == RemoteWrites::l2) ingress_->send_writes_to(*this);
  dma_ =
      std::make_unique<DmaEngine>(config_.dma, output_, core_, scheduler_, map_, channels, communication_port,
                                  static_cast<std::uint16_t>(slices_.size()), *egress_);
}

void Gpu::build_cus() {
  CuWiring wiring;
  wiring.scheduler = &scheduler_;
  wiring.map = &map_;
  for (auto& slice : slices_) wiring.slices.push_back(slice.get());
  wiring.remote = egress_.get();
  wiring.pool = pool();
  const std::uint64_t l1 = l1_bytes(config_.gpu, traits_, workgroups_per_cu_);
  for (std::uint16_t i = 0; i < config_.gpu.cus; ++i) {
    cus_.push_back(std::make_unique<ComputeUnit>(config_.gpu, i, core_, wiring, l1));
    reply_sinks_.push_back(cus_.back().get());
  }
}

void Gpu::start_kernel(KernelSource& source, const StoreRouter& router, Traffic traffic,
                       unsigned workgroups_per_cu, const ElementValues* values) {
  KernelRun::Setup setup;
  setup.source = &source;
  setup.router = &router;
  setup.arrivals = arrivals_.get();
  setup.values = values;
  setup.traffic = traffic;
  setup.workgroups_per_cu = workgroups_per_cu;
  setup.first_stage = std::min<std::uint32_t>(
      source.workgroups(), static_cast<std::uint32_t>(config_.gpu.cus) * workgroups_per_cu);
  setup.uses_l1 = traffic == Traffic::gemm;
  setup.time = &time_;
  setup.start = start_ + core_.cycles(config_.gpu.kernel_launch_cycles);
  kernel_ = std::make_unique<KernelRun>(setup);
  kernel_->on_first_stage = [this](Tick) {
    for (auto& channel : channels_) channel->first_stage_done();
  };
  kernel_->on_end = [this](Tick now) { kernel_ended(now); };
  kernel_->on_start = [this](Tick) {
    for (auto& channel : channels_) channel->kernel_started();
  };
  // The dispatcher starts one workgroup a cycle.
  for (std::size_t i = 0; i < cus_.size(); ++i) cus_[i]->run(*kernel_, setup.start + core_.cycles(i));
}

void Gpu::start_gemm(const GpuPlan* plan) {
  KernelSource& kernel = make_kernel();
  // A kernel whose timeline is replayed has all its workgroups resident: their times contain their waiting.
  if (traits_.timing == Timing::kernel)
    workgroups_per_cu_ = ceil_div(kernel.workgroups(), static_cast<std::uint32_t>(config_.gpu.cus));
  gemm_router_ = std::make_unique<GemmRouter>(chunks_, plan);
  start_kernel(kernel, *gemm_router_, Traffic::gemm, workgroups_per_cu_,
               functional_ ? functional_->produced.get() : nullptr);
}

// The workload's kernel, its order of tiles rotated by rank.
KernelSource& Gpu::make_kernel() {
  if (config_.workload.generated) {
    produced_kernel_ = std::make_unique<GemmKernel>(gemm_);
    return *produced_kernel_;
  }
  if (config_.workload.microbenchmark.kind != MicrobenchmarkKind::none) {
    produced_kernel_ = std::make_unique<MicrobenchmarkKernel>(
        config_.workload.microbenchmark, static_cast<std::uint32_t>(config_.gpu.wavefront_threads));
    return *produced_kernel_;
  }
  produced_kernel_ = std::make_unique<TraceKernel>(config_.workload.trace);
  if (gemm_.order.start_tile == 0) return *produced_kernel_;
  rotated_kernel_ =
      std::make_unique<RotatedKernel>(*produced_kernel_, output_.grid.tiles(), gemm_.order.start_tile);
  return *rotated_kernel_;
}

void Gpu::start_ring_kernel() {
  const std::uint32_t gpus = config_.gpus.count;
  const bool scatter = phase_.kind == PhaseKind::reduce_scatter;
  const auto steps = [&](std::uint32_t gpu) {
    return scatter ? kernel_ring_reduce_scatter(gpus, gpu) : kernel_ring_all_gather(gpus, gpu);
  };
  const std::vector<KernelStep> own = steps(rank_);
  // What the neighbour upstream sends in step s arrives here as step s.
  const std::vector<KernelStep> incoming = steps((rank_ + 1) % gpus);
  arrivals_ = std::make_unique<ArrivalBoard>(static_cast<std::uint32_t>(own.size()), output_.grid.tiles(),
                                             config_.gpu.collective_sync);
  for (std::uint32_t s = 0; s < incoming.size(); ++s) {
    if (incoming[s].destination == KernelStep::Destination::own_output) continue;
    const std::uint32_t c = incoming[s].chunk;
    for (std::uint32_t i = 0; i < chunks_.tiles(c); ++i) {
      const std::uint32_t tile = chunks_.first_tile(c) + i;
      arrivals_->expect(s, tile, output_.tile_sectors(tile));
    }
  }
  ring_kernel_ = std::make_unique<RingKernel>(output_, received_, chunks_, own, neighbour(),
                                              config_.gpu.collective_bytes_per_group);
  start_kernel(*ring_kernel_, *ring_kernel_, scatter ? Traffic::rs : Traffic::ag,
               static_cast<unsigned>(config_.gpu.collective_workgroups_per_cu), nullptr);
}

// Programs Tracker and DMA from the plan (Figure 12).
void Gpu::start_tracking(const GpuPlan& plan) {
  TrackerConfig settings;
  settings.latency_cycles = config_.tracker.latency_cycles;
  settings.ways = tracker_ways(config_);
  tracker_ = std::make_unique<Tracker>(
      settings, output_.grid.tiles(), output_.grid.wavefronts(),
      [this](std::uint32_t tile, std::uint32_t wavefront, Tick now) {
        dma_->mark_ready(tile, wavefront, core_.align(now) + core_.cycles(config_.tracker.latency_cycles));
      },
      [this](Tick) {
        for (auto& channel : channels_) channel->retry_parked();
      });
  for (std::uint32_t c = 0; c < chunks_.chunks(); ++c) {
    const ChunkPlan& chunk = plan.chunks[c];
    for (std::uint32_t i = 0; i < chunks_.tiles(c); ++i) {
      const std::uint32_t tile = chunks_.first_tile(c) + i;
      for (std::uint32_t w = 0; w < output_.grid.wavefronts(); ++w) {
        tracker_->expect(tile, w, output_.sectors({tile, w}) * chunk.updates());
        if (chunk.dma) dma_->program(tile, w, chunk.destination, chunk.op);
      }
    }
  }
  tracked_tiles_ = tracker_->incomplete();
  for (std::uint32_t c : plan.order) {
    if (!plan.chunks[c].ready_at_start) continue;
    for (std::uint32_t i = 0; i < chunks_.tiles(c); ++i)
      for (std::uint32_t w = 0; w < output_.grid.wavefronts(); ++w)
        dma_->mark_ready(chunks_.first_tile(c) + i, w, start_);
  }
}

}  // namespace t3sim
