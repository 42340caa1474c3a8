// What a phase starts on a GPU: kernels with their routes, Tracker thresholds and DMA commands.
#include <array>

#include "kernel/gemm_kernel.h"
#include "kernel/reordered_kernel.h"
#include "kernel/triggered_kernel.h"
#include "machine/gpu.h"
#include "trace/trace_kernel.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kPageBytes = 2 << 20;
constexpr std::uint32_t kInputTileColumns = 128;  // K, of the tiles in which an input is gathered

// The input A as an array of a collective: as many rows a tile as the GEMM's own tiles have, so that a row of
// tiles of C needs one row of tiles of A.
TiledMatrix input_array(const GemmSpec& spec) {
  const bool k_contiguous = spec.layout == GemmLayout::tn || spec.layout == GemmLayout::tt;
  return {spec.a(),
          TileGrid(spec.shape.m, spec.shape.k, spec.tile.m, kInputTileColumns, spec.wavefronts,
                   spec.element_bytes(), k_contiguous),
          k_contiguous};
}

}  // namespace

CollectiveArrays collective_arrays(const Config& config, const Phase& phase) {
  const GemmSpec spec = gemm_spec(config, 0);
  CollectiveArrays c;
  c.array = phase.on == CollectiveOn::input ? input_array(spec) : spec.c();
  c.stride = align_up(c.array.layout.footprint_bytes(), kPageBytes);
  if (phase.on == CollectiveOn::apart) {
    const MatrixLayout& output = c.array.layout;
    c.array.layout =
        MatrixLayout(output.base() + c.stride, output.rows(), output.columns(), output.element_bytes());
  }
  c.arrays = phase.plan ? phase.plan->arrays : phase.steps ? phase.steps->arrays : 1;
  if (phase.kind == PhaseKind::owner_stores) c.arrays = config.gpus.count;
  c.chunks = ChunkMap(c.array.grid, phase.plan    ? phase.plan->chunks
                                    : phase.steps ? phase.steps->chunks
                                                  : config.gpus.count);
  return c;
}

// Where the GEMM's stores go: by the chunk of the tile (Figure 11). Without a plan, through the L2.
class Gpu::GemmRouter final : public StoreRouter {
 public:
  GemmRouter(const CollectiveArrays& arrays, const GpuPlan* plan, bool cached)
      : arrays_(arrays), cached_(cached) {
    if (plan) plan_ = *plan;
  }
  StoreRoute route(std::uint32_t, std::uint32_t tile) const override {
    StoreRoute route;
    route.uncached = !cached_;
    if (plan_.chunks.empty()) return route;
    const ChunkPlan& chunk = plan_.chunks[arrays_.chunks.chunk_of(tile)];
    route.tracked = true;
    route.remote = chunk.producer == ChunkPlan::Producer::remote;
    route.op = route.remote ? chunk.remote.op : chunk.op;
    if (!route.remote) return route;
    route.gpu = chunk.remote.gpu;
    route.tile_offset = chunk.remote.array * arrays_.array.grid.tiles();
    route.array_offset = chunk.remote.array * arrays_.stride;
    return route;
  }

 private:
  CollectiveArrays arrays_;
  GpuPlan plan_;
  bool cached_;
};

// Stores go to the owner of the chunk: to its array of the output, each GPU's into an array of its own.
class Gpu::OwnerRouter final : public StoreRouter {
 public:
  OwnerRouter(const CollectiveArrays& arrays, std::uint32_t own) : arrays_(arrays), own_(own) {}
  StoreRoute route(std::uint32_t, std::uint32_t tile) const override {
    StoreRoute route;
    route.gpu = static_cast<std::uint16_t>(arrays_.chunks.chunk_of(tile));
    route.remote = route.gpu != own_;
    const auto gpus = arrays_.chunks.chunks();
    route.array_offset = (own_ + gpus - route.gpu) % gpus * arrays_.stride;
    return route;
  }

 private:
  CollectiveArrays arrays_;
  std::uint32_t own_;
};

// What the others store into the rows of C that this GPU owns.
void Gpu::expect_owned_rows() {
  const ChunkMap& chunks = collective_.chunks;
  arrivals_ = std::make_unique<ArrivalBoard>(1, collective_.array.grid.tiles(), CollectiveSync::tile);
  for (std::uint32_t i = 0; i < chunks.tiles(rank_); ++i) {
    const std::uint32_t tile = chunks.first_tile(rank_) + i;
    arrivals_->expect(0, tile, (config_.gpus.count - 1) * collective_.array.tile_sectors(tile));
  }
}

void Gpu::start_phase() {
  switch (phase_.kind) {
    case PhaseKind::kernel:
    case PhaseKind::gemm:
      start_gemm(false);
      break;
    case PhaseKind::fused:
      start_tracking();
      start_gemm(true);
      break;
    case PhaseKind::dma:
      start_tracking();
      break;
    case PhaseKind::gathered:
    case PhaseKind::concurrent:
      start_tracking();
      start_gemm(false);
      break;
    case PhaseKind::owner_stores:
      expect_owned_rows();
      start_gemm(true);
      break;
    case PhaseKind::channels:
      start_channels();
      break;
    case PhaseKind::collective_kernel:
      start_collective_kernel();
      break;
  }
}

void Gpu::start_kernel(KernelSource& source, const StoreRouter& router, Traffic traffic,
                       unsigned workgroups_per_cu, const ElementValues* values, std::size_t cus) {
  if (cus == 0) cus = cus_.size();
  KernelRun::Setup setup;
  setup.source = &source;
  setup.router = &router;
  setup.arrivals = arrivals_.get();
  setup.values = values;
  setup.traffic = traffic;
  setup.workgroups_per_cu = workgroups_per_cu;
  setup.first_stage =
      std::min<std::uint32_t>(source.workgroups(), static_cast<std::uint32_t>(cus) * workgroups_per_cu);
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
  for (std::size_t i = 0; i < cus; ++i) cus_[i]->run(*kernel_, setup.start + core_.cycles(i));
}

void Gpu::start_gemm(bool routed) {
  KernelSource& kernel = make_kernel();
  // A kernel whose timeline is replayed has all its workgroups resident: their times contain their waiting.
  if (traits_.timing == Timing::kernel)
    workgroups_per_cu_ = ceil_div(kernel.workgroups(), static_cast<std::uint32_t>(config_.gpu.cus));
  if (phase_.kind == PhaseKind::owner_stores)
    gemm_router_ = std::make_unique<OwnerRouter>(collective_, rank_);
  else
    gemm_router_ = std::make_unique<GemmRouter>(collective_, routed ? &phase_.plan->gpus[rank_] : nullptr,
                                                config_.l2.cache_output);
  start_kernel(kernel, *gemm_router_, Traffic::gemm, workgroups_per_cu_,
               functional_ ? functional_->produced.get() : nullptr);
}

// The workload's kernel, its tiles in the order in which this GPU produces them.
KernelSource& Gpu::make_kernel() {
  if (config_.workload.microbenchmark.kind != MicrobenchmarkKind::none) {
    produced_kernel_ = std::make_unique<MicrobenchmarkKernel>(
        config_.workload.microbenchmark, static_cast<std::uint32_t>(config_.gpu.wavefront_threads));
    return *produced_kernel_;
  }
  const Production production = this->production();
  if (config_.workload.generated) {
    GemmSpec spec = gemm_;
    spec.order.start_tile = production.start_tile;
    produced_kernel_ = std::make_unique<GemmKernel>(spec);
  } else {
    produced_kernel_ = std::make_unique<TraceKernel>(config_.workload.trace);
  }
  if (!production.ranks.empty())
    ordered_kernel_ = std::make_unique<ReorderedKernel>(
        *produced_kernel_, ranked_order(*produced_kernel_, [&](std::uint32_t tile) {
          return production.ranks[collective_.chunks.chunk_of(tile)];
        }));
  else if (production.start_tile != 0 && !config_.workload.generated)
    ordered_kernel_ = std::make_unique<ReorderedKernel>(
        *produced_kernel_, rotated_order(*produced_kernel_, gemm_.c().grid.tiles(), production.start_tile));
  KernelSource& kernel = ordered_kernel_ ? *ordered_kernel_ : *produced_kernel_;
  return phase_.kind == PhaseKind::gathered ? triggered(kernel) : kernel;
}

// A rotation of all chunks is a start tile, as kernels know it; any other order ranks the chunks.
Gpu::Production Gpu::production() const {
  Production p;
  if (phase_.kind == PhaseKind::gathered) {  // the own rows are there, the next ones arrive first
    const TileGrid& input = collective_.array.grid;
    p.start_tile = gemm_.c().grid.index(input.tile_row(collective_.chunks.first_tile(rank_)), 0);
    return p;
  }
  if (phase_.kind == PhaseKind::owner_stores && phase_.shifted)
    p.start_tile = collective_.chunks.first_tile((rank_ + 1) % collective_.chunks.chunks());
  if (!phase_.plan || phase_.kind == PhaseKind::concurrent) return p;
  const std::vector<std::uint32_t>& order = phase_.plan->gpus[rank_].order;
  const std::uint32_t chunks = collective_.chunks.chunks();
  bool rotation = order.size() == chunks;
  for (std::uint32_t i = 0; rotation && i < chunks; ++i) rotation = order[i] == (order[0] + i) % chunks;
  if (rotation) {
    p.start_tile = collective_.chunks.first_tile(order[0]);
    return p;
  }
  p.ranks.assign(chunks, kNoRank);
  for (std::uint32_t i = 0; i < order.size(); ++i) p.ranks[order[i]] = i;
  return p;
}

// Workgroups of a row of tiles wait for their rows of the gathered input.
KernelSource& Gpu::triggered(KernelSource& kernel) {
  const TileGrid& input = collective_.array.grid;
  arrivals_ = std::make_unique<ArrivalBoard>(1, input.tile_rows(), CollectiveSync::tile);
  for (std::uint32_t c = 0; c < collective_.chunks.chunks(); ++c) {
    if (phase_.plan->at(rank_, 0, c).updates(1) == 0) continue;
    for (std::uint32_t i = 0; i < collective_.chunks.tiles(c); ++i) {
      const std::uint32_t tile = collective_.chunks.first_tile(c) + i;
      for (std::uint32_t w = 0; w < input.wavefronts(); ++w)
        if (collective_.array.sectors({tile, w}) != 0) arrivals_->expect(0, input.tile_row(tile), 1);
    }
  }
  triggered_kernel_ = std::make_unique<TriggeredKernel>(kernel, gemm_.c().grid.tile_cols());
  return *triggered_kernel_;
}

void Gpu::start_collective_kernel() {
  const ChunkMap& chunks = collective_.chunks;
  const auto gpus = static_cast<std::uint32_t>(phase_.steps->gpus.size());
  std::uint32_t announcements = 1;
  for (const auto& steps : phase_.steps->gpus)
    for (const KernelStep& step : steps) announcements = std::max(announcements, step.announces + 1U);
  arrivals_ = std::make_unique<ArrivalBoard>(announcements, collective_.array.grid.tiles(),
                                             config_.gpu.collective_sync);
  for (std::uint32_t g = 0; g < gpus; ++g) {
    if (g == rank_) continue;
    for (const KernelStep& step : phase_.steps->gpus[g]) {
      if (step.gpu != rank_) continue;
      for (std::uint32_t i = 0; i < chunks.tiles(step.chunk); ++i) {
        const std::uint32_t tile = chunks.first_tile(step.chunk) + i;
        arrivals_->expect(step.announces, tile, collective_.array.tile_sectors(tile));
      }
    }
  }
  chunk_kernel_ = std::make_unique<ChunkKernel>(collective_.array, collective_.stride, chunks,
                                                phase_.steps->gpus[rank_], static_cast<std::uint16_t>(rank_),
                                                config_.gpu.collective_bytes_per_group);
  start_kernel(*chunk_kernel_, *chunk_kernel_, phase_.collective,
               static_cast<unsigned>(config_.gpu.collective_workgroups_per_cu), nullptr);
}

// The launch, barriers and flags of the library are the machine's (execution.channel).
void Gpu::start_channels() {
  const ChannelConfig& library = config_.execution.channel;
  const ChannelPlan& plan = (*phase_.channels)[rank_];
  const unsigned blocks = static_cast<unsigned>(plan.blocks.size() / plan.channels);  // a channel
  const std::uint64_t link_ps = config_.topology.link.latency_ps;
  ChannelTiming timing;
  timing.window_bytes = static_cast<std::uint32_t>(library.bytes_in_flight / blocks);
  timing.slice_cycles = static_cast<std::uint32_t>(time_.from_ps(library.slice_sync_ps) / core_.period());
  channel_kernel_ = std::make_unique<ChannelKernel>(plan, timing, static_cast<std::uint16_t>(rank_),
                                                    ChannelKernel::places(plan));
  arrivals_ = channel_kernel_->board();
  const std::uint64_t polling_ps = library.flag_latency_ps - std::min(library.flag_latency_ps, link_ps);
  flags_ = std::make_unique<ArrivalDelay>(scheduler_, *arrivals_, time_.from_ps(polling_ps));
  scheduler_.add(*flags_);
  start_kernel(*channel_kernel_, *channel_kernel_, phase_.collective, blocks, nullptr, plan.channels);
}

// Programs Tracker and DMA from the plan (Figure 12).
void Gpu::start_tracking() {
  const TileGrid& grid = collective_.array.grid;
  TrackerConfig settings;
  settings.ports = config_.tracker.ports;
  settings.core = core_;
  settings.ways = tracker_ways(config_);
  settings.series_interval = time_.from_ps(config_.run.series_interval_ps);
  tracker_ = std::make_unique<Tracker>(
      settings, collective_.arrays * grid.tiles(), grid.wavefronts(),
      [this](std::uint32_t tile, std::uint32_t wavefront, Tick now) {
        wavefront_tile_complete(tile, wavefront,
                                core_.align(now) + core_.cycles(config_.tracker.latency_cycles));
      },
      [this](Tick) {
        for (auto& channel : channels_) channel->retry_parked();
      });
  const std::uint32_t split_k = phase_.kind == PhaseKind::fused ? gemm_.split_k : 1;
  const auto for_each_chunk = [&](auto&& f) {  // the own chunk first
    const std::uint32_t chunks = collective_.chunks.chunks();
    for (std::uint32_t a = 0; a < collective_.arrays; ++a)
      for (std::uint32_t i = 0; i < chunks; ++i) {
        const std::uint32_t c = (rank_ + i) % chunks;
        f(phase_.plan->at(rank_, a, c), a * grid.tiles() + collective_.chunks.first_tile(c),
          collective_.chunks.tiles(c));
      }
  };
  for_each_chunk([&](const ChunkPlan& chunk, std::uint32_t first_tile, std::uint32_t tiles) {
    for (std::uint32_t tile = first_tile; tile < first_tile + tiles; ++tile)
      for (std::uint32_t w = 0; w < grid.wavefronts(); ++w)
        tracker_->expect(tile, w,
                         collective_.array.sectors({tile % grid.tiles(), w}) * chunk.updates(split_k),
                         chunk.producer == ChunkPlan::Producer::local
                             ? collective_.array.sectors({tile % grid.tiles(), w}) * split_k
                             : 0);
    dma_->program(first_tile, tiles, chunk.dma);
  });
  tracked_tiles_ = tracker_->incomplete();
  for_each_chunk([&](const ChunkPlan& chunk, std::uint32_t first_tile, std::uint32_t tiles) {
    if (chunk.updates(split_k) != 0) return;
    for (std::uint32_t tile = first_tile; tile < first_tile + tiles; ++tile)
      for (std::uint32_t w = 0; w < grid.wavefronts(); ++w) dma_->mark_ready(tile, w, start_);
  });
}

// Triggers what waits for it: its DMA command (4.2.2), or the workgroups that read it (7.2).
void Gpu::wavefront_tile_complete(std::uint32_t tile, std::uint32_t wavefront, Tick at) {
  triggers_.push_back({at, tile, static_cast<std::uint8_t>(wavefront)});
  dma_->mark_ready(tile, wavefront, at);
  if (phase_.kind == PhaseKind::gathered) arrivals_->count(0, collective_.array.grid.tile_row(tile), 1, at);
}

}  // namespace t3sim
