// Kernels and collectives on a GPU: from their start to their end.
#include "base/number.h"
#include "machine/gpu.h"

namespace t3sim {

RunningKernel& Gpu::launch(KernelLaunch what) {
  kernels_.push_back(std::make_unique<RunningKernel>(std::move(what)));
  ++kernels_left_;
  RunningKernel& kernel = *kernels_.back();
  const KernelLaunch& launch = kernel.launch;
  if (!listener_) {
    arrivals_ = launch.board.get();
    if (launch.flag_ps != 0) {
      flags_ = std::make_unique<ArrivalDelay>(scheduler_, *arrivals_, time_.from_ps(launch.flag_ps));
      scheduler_.add(*flags_);
    }
  }
  const std::size_t cus = launch.cus == 0 ? parts_.cus.size() : launch.cus;
  const std::uint64_t launch_cycles = launch.launch_cycles.value_or(spec_.gpu.kernel_launch_cycles);
  const KernelRun::Setup setup =
      setup_of(launch, cus, std::max(start_, launch.at) + core_.cycles(launch_cycles));
  kernel.run = std::make_unique<KernelRun>(setup);
  follow(kernel);
  const std::uint64_t one_by_one = spec_.gpu.dispatch == Dispatch::gpu ? 1 : 0;  // cycle
  for (std::size_t i = 0; i < cus; ++i)
    parts_.cus[launch.first_cu + i]->run(*kernel.run, setup.start + core_.cycles(i * one_by_one));
  return kernel;
}

KernelRun::Setup Gpu::setup_of(const KernelLaunch& launch, std::size_t cus, Tick at) {
  KernelRun::Setup setup;
  setup.source = &launch.source();
  setup.router = launch.router.get();
  setup.arrivals = launch.arrivals();
  setup.values = launch.values;
  setup.body = launch.body.get();
  setup.traffic = launch.traffic;
  setup.workgroups_per_cu = launch.workgroups_per_cu;
  setup.first_stage = std::min<std::uint32_t>(launch.source().workgroups(),
                                              narrow<std::uint32_t>(cus) * launch.workgroups_per_cu);
  setup.uses_l1 = launch.uses_l1;
  setup.adds = launch.adds;
  setup.time = &time_;
  setup.start = at;
  if (!listener_) return setup;
  const KernelTraits traits = launch.source().traits();
  setup.queue = &queue_;
  setup.issue_efficiency = traits.issue_efficiency;
  setup.share = {traits.wavefronts * spec_.gpu.wavefront_threads, traits.register_bytes, traits.lds_bytes};
  setup.priority = launch.priority;
  setup.first_cu = narrow<std::uint16_t>(launch.first_cu);
  setup.cus = narrow<std::uint16_t>(cus);
  return setup;
}

void Gpu::follow(RunningKernel& kernel) {
  KernelRun& run = *kernel.run;
  run.on_first_stage = [this](Tick) {
    for (auto& channel : parts_.channels) channel->first_stage_done();
  };
  run.on_end = [this, &kernel](Tick now) { kernel_ended(kernel, now); };
  run.on_start = [this](Tick) {
    for (auto& channel : parts_.channels) channel->kernel_started();
  };
  if (!listener_) return;
  queue_.add(run);
  run.on_dispatched = [this, &run](Tick now) {
    queue_.remove(run);
    for (auto& cu : parts_.cus) cu->places_free(now);
  };
}

// Programs Tracker and DMA engine from the plan (Figure 12), the own chunk first.
void Gpu::program(CollectiveProgram what) {
  collective_ = std::make_unique<RunningCollective>(std::move(what));
  const CollectiveProgram& program = collective_->program;
  const CollectiveArrays& arrays = program.arrays;
  TrackerConfig settings;
  settings.ports = spec_.tracker.ports;
  settings.core = core_;
  settings.ways = tracker_ways(spec_.tracker);
  settings.series_interval = series_interval();
  collective_->tracker = std::make_unique<Tracker>(
      settings, arrays.tiles(), arrays.array.grid.wavefronts(),
      [this](std::uint32_t tile, std::uint32_t wavefront, Tick now) {
        const Tick at = core_.align(now) + core_.cycles(spec_.tracker.latency_cycles);
        wavefront_tile_complete(tile, wavefront, at > now ? at : core_.next(now));
      },
      [this](Tick) {
        for (auto& channel : parts_.channels) channel->retry_parked();
      });
  tracker_ = collective_->tracker.get();
  parts_.dma->set_arrays(
      {arrays.array, arrays.arrays, arrays.stride, program.traffic, program.plan->tiles_per_block});
  program.for_each_chunk(spec_.rank,
                         [this](const ChunkPlan& chunk, std::uint32_t first_tile, std::uint32_t tiles) {
                           program_chunk(chunk, first_tile, tiles);
                         });
  collective_->tracked = tracker_->incomplete();
  start_present_chunks();
}

void Gpu::program_chunk(const ChunkPlan& chunk, std::uint32_t first_tile, std::uint32_t tiles) {
  const CollectiveProgram& program = collective_->program;
  const TiledMatrix& array = program.arrays.array;
  const std::uint32_t updates = chunk.updates(program.stores);
  const std::uint32_t local = chunk.producer == ChunkPlan::Producer::local ? program.stores : 0;
  for (std::uint32_t tile = first_tile; tile < first_tile + tiles; ++tile)
    for (std::uint32_t w = 0; w < array.grid.wavefronts(); ++w) {
      const std::uint64_t sectors = array.sectors({tile % array.grid.tiles(), w});
      tracker_->expect(tile, w, sectors * updates, sectors * local);
    }
  parts_.dma->program(first_tile, tiles, chunk.dma);
}

// What expects no update is complete from the start.
void Gpu::start_present_chunks() {
  const CollectiveProgram& program = collective_->program;
  program.for_each_chunk(spec_.rank,
                         [&](const ChunkPlan& chunk, std::uint32_t first_tile, std::uint32_t tiles) {
                           if (chunk.updates(program.stores) != 0) return;
                           for (std::uint32_t tile = first_tile; tile < first_tile + tiles; ++tile)
                             for (std::uint32_t w = 0; w < program.arrays.array.grid.wavefronts(); ++w)
                               parts_.dma->mark_ready(tile, w, start_);
                         });
}

// Triggers what waits for it: its DMA command (4.2.2), and the workgroups that read it (7.2).
void Gpu::wavefront_tile_complete(std::uint32_t tile, std::uint32_t wavefront, Tick at) {
  collective_->triggers.push_back({at, tile, narrow<std::uint8_t>(wavefront)});
  parts_.dma->mark_ready(tile, wavefront, at);
  const CollectiveProgram& program = collective_->program;
  if (program.rows) program.rows->count(0, program.arrays.array.grid.tile_row(tile), 1, at);
}

// A kernel boundary: dirty lines are written back, the cache is emptied, communication is drained (4.5). The
// kernel's time ends here: the writing back goes on while the next kernel is launched and runs.
void Gpu::kernel_ended(RunningKernel& kernel, Tick now) {
  kernel.ended_at = now;
  --kernels_left_;
  happened(now);
  for (const auto& port : parts_.egress->ports()) kernel.links_at_end.push_back(port->account().time(now));
  if (listener_) {
    for (auto& cu : parts_.cus) cu->release(*kernel.run);
    listener_->kernel_ended(kernel, now);
  }
  if (!kernels_ended()) return;
  parts_.egress->set_producing(false, now);
  for (auto& channel : parts_.channels) channel->kernel_ended();
  end_of_kernel_traffic(now);
}

// Where no other phase follows, the L2 is flushed once neither the kernels nor, where its writes go to the L2,
// the link has anything to add.
void Gpu::end_of_kernel_traffic(Tick now) {
  if (spec_.l2.kernel_boundary == KernelBoundary::keep || leaves_dirty_ || !kernels_ended()) return;
  if (spec_.l2.remote_writes == RemoteWrites::l2 && arrivals_ && arrivals_->missing() != 0) return;
  flush_l2(now);
}

bool Gpu::quiet() const {
  return kernels_ended() && parts_.copies->idle() && parts_.ingress->idle() && parts_.caches_idle();
}

void Gpu::flush_l2(Tick now) {
  for (const auto& slice : parts_.slices) slice->flush(now);
  for (const auto& slice : parts_.dies) slice->flush(now);
}

bool Gpu::complete() const {
  if (!kernels_ended() || (listener_ && !listener_->done())) return false;
  if (parts_.copies && !parts_.copies->idle()) return false;
  if (tracker_ && tracker_->incomplete() != 0) return false;
  if (arrivals_ && arrivals_->missing() != 0) return false;
  for (const auto& channel : parts_.channels)
    if (!channel->idle()) return false;
  if (!parts_.caches_idle()) return false;
  return parts_.dma->idle() && parts_.dma->pending_blocks() == 0 && parts_.egress->idle() &&
         parts_.ingress->idle();
}

double Gpu::progress() const {
  double done = 0, parts = 0;
  for (const auto& kernel : kernels_) {
    done += real(kernel->run->retired()) / std::max(1U, kernel->run->total());
    parts += 1;
  }
  if (collective_ && collective_->tracked != 0) {
    done += 1.0 - real(tracker_->incomplete()) / real(collective_->tracked);
    parts += 1;
  }
  return parts > 0 ? done / parts : 1.0;
}

void Gpu::finish() {
  dma_account_.settle(end_);
  if (tracker_) tracker_->settle(end_);
  for (auto& channel : parts_.channels) channel->settle(drained());
  for (const auto& port : parts_.egress->ports()) links_.push_back(port->account().time(end_));
  if (listener_) {  // kernels come and go: no time is one kernel's alone
    for (auto& cu : parts_.cus) cu->finish(end_, PlaceWait::no_workgroup, end_);
    return;
  }
  if (kernels_.empty()) return;
  const RunningKernel& last = *kernels_.back();
  const PlaceWait last_store = last.run->last_store_remote() ? PlaceWait::link : PlaceWait::memory;
  for (auto& cu : parts_.cus) cu->finish(last.run->last_retired(), last_store, time_of(last));
}

std::uint64_t Gpu::moves() const {
  std::uint64_t sum = link_bytes() + received_bytes() + parts_.dma->stats().lines;
  if (parts_.copies) sum += parts_.copies->stats().lines;
  for (const auto& kernel : kernels_) sum += kernel->run->retired();
  if (tracker_) sum += tracker_->stats().lookups;
  for (const auto& cu : parts_.cus) {
    const CuStats& s = cu->stats();
    sum += s.load_lines + s.store_lines + s.remote_store_lines + s.workgroups;
  }
  for (const auto& slice : parts_.slices) {
    const L2Stats& s = slice->stats();
    sum += s.read_requests + s.store_requests + s.writeback_sectors;
  }
  for (const auto& channel : parts_.channels) sum += channel->moves();
  return sum;
}

bool Gpu::computes(Tick now) const {
  if (listener_ && listener_->goes_on(now)) return true;
  return std::ranges::any_of(parts_.cus, [now](const auto& cu) { return cu->computes(now); });
}

}  // namespace t3sim
