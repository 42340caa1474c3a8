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

Gpu::Gpu(const Config& config, std::uint32_t rank, const Phase& phase, const TimeBase& time, FunctionalGpu* functional)
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
  if (const auto found = gpus.overrides.find(rank); found != gpus.overrides.end() && found->second.start_delay_ps)
    start_ = core_.align(time_.from_ps(*found->second.start_delay_ps));
  switch (phase.kind) {
    case PhaseKind::kernel:
    case PhaseKind::gemm: start_gemm(nullptr); break;
    case PhaseKind::fused: {
      const GpuPlan plan = phase.plan(gpus.count, rank);
      start_tracking(plan);
      start_gemm(&plan);
      break;
    }
    case PhaseKind::dma_reduce_scatter: start_tracking(phase.plan(gpus.count, rank)); break;
    case PhaseKind::reduce_scatter:
    case PhaseKind::all_gather: start_ring_kernel(); break;
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
    slices_.push_back(std::make_unique<L2Slice>(config_.l2, s, skip_bits, core_, scheduler_, *channels_[s / ports],
                                                s % ports, reply_sinks_, static_cast<StoreListener&>(*this), pool()));
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
      link, time_, scheduler_, outbox_, [this](Tick now) { dma_->sent(now); }, [this](Tick now) { kernel_->store_accepted(now); },
      time_.from_ps(config_.run.series_interval_ps));
  ingress_ = std::make_unique<LinkIngress>(link, time_, scheduler_, map_, channels, communication_port, outbox_);
  if (config_.l2.remote_writes == RemoteWrites::l2) ingress_->send_writes_to(*this);
  dma_ = std::make_unique<DmaEngine>(config_.dma, output_, core_, scheduler_, map_, channels, communication_port,
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

void Gpu::start_kernel(KernelSource& source, const StoreRouter& router, Traffic traffic, unsigned workgroups_per_cu,
                       const ElementValues* values) {
  KernelRun::Setup setup;
  setup.source = &source;
  setup.router = &router;
  setup.arrivals = arrivals_.get();
  setup.values = values;
  setup.traffic = traffic;
  setup.workgroups_per_cu = workgroups_per_cu;
  setup.first_stage = std::min<std::uint32_t>(source.workgroups(), static_cast<std::uint32_t>(config_.gpu.cus) * workgroups_per_cu);
  setup.uses_l1 = traffic == Traffic::gemm;
  setup.time = &time_;
  setup.start = start_;
  kernel_ = std::make_unique<KernelRun>(setup);
  kernel_->on_first_stage = [this](Tick) {
    for (auto& channel : channels_) channel->first_stage_done();
  };
  kernel_->on_end = [this](Tick now) { kernel_ended(now); };
  kernel_->on_start = [this](Tick) {
    for (auto& channel : channels_) channel->kernel_started();
  };
  // The dispatcher starts one workgroup a cycle.
  for (std::size_t i = 0; i < cus_.size(); ++i) cus_[i]->run(*kernel_, start_ + core_.cycles(i));
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
    produced_kernel_ = std::make_unique<MicrobenchmarkKernel>(config_.workload.microbenchmark,
                                                              static_cast<std::uint32_t>(config_.gpu.wavefront_threads));
    return *produced_kernel_;
  }
  produced_kernel_ = std::make_unique<TraceKernel>(config_.workload.trace);
  if (gemm_.order.start_tile == 0) return *produced_kernel_;
  rotated_kernel_ = std::make_unique<RotatedKernel>(*produced_kernel_, output_.grid.tiles(), gemm_.order.start_tile);
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

// A kernel boundary: dirty lines are written back, the cache is emptied, communication is drained (4.5).
void Gpu::kernel_ended(Tick now) {
  kernel_end_ = now;
  happened(now);
  for (auto& channel : channels_) channel->kernel_ended();
  end_of_kernel_traffic(now);
}

// The L2 is flushed once neither the kernel nor, where its writes go to the L2, the link has anything to add.
void Gpu::end_of_kernel_traffic(Tick now) {
  if (config_.l2.kernel_boundary == KernelBoundary::keep || !kernel_->ended()) return;
  if (config_.l2.remote_writes == RemoteWrites::l2 && arrivals_ && arrivals_->missing() != 0) return;
  for (auto& slice : slices_) slice->flush(now);
}

std::vector<L2Contents> Gpu::take_l2() {
  std::vector<L2Contents> contents;
  for (auto& slice : slices_) contents.push_back(slice->take_contents());
  return contents;
}

void Gpu::set_l2(std::vector<L2Contents> contents) {
  for (std::size_t i = 0; i < contents.size(); ++i) slices_[i]->set_contents(std::move(contents[i]));
}

void Gpu::deliver(const Request& request, Tick at) {
  Request here = request;
  if (here.traffic == Traffic::gemm) here.traffic = Traffic::rs;  // the producer's first chunk is communication here
  ingress_->deliver(here, at);
}

bool Gpu::may_enqueue(const Request& request) { return tracker_->may_enqueue(request); }

void Gpu::enqueued(const Request& request, Tick now) {
  if (request.tracked)
    tracker_->count(request, now);
  else if (request.remote && arrivals_) {
    slice_of(request.address).drop(request);
    arrived(request, now);
  }
}

void Gpu::arrived(const Request& request, Tick now) {
  arrivals_->count(request.step, request.workgroup, static_cast<std::uint32_t>(sector_count(request.sectors)), now);
}

void Gpu::push_write(const Request& request, Tick ready) {
  Request store = request;
  store.stream = Stream::compute;  // from here on it is the L2's
  slice_of(request.address).push(store, core_.align(ready) + core_.cycles(config_.gpu.noc_latency_cycles));
}

void Gpu::performed(Request& request, Tick now) {
  happened(now);
  if (!functional_) return;
  if (request.op == Op::read) {
    if (request.traffic == Traffic::gemm) return;  // inputs carry no numbers
    request.payload = pool_.allocate();
    functional_->memory.read(request.address, request.sectors, pool_[request.payload]);
    return;
  }
  const LineValues& values = pool_[request.payload];
  if (request.op == Op::write)
    functional_->memory.write(request.address, request.sectors, values);
  else
    functional_->memory.update(request.address, request.sectors, values);
  pool_.release(request.payload);
}

void Gpu::read_done(const Request& request, Tick at) {
  happened(at);
  if (request.source < slices_.size())
    slices_[request.source]->read_done(request, at);
  else
    dma_->read_done(request, at);
}

void Gpu::port_free(unsigned channel, unsigned port, Tick now) {
  if (port < map_.slices_per_channel()) {
    slices_[channel * map_.slices_per_channel() + port]->channel_free(now);
    return;
  }
  ingress_->channel_free(channel, now);
  dma_->channel_free(channel, now);
}

void Gpu::store_accepted(const Request& request, Tick now) {
  if (!request.remote) {
    kernel_->store_accepted(now);
    return;
  }
  happened(now);
  arrived(request, now);
  end_of_kernel_traffic(now);
}

bool Gpu::complete() const {
  if (kernel_ && !kernel_->ended()) return false;
  if (tracker_ && tracker_->incomplete() != 0) return false;
  if (arrivals_ && arrivals_->missing() != 0) return false;
  for (const auto& channel : channels_)
    if (!channel->idle()) return false;
  for (const auto& slice : slices_)
    if (!slice->idle()) return false;
  return dma_->idle() && dma_->pending_blocks() == 0 && egress_->idle() && ingress_->idle();
}

std::uint64_t Gpu::stalled_stores() const {
  std::uint64_t sum = 0;
  for (const auto& channel : channels_) sum += channel->stats().parked;
  return sum;
}

double Gpu::progress() const {
  double done = 0, parts = 0;
  if (kernel_) {
    done += static_cast<double>(kernel_->retired()) / std::max(1U, kernel_->total());
    parts += 1;
  }
  if (tracker_ && tracked_tiles_ != 0) {
    done += 1.0 - static_cast<double>(tracker_->incomplete()) / static_cast<double>(tracked_tiles_);
    parts += 1;
  }
  return parts > 0 ? done / parts : 1.0;
}

Tick Gpu::kernel_time() const {
  return phase_.kind == PhaseKind::gemm || phase_.kind == PhaseKind::kernel ? end_ : kernel_end_;
}

void Gpu::finish() {
  if (!kernel_) return;
  for (auto& cu : cus_) cu->finish(kernel_->last_retired(), kernel_time());
}

DramBytes Gpu::dram_bytes() const {
  std::array<std::uint64_t, kTraffics> read{}, written{};
  for (const auto& channel : channels_)
    for (int t = 0; t < kTraffics; ++t) {
      const auto traffic = static_cast<Traffic>(t);
      read[t] += channel->bytes(traffic, Op::read);
      written[t] += channel->bytes(traffic, Op::write) + channel->bytes(traffic, Op::update);
    }
  const auto at = [](const auto& a, Traffic t) { return a[static_cast<std::size_t>(t)]; };
  return {at(read, Traffic::gemm), at(written, Traffic::gemm), at(read, Traffic::rs),
          at(written, Traffic::rs), at(read, Traffic::ag),     at(written, Traffic::ag)};
}

std::string Gpu::describe_waiting() const {
  std::string text;
  const auto add = [&](const std::string& who) {
    if (who.empty()) return;
    text += who;
    if (text.back() != '\n') text += '\n';
  };
  if (kernel_ && !kernel_->all_retired())
    text += fmt::format("kernel: {} of {} workgroups done\n", kernel_->retired(), kernel_->total());
  for (const auto& cu : cus_) add(cu->describe_waiting());
  for (const auto& slice : slices_) add(slice->describe_waiting());
  for (const auto& channel : channels_)
    if (!channel->idle()) add(channel->describe_waiting());
  if (tracker_) add(tracker_->describe_waiting());
  add(dma_->describe_waiting());
  add(egress_->describe_waiting());
  add(ingress_->describe_waiting());
  return text;
}

void Gpu::check_conservation() const {
  const auto require = [&](bool holds, const std::string& rule) {
    if (!holds) throw CheckError(fmt::format("conservation: GPU {}: {}", rank_, rule));
  };
  require(!tracker_ || tracker_->live_entries() == 0, "the Tracker is not empty at the end");
  require(pool_.live() == 0, fmt::format("{} payloads are left over", pool_.live()));
  for (const auto& cu : cus_) {
    const MatrixTime& time = cu->matrix_time();
    require(!kernel_ || time.total() == kernel_time(),
            fmt::format("the account of a matrix unit has {} ticks, not {}", time.total(), kernel_time()));
  }
}

}  // namespace t3sim
