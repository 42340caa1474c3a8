// What the parts of a GPU wait for when nothing moves any more: for each other, for other GPUs, or for
// nothing that will come. The plan says who should send what.
#include "machine/stuck_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

#include "base/number.h"
#include "sim/waiting.h"

namespace t3sim {
namespace {

// GPU `gpu` as it is simulated, and what it calls a tile.
struct Source {
  const Gpu& gpu;
  std::uint32_t tile;
  std::string name(const std::string& part) const { return fmt::format("GPU {} {}", gpu.spec().rank, part); }
};

// Other GPUs that a plan lets make updates.
struct PlannedSenders {
  std::vector<std::uint32_t> by_stores, by_dma;
};

bool kernels_run(const Gpu& gpu) {
  return std::ranges::any_of(gpu.kernels(), [](const auto& kernel) { return !kernel->run->ended(); });
}

// The waits of one GPU.
class GpuReport {
 public:
  GpuReport(const Gpu& gpu, const ClusterView& cluster, Waits& waits)
      : gpu_(gpu), parts_(gpu.parts()), cluster_(cluster), waits_(waits, gpu.spec().rank) {}

  void add() {
    for (const auto& kernel : gpu_.kernels())
      if (!kernel->run->ended()) add_kernel(*kernel);
    for (const auto& slice : parts_.slices) slice->report_waits(waits_);
    for (const auto& slice : parts_.dies) slice->report_waits(waits_);
    for (const auto& channel : parts_.channels) channel->report_waits(waits_);
    const Tracker* tracker = gpu_.collective() ? gpu_.collective()->tracker.get() : nullptr;
    parts_.dma->report_waits(waits_,
                             [&](std::uint32_t tile) { return !tracker || tracker->missing(tile).all == 0; });
    parts_.ingress->report_waits(waits_);
    for (std::uint16_t to = 0; to < cluster_.count; ++to)
      if (parts_.egress->leads_to(to)) add_lane(to);
    if (!tracker) return;
    tracker->report_waits(waits_);
    for (std::uint32_t tile = 0; tile < program().arrays.tiles(); ++tile)
      if (tracker->missing(tile).all != 0) add_tile(tile);
  }

 private:
  void add_kernel(const RunningKernel& kernel);
  bool add_cus(const RunningKernel& kernel, std::uint32_t& loads);
  void add_arrival(const RunningKernel& kernel, std::uint32_t step, std::uint32_t tile);
  void add_announcement(const RunningKernel& kernel, std::uint32_t step, std::uint32_t tile);
  void add_tile(std::uint32_t tile);
  bool add_senders(std::uint32_t tile, const std::string& what, PlannedSenders& senders);
  bool add_dma_senders(const Source& from, std::uint32_t g, std::uint32_t tile, const std::string& what);
  bool add_switch_table(std::uint32_t tile, const std::string& what);
  void add_lane(std::uint16_t to);
  std::string on_the_way() const;

  const CollectiveProgram& program() const { return gpu_.collective()->program; }
  bool mirror() const { return cluster_.gpus.size() == 1; }
  const Gpu& simulated(std::uint32_t gpu) const { return *cluster_.gpus[mirror() ? 0 : gpu]; }
  // What GPU `gpu`, as it is simulated, calls this one.
  std::uint16_t me_for(std::uint32_t gpu) const {
    return narrow<std::uint16_t>(mirror() ? (cluster_.count - gpu) % cluster_.count : gpu_.spec().rank);
  }
  Source source(std::uint32_t gpu, std::uint32_t tile) const;
  std::span<const Hop> route_to(std::uint32_t gpu) const {
    return cluster_.fabric.topology().routes.route(gpu_.spec().rank, gpu);
  }
  // Do the packets to a GPU pass links of the network after the GPU's own?
  bool forwarded(std::uint32_t gpu) const {
    return cluster_.fabric.named_network() != nullptr && route_to(gpu).size() > 1;
  }

  const Gpu& gpu_;
  const GpuParts& parts_;
  const ClusterView& cluster_;
  GpuWaits waits_;
};

// Mirror: what GPU g does with chunk c, GPU 0 does with chunk c - g.
Source GpuReport::source(std::uint32_t gpu, std::uint32_t tile) const {
  if (!mirror()) return {*cluster_.gpus[gpu], tile};
  const CollectiveArrays& arrays = program().arrays;
  const std::uint32_t gpus = cluster_.count, chunk = arrays.chunk_of(tile);
  const std::uint32_t there = chunk / gpus * gpus + (chunk + gpus - gpu % gpus) % gpus;
  return {gpu_, tile - arrays.chunks.first_tile(chunk) + arrays.chunks.first_tile(there)};
}

// True if some CU has something to do.
bool GpuReport::add_cus(const RunningKernel& kernel, std::uint32_t& loads) {
  bool any = false;
  ComputeUnit::ArrivalWaits arrivals;
  for (const auto& cu : parts_.cus) {
    if (cu->has_nothing()) continue;
    any = true;
    waits_.add("kernel", cu->name(), "its workgroups to end");
    loads += cu->report_waits(waits_, arrivals);
  }
  for (const auto& [step, tile] : arrivals) add_arrival(kernel, step, tile);
  return any;
}

void GpuReport::add_kernel(const RunningKernel& kernel) {
  std::uint32_t loads = 0;
  const bool any = add_cus(kernel, loads);
  bool slice_busy = false;
  for (const auto& slice : parts_.l2()) {
    if (slice->idle()) continue;
    slice_busy = true;
    if (loads != 0) waits_.add("l2", slice->name(), "its requests");
  }
  if (loads != 0 && !slice_busy) waits_.dead_end("l2", "has no request left: replies are lost");
  if (!parts_.egress->idle()) waits_.add("kernel", "link.out", "its stores to leave");
  const std::string way = on_the_way();
  if (kernel.run->all_retired() && !way.empty())
    waits_.add("kernel", way, "its last stores");
  else if (!any && parts_.egress->idle())
    waits_.dead_end("kernel", fmt::format("has ended {} of its {} workgroups, and no CU has another one",
                                          kernel.run->retired(), kernel.run->total()));
}

// A part of this GPU that still holds requests, "" if there is none.
std::string GpuReport::on_the_way() const {
  if (!parts_.ingress->idle()) return "link.in";
  for (const auto& slice : parts_.slices)
    if (!slice->idle()) return slice->name();
  for (const auto& channel : parts_.channels)
    if (!channel->idle()) return channel->name();
  return {};
}

// Data that workgroups of this GPU wait for: rows of a gathered input, or what a step of a collective kernel
// on another GPU sends.
void GpuReport::add_arrival(const RunningKernel& kernel, std::uint32_t step, std::uint32_t tile) {
  if (kernel.launch.steps.kernel) return add_announcement(kernel, step, tile);
  if (!gpu_.collective()) return;  // channels: flags of a neighbour, who is stuck as well
  const TileGrid& input = program().arrays.array.grid;
  for (std::uint32_t t = 0; t < input.tiles(); ++t)
    if (input.tile_row(t) == tile && gpu_.collective()->tracker->missing(t).all != 0)
      waits_.add(ComputeUnit::arrival_name(step, tile), Tracker::tile_name(t),
                 "a tile of that row of the input");
}

void GpuReport::add_announcement(const RunningKernel& kernel, std::uint32_t step, std::uint32_t tile) {
  const std::string arrival = ComputeUnit::arrival_name(step, tile);
  const CollectiveSteps& steps = kernel.launch.steps;
  const std::uint32_t rank = gpu_.spec().rank, chunk = steps.arrays.chunks.chunk_of(tile);
  for (std::uint32_t g = 0; g < steps.plan->gpus.size(); ++g) {
    const Gpu& from = simulated(g);
    if (g == rank || (!kernels_run(from) && from.parts().egress->idle())) continue;
    for (const KernelStep& s : steps.plan->gpus[g]) {
      if (s.gpu != rank || s.announces != step || s.chunk != chunk) continue;
      waits_.add_outside(arrival, fmt::format("GPU {} kernel", from.spec().rank), "its stores of that tile");
      return;
    }
  }
  if (const std::string way = on_the_way(); !way.empty())
    waits_.add(arrival, way, "stores that have come");
  else
    waits_.dead_end(arrival, "will not come: no GPU is left that announces it");
}

// A tile that lacks updates waits for those who make them by the plan and have not done so; failing them, for
// what is on its way.
void GpuReport::add_tile(std::uint32_t tile) {
  const Tracker::Missing missing = gpu_.collective()->tracker->missing(tile);
  const std::string waiter = Tracker::tile_name(tile);
  const std::string what = fmt::format("{} more sector updates", missing.all);
  bool any = false;
  if (missing.local != 0 && kernels_run(gpu_)) {
    waits_.add(waiter, "kernel", fmt::format("{} more sector updates by its stores", missing.local));
    any = true;
  }
  PlannedSenders senders;
  if (missing.all != missing.local) any |= add_senders(tile, what, senders);
  if (any) return;
  if (const std::string way = on_the_way(); !way.empty()) return waits_.add(waiter, way, what);
  if (add_switch_table(tile, what)) return;
  const ChunkPlan& chunk = program().planned(gpu_.spec().rank, tile);
  waits_.dead_end(
      waiter, fmt::format("waits for {}, and nobody has any left to send: it expects {} an element from its "
                          "own kernel, {} from stores and {} from DMA of other GPUs; by the plan GPUs [{}] "
                          "store to it and GPUs [{}] send to it by DMA",
                          what, int{chunk.producer == ChunkPlan::Producer::local}, chunk.stores_in,
                          chunk.dma_in, fmt::join(senders.by_stores, ", "), fmt::join(senders.by_dma, ", ")));
}

// Other GPUs that are to send updates of the tile; true if one of them has not sent all.
bool GpuReport::add_senders(std::uint32_t tile, const std::string& what, PlannedSenders& senders) {
  const CollectiveArrays& arrays = program().arrays;
  const std::uint32_t rank = gpu_.spec().rank, array = arrays.array_of(tile);
  bool any = false;
  for (std::uint32_t g = 0; g < program().plan->gpus.size(); ++g)
    for (std::uint32_t a = 0; a < arrays.arrays; ++a) {
      const std::uint32_t theirs = tile + (a - array) * arrays.array.grid.tiles();
      const ChunkPlan& there = program().planned(g, theirs);
      const Source from = source(g, theirs);
      if (there.producer == ChunkPlan::Producer::remote && there.remote.gpu == rank &&
          there.remote.array == array) {
        senders.by_stores.push_back(g);
        if (kernels_run(from.gpu)) {
          waits_.add_outside(Tracker::tile_name(tile), from.name("kernel"), what);
          any = true;
        }
      }
      for (const Transfer& transfer : there.dma) {
        if (transfer.gpu != rank || transfer.array != array) continue;
        senders.by_dma.push_back(g);
        any |= add_dma_senders(from, g, tile, what);
      }
    }
  return any;
}

// What GPU `g` sends by DMA: still to be read, or in a queue of its link.
bool GpuReport::add_dma_senders(const Source& from, std::uint32_t g, std::uint32_t tile,
                                const std::string& what) {
  const std::uint16_t me = me_for(g);
  const EgressPorts& out = *from.gpu.parts().egress;
  if (from.gpu.parts().dma->pending(from.tile))
    waits_.add_outside(Tracker::tile_name(tile), from.name(DmaEngine::tile_name(from.tile)), what);
  else if (out.leads_to(me) && out.held(me).dma != 0)
    waits_.add_outside(Tracker::tile_name(tile), from.name(out.lane_name(me)), what);
  else
    return false;
  return true;
}

// True if the switch holds a sum for the tile that is not complete: nobody is left to complete it.
bool GpuReport::add_switch_table(std::uint32_t tile, const std::string& what) {
  bool held = false;
  const std::uint32_t rank = gpu_.spec().rank;
  if (cluster_.fabric.network() == nullptr) return held;
  const auto report = [&](std::uint16_t gpu, std::uint32_t t, std::uint32_t missing) {
    if (gpu != rank || t != tile) return;
    held = true;
    const std::string table = fmt::format("switch table, tile {} of GPU {},", tile, rank);
    waits_.add_outside(Tracker::tile_name(tile), table, what);
    waits_.dead_end_outside(
        table,
        fmt::format("lacks {} updates of lines that it adds up, and no GPU has any left to send", missing));
  };
  cluster_.fabric.network()->for_each_waiting_tile(report);
  return held;
}

// What waits to be sent to a GPU.
void GpuReport::add_lane(std::uint16_t to) {
  const LinkEgress::Held held = parts_.egress->held(to);
  if (held.stores + held.dma == 0) return;
  const std::string lane = parts_.egress->lane_name(to);
  waits_.add("link.out", lane, "its packets to be sent");
  const std::string what = fmt::format("credits; it has {} bytes and {} stores and {} DMA packets to send",
                                       held.credits, held.stores, held.dma);
  const Gpu& receiver = simulated(to);
  const LinkIngress& in = *receiver.parts().ingress;
  if (held.credits >= kLineBytes)
    waits_.dead_end(lane, fmt::format("has credits and {} stores and {} DMA packets, and sends none (a lost "
                                      "wake-up)",
                                      held.stores, held.dma));
  else if (forwarded(to))
    cluster_.fabric.named_network()->report_holders(waits_.all(), waits_.name(lane),
                                                    route_to(to).front().link, what);
  else if (cluster_.fabric.network() ? !in.idle() : in.holds(me_for(to)))
    waits_.add_outside(lane, fmt::format("GPU {} link.in", receiver.spec().rank), what);
  else
    waits_.dead_end(lane,
                    fmt::format("waits for {}, but GPU {} holds none of its packets: credits were lost, or "
                                "the buffer (topology.buffer) is smaller than a packet",
                                what, to));
}

std::string name_of(const Component& part, const GpuParts& parts) {
  for (const auto& channel : parts.channels)
    if (channel.get() == &part) return channel->name();
  for (const auto& slice : parts.slices)
    if (slice.get() == &part) return slice->name();
  for (const auto& slice : parts.dies)
    if (slice.get() == &part) return slice->name();
  for (const auto& cu : parts.cus)
    if (cu.get() == &part) return cu->name();
  for (const auto& port : parts.egress->ports())
    if (port.get() == &part) return port->name();
  return &part == parts.dma.get() ? "dma" : "link.in";
}

}  // namespace

std::string stuck_report(const ClusterView& cluster, const std::string& reason) {
  Waits waits;
  for (const auto& gpu : cluster.gpus) GpuReport(*gpu, cluster, waits).add();
  if (cluster.fabric.named_network()) cluster.fabric.named_network()->report_waits(waits);
  return fmt::format("no progress: {}\n{}\n{}{}", reason, waits.explain(), waits.list(),
                     cluster.fabric.describe_waiting());
}

std::string awake_parts(const ClusterView& cluster) {
  std::vector<std::string> names;
  for (const auto& gpu : cluster.gpus)
    for (const Component* part : gpu->scheduler().due())
      names.push_back(fmt::format("GPU {} {}", gpu->spec().rank, name_of(*part, gpu->parts())));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace t3sim
