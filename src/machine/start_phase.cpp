#include "machine/start_phase.h"

#include <algorithm>

#include "base/number.h"
#include "gpu/channel_kernel.h"
#include "kernel/gemm_kernel.h"
#include "kernel/microbenchmark.h"
#include "kernel/reordered_kernel.h"
#include "kernel/triggered_kernel.h"
#include "trace/trace_kernel.h"

namespace t3sim {
namespace {

// Where the GEMM's stores go: by the chunk of the tile (Figure 11). Without a plan, through the L2.
class GemmRouter final : public StoreRouter {
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
class OwnerRouter final : public StoreRouter {
 public:
  OwnerRouter(const CollectiveArrays& arrays, std::uint32_t own) : arrays_(arrays), own_(own) {}
  StoreRoute route(std::uint32_t, std::uint32_t tile) const override {
    StoreRoute route;
    route.gpu = static_cast<std::uint16_t>(arrays_.chunks.chunk_of(tile));
    route.remote = route.gpu != own_;
    const std::uint32_t gpus = arrays_.chunks.chunks();
    route.array_offset = (own_ + gpus - route.gpu) % gpus * arrays_.stride;
    return route;
  }

 private:
  CollectiveArrays arrays_;
  std::uint32_t own_;
};

// Order of a kernel's tiles: from a tile on, or chunks by rank.
struct Production {
  std::uint32_t start_tile = 0;
  std::vector<std::uint32_t> ranks;  // by chunk; kNoRank: not produced here
};

class PhaseStart {
 public:
  PhaseStart(Gpu& gpu, const Config& config, const Phase& phase, const FunctionalGpu* functional)
      : gpu_(gpu),
        config_(config),
        phase_(phase),
        functional_(functional),
        rank_(gpu.spec().rank),
        gemm_(gemm_spec(config, rank_)),
        arrays_(collective_arrays(config, phase)) {}

  void start() {
    gpu_.count_remote_stores_as(phase_.collective);
    const std::shared_ptr<ArrivalBoard> rows =
        phase_.kernel && phase_.kernel->waits_for_rows ? gathered_rows() : nullptr;
    if (phase_.tracked) start_tracking(rows);
    if (phase_.kernel) start_workload(rows);
    if (phase_.steps) start_collective_kernel();
    if (phase_.channels) start_channels();
  }

 private:
  void start_tracking(std::shared_ptr<ArrivalBoard> rows);
  void start_workload(std::shared_ptr<ArrivalBoard> rows);
  void route_stores(KernelLaunch& launch) const;
  void start_collective_kernel();
  void start_channels();
  std::shared_ptr<ArrivalBoard> owned_rows() const;
  std::shared_ptr<KernelSource> produced(std::uint32_t start_tile) const;
  void add_sources(KernelLaunch& launch) const;
  Production production() const;
  std::shared_ptr<ArrivalBoard> gathered_rows() const;
  std::shared_ptr<ArrivalBoard> announcements() const;

  Gpu& gpu_;
  const Config& config_;
  const Phase& phase_;
  const FunctionalGpu* functional_;
  std::uint32_t rank_;
  GemmSpec gemm_;
  CollectiveArrays arrays_;
};

void PhaseStart::start_tracking(std::shared_ptr<ArrivalBoard> rows) {
  const std::uint32_t stores = phase_.is_fused() ? gemm_.split_k : 1;
  const bool of_other_data = phase_.kernel && !phase_.is_fused();
  gpu_.program({arrays_, phase_.tracked, phase_.collective, stores, of_other_data, std::move(rows)});
}

void PhaseStart::start_workload(std::shared_ptr<ArrivalBoard> rows) {
  KernelLaunch launch;
  add_sources(launch);
  if (rows) {  // workgroups of a row of tiles wait for their rows of the gathered input
    launch.sources.push_back(std::make_shared<TriggeredKernel>(launch.source(), gemm_.c().grid.tile_cols()));
    launch.board = std::move(rows);
  }
  const KernelTraits traits = kernel_traits(config_);
  const GpuConfig& gpu = gpu_.spec().gpu;
  // A kernel whose timeline is replayed has all its workgroups resident: their times contain their waiting.
  launch.workgroups_per_cu = traits.timing == Timing::kernel
                                 ? ceil_div(launch.source().workgroups(), narrow<std::uint32_t>(gpu.cus))
                                 : workgroups_per_cu(gpu, traits);
  route_stores(launch);
  launch.values = functional_ ? functional_->produced.get() : nullptr;
  launch.alone = !phase_.tracked && phase_.kernel->stores == WorkloadKernel::Stores::local;
  gpu_.launch(std::move(launch));
}

void PhaseStart::route_stores(KernelLaunch& launch) const {
  if (phase_.kernel->stores == WorkloadKernel::Stores::owner) {
    launch.router = std::make_shared<OwnerRouter>(arrays_, rank_);
    launch.board = owned_rows();
    return;
  }
  const GpuPlan* const routes = phase_.is_fused() ? &phase_.tracked->gpus[rank_] : nullptr;
  launch.router = std::make_shared<GemmRouter>(arrays_, routes, config_.l2.cache_output);
}

std::shared_ptr<KernelSource> PhaseStart::produced(std::uint32_t start_tile) const {
  const WorkloadConfig& workload = config_.workload;
  if (workload.microbenchmark.kind != MicrobenchmarkKind::none)
    return std::make_shared<MicrobenchmarkKernel>(workload.microbenchmark,
                                                  narrow<std::uint32_t>(config_.gpu.wavefront_threads));
  if (!workload.generated) return std::make_shared<TraceKernel>(workload.trace, kAddressSpaceBytes);
  GemmSpec spec = gemm_;
  spec.order.start_tile = start_tile;
  return std::make_shared<GemmKernel>(spec);
}

// The workload's kernel, its tiles in the order in which this GPU produces them.
void PhaseStart::add_sources(KernelLaunch& launch) const {
  const bool microbenchmark = config_.workload.microbenchmark.kind != MicrobenchmarkKind::none;
  const Production production = microbenchmark ? Production{} : this->production();
  launch.sources.push_back(produced(production.start_tile));
  KernelSource& kernel = launch.source();
  if (!production.ranks.empty())
    launch.sources.push_back(
        std::make_shared<ReorderedKernel>(kernel, ranked_order(kernel, [&](std::uint32_t tile) {
                                            return production.ranks[arrays_.chunks.chunk_of(tile)];
                                          })));
  else if (production.start_tile != 0 && !config_.workload.generated)
    launch.sources.push_back(std::make_shared<ReorderedKernel>(
        kernel, rotated_order(kernel, gemm_.c().grid.tiles(), production.start_tile)));
}

// A rotation of all chunks is a start tile, as kernels know it; any other order ranks the chunks.
Production PhaseStart::production() const {
  Production p;
  if (phase_.kernel->waits_for_rows) {  // the own rows are there, the next ones arrive first
    const TileGrid& input = arrays_.array.grid;
    p.start_tile = gemm_.c().grid.index(input.tile_row(arrays_.chunks.first_tile(rank_)), 0);
    return p;
  }
  if (phase_.kernel->shifted) p.start_tile = arrays_.chunks.first_tile((rank_ + 1) % arrays_.chunks.chunks());
  if (!phase_.production()) return p;
  const std::vector<std::uint32_t>& order = phase_.production()->gpus[rank_].order;
  const std::uint32_t chunks = arrays_.chunks.chunks();
  bool rotation = order.size() == chunks;
  for (std::uint32_t i = 0; rotation && i < chunks; ++i) rotation = order[i] == (order[0] + i) % chunks;
  if (rotation) {
    p.start_tile = arrays_.chunks.first_tile(order[0]);
    return p;
  }
  p.ranks.assign(chunks, kNoRank);
  for (std::uint32_t i = 0; i < order.size(); ++i) p.ranks[order[i]] = i;
  return p;
}

// The rows of the input that come from other GPUs: wavefront tiles that the Tracker will report.
std::shared_ptr<ArrivalBoard> PhaseStart::gathered_rows() const {
  const TileGrid& input = arrays_.array.grid;
  auto board = std::make_shared<ArrivalBoard>(1, input.tile_rows(), CollectiveSync::tile);
  for (std::uint32_t c = 0; c < arrays_.chunks.chunks(); ++c) {
    if (phase_.tracked->at(rank_, 0, c).updates(1) == 0) continue;
    for (std::uint32_t i = 0; i < arrays_.chunks.tiles(c); ++i) {
      const std::uint32_t tile = arrays_.chunks.first_tile(c) + i;
      for (std::uint32_t w = 0; w < input.wavefronts(); ++w)
        if (arrays_.array.sectors({tile, w}) != 0) board->expect(0, input.tile_row(tile), 1);
    }
  }
  return board;
}

// What the steps of the other GPUs announce to this one.
std::shared_ptr<ArrivalBoard> PhaseStart::announcements() const {
  const ChunkMap& chunks = arrays_.chunks;
  const auto& gpus = phase_.steps->gpus;
  std::uint32_t kinds = 1;
  for (const auto& steps : gpus)
    for (const KernelStep& step : steps) kinds = std::max(kinds, step.announces + 1U);
  auto board = std::make_shared<ArrivalBoard>(kinds, arrays_.array.grid.tiles(), config_.gpu.collective_sync);
  for (std::uint32_t g = 0; g < gpus.size(); ++g) {
    if (g == rank_) continue;
    for (const KernelStep& step : gpus[g]) {
      if (step.gpu != rank_) continue;
      for (std::uint32_t i = 0; i < chunks.tiles(step.chunk); ++i) {
        const std::uint32_t tile = chunks.first_tile(step.chunk) + i;
        board->expect(step.announces, tile, arrays_.array.tile_sectors(tile));
      }
    }
  }
  return board;
}

void PhaseStart::start_collective_kernel() {
  auto kernel = std::make_shared<ChunkKernel>(ChunkArrays{arrays_.array, arrays_.stride, arrays_.chunks},
                                              phase_.steps->gpus[rank_], narrow<std::uint16_t>(rank_),
                                              config_.gpu.collective_bytes_per_group);
  KernelLaunch launch;
  launch.sources = {kernel};
  launch.router = kernel;
  launch.board = announcements();
  launch.steps = {kernel, phase_.steps, arrays_};
  launch.traffic = phase_.collective;
  launch.workgroups_per_cu = narrow<unsigned>(config_.gpu.collective_workgroups_per_cu);
  launch.uses_l1 = phase_.collective == Traffic::gemm;
  gpu_.launch(std::move(launch));
}

// What the others store into the rows of C that this GPU owns.
std::shared_ptr<ArrivalBoard> PhaseStart::owned_rows() const {
  auto board = std::make_shared<ArrivalBoard>(1, arrays_.array.grid.tiles(), CollectiveSync::tile);
  for (std::uint32_t i = 0; i < arrays_.chunks.tiles(rank_); ++i) {
    const std::uint32_t tile = arrays_.chunks.first_tile(rank_) + i;
    board->expect(0, tile, (config_.gpus.count - 1) * arrays_.array.tile_sectors(tile));
  }
  return board;
}

// Barriers and flags of the library are the machine's (execution.channel).
void PhaseStart::start_channels() {
  const ChannelConfig& library = config_.execution.channel;
  const ChannelPlan& plan = (*phase_.channels)[rank_];
  const auto blocks = ceil_div(narrow<std::uint32_t>(plan.blocks.size()), plan.channels);  // a channel
  const std::uint64_t link_ps = config_.topology.link.latency_ps;
  ChannelTiming timing;
  timing.window_bytes = narrow<std::uint32_t>(config_.gpu.collective_bytes_per_group / blocks);
  timing.slice_cycles =
      static_cast<std::uint32_t>(gpu_.time().from_ps(library.slice_sync_ps) / gpu_.core().period());
  auto kernel = std::make_shared<ChannelKernel>(plan, timing, static_cast<std::uint16_t>(rank_),
                                                ChannelKernel::places(plan));
  KernelLaunch launch;
  launch.board = kernel->board();
  launch.sources = {kernel};
  launch.router = kernel;
  launch.traffic = phase_.collective;
  launch.workgroups_per_cu = blocks;
  launch.cus = plan.channels;
  launch.flag_ps = library.flag_latency_ps - std::min(library.flag_latency_ps, link_ps);
  launch.uses_l1 = false;
  gpu_.launch(std::move(launch));
}

}  // namespace

void start_phase(Gpu& gpu, const Config& config, const Phase& phase, const FunctionalGpu* functional) {
  PhaseStart(gpu, config, phase, functional).start();
}

}  // namespace t3sim
