#include "runtime/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "gpu/channel_kernel.h"
#include "kernel/embedding_kernel.h"
#include "kernel/gemm_kernel.h"
#include "kernel/gemv_kernel.h"
#include "kernel/phased_kernel.h"
#include "kernel/sum_kernel.h"
#include "kernel/sum_tile_kernel.h"
#include "machine/config.h"
#include "program/bodies.h"
#include "runtime/body_values.h"
#include "runtime/mark.h"

namespace t3sim {

using program::Array;
using program::Collective;
using program::EmbeddingBody;
using program::GemmBody;
using program::GemvBody;
using program::Launch;
using program::Program;
using program::Signals;
using program::SignalSet;
using program::SignalWait;
using program::SumBody;
using program::View;
using Kind = program::CollectiveKind;

namespace {

// What a tile's workgroup waits for: all words of a tile at once.
class TileWaits final : public Arrivals {
 public:
  TileWaits(const Launch& launch, SignalMemory& signals) : launch_(launch), signals_(signals) {}
  bool complete(std::uint32_t, std::uint32_t tile, ArrivalWaiter& waiter) override {
    for (const SignalWait& wait : launch_.waits.of(tile)) {
      if (signals_.reached(wait)) continue;
      signals_.watch(wait.word, waiter);
      return false;
    }
    return true;
  }

 private:
  const Launch& launch_;
  SignalMemory& signals_;
};

// A poll that succeeds reads the words; a setting is a store, after those of the tile.
class SignalSteps final : public TileSteps {
 public:
  // `first`: tile of the phase.
  SignalSteps(const LaunchContext& context, std::uint32_t command, const Launch& launch, std::uint32_t first)
      : context_(context), command_(command), launch_(launch), first_(first) {}

  bool before(std::uint32_t in_phase, std::uint32_t done, Group& group) const override {
    const std::uint32_t tile = first_ + in_phase;
    const auto waits = launch_.waits.of(tile);
    if (waits.empty() || done != 0) return false;
    group.clear();
    group.wait = true;
    group.wait_tile = tile;
    for (const SignalWait& wait : waits)
      group.loads.push_back(
          {.address = address_of(context_.program, wait.word), .bytes = kSectorBytes, .streaming = true});
    return true;
  }
  bool after(std::uint32_t in_phase, std::uint32_t done, Group& group) const override {
    const std::uint32_t tile = first_ + in_phase;
    const std::uint32_t which = nth(tile, done, false);
    if (which == kNone) return false;
    set(tile, which, group);
    const SignalSet& word = launch_.sets.of(tile)[which];
    const bool remote = target_gpu(launch_, tile) != context_.gpu;
    group.fence = word.fence && !(word.in_store && remote);
    group.delay_cycles = group.fence && remote ? fence_cycles() : 0;
    return true;
  }
  // A workgroup's flags follow when it is through with what goes to a GPU, not with all.
  bool parts(std::uint32_t in_phase, std::uint32_t next_in_phase) const override {
    const std::uint32_t tile = first_ + in_phase;
    return nth(tile, 0, true) != kNone &&
           target_gpu(launch_, tile) != target_gpu(launch_, first_ + next_in_phase);
  }
  bool last(std::uint32_t in_phase, std::uint32_t done, Fences& fences, Group& group) const override {
    const std::uint32_t tile = first_ + in_phase;
    const std::uint32_t which = nth(tile, done, true);
    if (which == kNone) return false;
    set(tile, which, group);
    const bool remote = target_gpu(launch_, tile) != context_.gpu;
    group.fence = !std::exchange(fences.local, true);
    if (remote && !std::exchange(fences.remote, true))
      group.fence = true, group.delay_cycles = fence_cycles();
    return true;
  }

 private:
  static constexpr std::uint32_t kNone = ~0U;

  // The `n`-th of the tile's settings that are, or are not, left for the end.
  std::uint32_t nth(std::uint32_t tile, std::uint32_t n, bool last) const {
    const auto sets = launch_.sets.of(tile);
    for (std::uint32_t i = 0; i < sets.size(); ++i)
      if (sets[i].last == last && n-- == 0) return i;
    return kNone;
  }
  void set(std::uint32_t tile, std::uint32_t which, Group& group) const {
    group.clear();
    group.tile =
        Mark{MarkKind::signal, context_.tables.settings_of(context_.gpu, command_, tile) + which}.tile();
    group.stores.push_back(
        {.address = address_of(context_.program, launch_.sets.of(tile)[which].word), .bytes = kSectorBytes});
  }
  // A fence of the whole system (membar.sys, s_waitcnt with a write-back) waits until what has gone over a link is
  // acknowledged: there and back. Links keep their order, so what comes with the data, or after it, needs none.
  std::uint32_t fence_cycles() const {
    const TimeBase time = time_base(context_.config);
    return narrow<std::uint32_t>(2 * time.from_ps(context_.config.topology.link.latency_ps) /
                                 time.period(context_.config.gpu.clock_hz)) +
           1;
  }

  LaunchContext context_;
  std::uint32_t command_;
  const Launch& launch_;
  std::uint32_t first_;
};

// A tile's stores to where the launch says, those of a sum to its output's GPU, a setting to the GPU of its word.
class LaunchRouter final : public StoreRouter {
 public:
  LaunchRouter(const LaunchContext& context, const Launch& launch) : context_(context), launch_(launch) {}
  StoreRoute route(std::uint32_t, std::uint32_t tile) const override {
    if (tile >= kFirstMark) return to(context_.tables.settings[Mark::of(tile).number].word.gpu);
    const auto targets = launch_.stores.of(tile);
    const auto* sum = std::get_if<SumBody>(&body_tile(launch_, tile).body);
    if (sum && targets.empty()) {
      StoreRoute route = to(sum->to.gpu);
      route.op = sum->add ? Op::update : Op::write;
      return route;
    }
    if (targets.empty()) return {};
    StoreRoute route = to(targets[0].gpu);
    route.op = targets[0].op;
    route.array_offset = static_cast<std::uint64_t>(targets[0].offset_bytes);
    return route;
  }

 private:
  StoreRoute to(std::uint32_t gpu) const {
    StoreRoute route;
    route.gpu = static_cast<std::uint16_t>(gpu);
    route.remote = gpu != context_.gpu;
    return route;
  }
  LaunchContext context_;
  const Launch& launch_;
};

// A kernel with what its workgroups do beside it.
template <class Kernel>
struct Signalling {
  template <class Make>
  Signalling(const SignalSteps& signals, Make&& make) : steps(signals), kernel(make(&steps)) {}
  SignalSteps steps;
  Kernel kernel;
};
template <class Make>
std::shared_ptr<std::invoke_result_t<Make, const TileSteps*>> signalling(const SignalSteps& signals,
                                                                         Make&& make) {
  using Kernel = std::invoke_result_t<Make, const TileSteps*>;
  auto whole = std::make_shared<Signalling<Kernel>>(signals, make);
  Kernel* const kernel = &whole->kernel;
  return {std::move(whole), kernel};
}

Rectangle rectangle_of(const LaunchContext& context, const View& view) {
  const Extent e = extent_of(context.program, view);
  return {e.address, e.pitch_bytes, e.row_bytes, e.rows};
}

// The kernel of a launch's phase, by its body.
class SourceMaker {
 public:
  SourceMaker(const LaunchContext& context, std::uint32_t command, const Launch& launch)
      : context_(context), command_(command), launch_(launch) {}

  std::shared_ptr<KernelSource> whole() const {
    if (const auto* gemm = std::get_if<GemmBody>(&launch_.body)) return gemm_kernel(*gemm);
    const auto* sum = std::get_if<SumBody>(&launch_.body);
    if (sum && sum->tile_rows == 0) return plain_sum(*sum);
    if (launch_.then.empty()) return phase({launch_.body, 0, launch_.order});
    std::vector<PhasedKernel::Part> parts{{phase({launch_.body, 0, launch_.order}), 0}};
    for (const program::Phase& one : launch_.then) parts.push_back({phase(one), one.first_tile});
    return std::make_shared<PhasedKernel>(std::move(parts));
  }

 private:
  std::shared_ptr<TileKernel> phase(const program::Phase& phase) const {
    const SignalSteps signals(context_, command_, launch_, phase.first_tile);
    const auto made = [&](auto make) -> std::shared_ptr<TileKernel> {
      return signalling(signals, [&](const TileSteps* steps) {
        return make(TileWalk{grid_of(phase.body).tiles(), launch_.workgroups, phase.order, steps});
      });
    };
    if (const auto* embedding = std::get_if<EmbeddingBody>(&phase.body))
      return made([&](TileWalk walk) { return EmbeddingKernel(spec_of(*embedding), std::move(walk)); });
    if (const auto* gemv = std::get_if<GemvBody>(&phase.body))
      return made([&](TileWalk walk) { return GemvKernel(spec_of(*gemv), std::move(walk)); });
    if (const auto* sum = std::get_if<SumBody>(&phase.body))
      return made([&](TileWalk walk) { return SumTileKernel(spec_of(*sum), std::move(walk)); });
    return made([](TileWalk walk) { return PollKernel(std::move(walk)); });
  }
  std::shared_ptr<KernelSource> gemm_kernel(const GemmBody& body) const {
    GemmSpec spec = body.spec;
    spec.accumulate = body.accumulate && !spec.l2_adds;
    return signalling(SignalSteps(context_, command_, launch_, 0),
                      [&](const TileSteps* steps) { return GemmKernel(spec, launch_.order, steps); });
  }
  std::shared_ptr<KernelSource> plain_sum(const SumBody& body) const {
    return std::make_shared<SumKernel>(rectangles(body.from), rectangle_of(context_, body.to));
  }
  std::vector<Rectangle> rectangles(const std::vector<View>& views) const {
    std::vector<Rectangle> all;
    for (const View& view : views) all.push_back(rectangle_of(context_, view));
    return all;
  }
  SumTileSpec spec_of(const SumBody& body) const {
    return {rectangles(body.from), rectangle_of(context_, body.to), grid_of(body),
            element_bytes(context_.program.arrays[body.to.array].type), wavefront_threads()};
  }
  EmbeddingSpec spec_of(const EmbeddingBody& body) const {
    EmbeddingSpec spec;
    spec.table = rectangle_of(context_, body.table);
    spec.to = rectangle_of(context_, body.to);
    if (body.indices) spec.indices = rectangle_of(context_, *body.indices);
    spec.bags = body.bags;
    spec.unroll = body.unroll;
    spec.thread_bytes = body.thread_bytes;
    spec.wavefront_threads = wavefront_threads();
    return spec;
  }
  GemvSpec spec_of(const GemvBody& body) const {
    GemvSpec spec;
    spec.w = rectangle_of(context_, body.w);
    spec.x = rectangle_of(context_, body.x);
    spec.y = rectangle_of(context_, body.y);
    spec.element_bytes = element_bytes(context_.program.arrays[body.y.array].type);
    spec.wavefronts = body.wavefronts;
    spec.rows_per_wavefront = body.rows_per_wavefront;
    spec.unroll = body.unroll;
    spec.registers = body.registers;
    spec.wavefront_threads = wavefront_threads();
    return spec;
  }
  std::uint32_t wavefront_threads() const {
    return narrow<std::uint32_t>(context_.config.gpu.wavefront_threads);
  }

  const LaunchContext& context_;
  std::uint32_t command_;
  const Launch& launch_;
};

// Stores of a collective's kernel say which collective they belong to.
class MarkingRouter final : public StoreRouter {
 public:
  MarkingRouter(std::shared_ptr<const StoreRouter> router, std::uint32_t collective)
      : router_(std::move(router)),
        offset_(Mark{MarkKind::collective, collective << CollectiveMark::kNumberBits}.tile()) {}
  StoreRoute route(std::uint32_t workgroup, std::uint32_t tile) const override {
    StoreRoute route = router_->route(workgroup, tile);
    route.tile_offset += offset_;
    return route;
  }

 private:
  std::shared_ptr<const StoreRouter> router_;
  std::uint32_t offset_;
};

ChannelPlan plan_of(const LaunchContext& context, const Collective& collective, std::uint64_t bytes) {
  const std::uint32_t gpus = context.program.gpu_count;
  const ChannelSettings settings = channel_settings(context.config, collective);
  if (collective.kind == Kind::all_to_all) return all_to_all_channels(context.gpu, gpus, bytes, settings);
  return ring_channels(channel_op(collective.kind), context.gpu, gpus, bytes, settings);
}

constexpr std::uint64_t kCommunicatorBytes = std::uint64_t{4} << 30;  // more than the FIFOs of any plan

// Behind all arrays and signals.
std::uint64_t end_of(const Program& program) {
  std::uint64_t end = 0;
  for (const Array& array : program.arrays)
    end = std::max(end, array.address + array.copies * array.stride_bytes);
  for (const Signals& signals : program.signals)
    end = std::max(end, signals.address + std::uint64_t{signals.count} * kLineBytes);
  return align_up(end, 2 << 20);
}

// A plan's offsets are those in the whole array. What a GPU has, or keeps, of a shard begins with its own.
ChannelKernel::Places places_of(const LaunchContext& context, const Collective& collective,
                                const ChannelPlan& plan) {
  const std::uint64_t shard = plan.array_bytes / context.program.gpu_count * context.gpu;
  const std::uint64_t in = extent_of(context.program, collective.in).address;
  const std::uint64_t out = extent_of(context.program, collective.out).address;
  const std::uint64_t fifos =
      end_of(context.program) + context.tables.communicator_of(collective) * kCommunicatorBytes;
  if (fifos + kCommunicatorBytes > kAddressSpaceBytes)
    throw InputError("no room for the buffers of collectives on so many streams behind the arrays");
  return {collective.kind == Kind::all_gather ? in - shard : in,
          collective.kind == Kind::reduce_scatter ? out - shard : out, fifos};
}

// What the workgroups of a launch compute, in functional mode.
std::shared_ptr<BodyValues> values_of(const LaunchContext& context, const KernelSource& source) {
  if (!context.values) return nullptr;
  if (const auto* gemm = dynamic_cast<const GemmKernel*>(&source))
    return std::make_shared<GemmValues>(*gemm, *context.values);
  if (const auto* gemv = dynamic_cast<const GemvKernel*>(&source))
    return std::make_shared<GemvValues>(*gemv, *context.values);
  if (const auto* phased = dynamic_cast<const PhasedKernel*>(&source)) {
    auto values = std::make_shared<PhasedValues>();
    for (const PhasedKernel::Part& part : phased->parts())
      values->add(part.first_tile, values_of(context, *part.kernel));
    return values;
  }
  return std::make_shared<SumValues>(*context.values);
}

}  // namespace

KernelLaunch kernel_of(const LaunchContext& context, std::uint32_t command, const Launch& what) {
  KernelLaunch launch;
  launch.sources = {SourceMaker(context, command, what).whole()};
  launch.body = values_of(context, launch.source());
  launch.router = std::make_shared<LaunchRouter>(context, what);
  if (!what.waits.empty()) launch.waits = std::make_shared<TileWaits>(what, context.signals);
  const unsigned fit = workgroups_per_cu(context.config.gpu, launch.source().traits());
  if (fit == 0) throw InputError("no workgroup of this kernel fits on a CU");
  launch.workgroups_per_cu = what.workgroups_per_cu == 0 ? fit : std::min(fit, what.workgroups_per_cu);
  launch.first_cu = what.first_cu;
  launch.cus = what.cus;
  launch.priority = what.priority;
  const auto* gemm = std::get_if<program::GemmBody>(&what.body);
  launch.adds = gemm && gemm->accumulate && gemm->spec.l2_adds;
  return launch;
}

CollectiveLaunch collective_of(const LaunchContext& context, const Collective& collective) {
  const ChannelConfig& library = context.config.execution.channel;
  // Whole rows, with what lies between them.
  const auto bytes_of = [&](const View& view) {
    const Extent extent = extent_of(context.program, view);
    return extent.pitch_bytes * extent.rows;
  };
  const ChannelPlan plan =
      plan_of(context, collective, std::max(bytes_of(collective.in), bytes_of(collective.out)));
  const auto blocks = narrow<unsigned>(plan.blocks.size() / plan.channels);
  const TimeBase time = time_base(context.config);
  ChannelTiming timing;
  constexpr std::uint64_t kThreads = 512, kThreadBytes = 8;  // LL's payload under way (NCCL's sources, 2.28)
  const std::uint64_t under_way =
      collective.low_latency ? kThreads * kThreadBytes : context.config.gpu.collective_bytes_per_group;
  timing.window_bytes = narrow<std::uint32_t>(under_way / blocks);
  timing.flags = collective.low_latency;
  if (!collective.low_latency)
    timing.slice_cycles =
        narrow<std::uint32_t>(time.from_ps(library.slice_sync_ps) / time.period(context.config.gpu.clock_hz));
  auto kernel = std::make_shared<ChannelKernel>(plan, timing, narrow<std::uint16_t>(context.gpu),
                                                places_of(context, collective, plan));
  if (workgroups_per_cu(context.config.gpu, kernel->traits()) == 0)
    throw InputError("no block of a collective's kernel fits on a CU");
  CollectiveLaunch made;
  made.board = kernel->board();
  made.kernel.sources = {kernel};
  made.kernel.body = values_of(context, *kernel);
  made.kernel.router = std::make_shared<MarkingRouter>(kernel, collective.number);
  made.kernel.board = made.board;
  made.kernel.traffic = Traffic::rs;
  made.kernel.workgroups_per_cu = blocks;
  made.kernel.cus = plan.channels;
  const std::uint32_t first_cu = context.tables.communicator_of(collective) * plan.channels;
  if (first_cu + plan.channels <= context.config.gpu.cus) made.kernel.first_cu = first_cu;
  made.kernel.uses_l1 = false;
  made.kernel.launch_cycles = 0;  // execution.channel.launch has it
  return made;
}

}  // namespace t3sim
