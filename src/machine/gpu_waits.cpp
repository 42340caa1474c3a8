// What the parts of a GPU wait for when nothing moves any more: for each other, for other GPUs, or for
// nothing that will come. The plan says who should send what.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "machine/gpu.h"

namespace t3sim {

// GPU `gpu` as it is simulated, and what it calls a tile: with mirror, GPU 0 stands for all.
struct Gpu::Source {
  const Gpu& gpu;
  std::uint32_t tile;
  std::string name(const std::string& part) const { return fmt::format("GPU {} {}", gpu.rank_, part); }
};

Gpu::Source Gpu::source(const Gpus& all, std::uint32_t gpu, std::uint32_t tile) const {
  if (all.size() > 1) return {*all[gpu], tile};
  const std::uint32_t gpus = config_.gpus.count, tiles = collective_.array.grid.tiles();
  const std::uint32_t chunk = collective_.chunks.chunk_of(tile % tiles);
  const std::uint32_t there = chunk / gpus * gpus + (chunk + gpus - gpu % gpus) % gpus;
  return {*this, tile - collective_.chunks.first_tile(chunk) + collective_.chunks.first_tile(there)};
}

void Gpu::report_waits(Waits& all_waits, const Gpus& all, const Fabric& fabric) const {
  GpuWaits waits(all_waits, rank_);
  report_kernel(waits, all);
  for (const auto& slice : slices_) slice->report_waits(waits);
  for (const auto& channel : channels_) channel->report_waits(waits);
  dma_->report_waits(waits,
                     [&](std::uint32_t tile) { return !tracker_ || tracker_->missing(tile).all == 0; });
  report_links(waits, all, fabric);
  if (!tracker_) return;
  tracker_->report_waits(waits);
  for (std::uint32_t tile = 0; tile < collective_.arrays * collective_.array.grid.tiles(); ++tile)
    if (tracker_->missing(tile).all != 0) report_tile(waits, all, fabric, tile);
}

void Gpu::report_kernel(GpuWaits& waits, const Gpus& all) const {
  if (!kernel_ || kernel_->ended()) return;
  bool any = false;
  std::uint32_t loads = 0;
  ComputeUnit::ArrivalWaits arrivals;
  for (const auto& cu : cus_) {
    if (cu->has_nothing()) continue;
    any = true;
    waits.add("kernel", cu->name(), "its workgroups to end");
    loads += cu->report_waits(waits, arrivals);
  }
  for (const auto& [step, tile] : arrivals) report_arrival(waits, all, step, tile);
  bool slice_busy = false;
  for (const auto& slice : slices_) {
    if (slice->idle()) continue;
    slice_busy = true;
    if (loads != 0) waits.add("l2", slice->name(), "its requests");
  }
  if (loads != 0 && !slice_busy) waits.dead_end("l2", "has no request left: replies are lost");
  if (!egress_->idle()) waits.add("kernel", "link.out", "its stores to leave");
  const std::string way = on_the_way();
  if (kernel_->all_retired() && !way.empty())
    waits.add("kernel", way, "its last stores");
  else if (!any && egress_->idle())
    waits.dead_end("kernel", fmt::format("has ended {} of its {} workgroups, and no CU has another one",
                                         kernel_->retired(), kernel_->total()));
}

// A part of this GPU that still holds requests, "" if there is none.
std::string Gpu::on_the_way() const {
  if (!ingress_->idle()) return "link.in";
  for (const auto& slice : slices_)
    if (!slice->idle()) return slice->name();
  for (const auto& channel : channels_)
    if (!channel->idle()) return channel->name();
  return {};
}

// Data that workgroups of this GPU wait for: rows of a gathered input, or what a step of a collective kernel
// on another GPU sends.
void Gpu::report_arrival(GpuWaits& waits, const Gpus& all, std::uint32_t step, std::uint32_t tile) const {
  const std::string arrival = ComputeUnit::arrival_name(step, tile);
  if (phase_.kind == PhaseKind::gathered) {
    const TileGrid& input = collective_.array.grid;
    for (std::uint32_t t = 0; t < input.tiles(); ++t)
      if (input.tile_row(t) == tile && tracker_->missing(t).all != 0)
        waits.add(arrival, Tracker::tile_name(t), "a tile of that row of the input");
    return;
  }
  if (!phase_.steps) return waits.dead_end(arrival, "has not come");
  const std::uint32_t chunk = collective_.chunks.chunk_of(tile);
  for (std::uint32_t g = 0; g < phase_.steps->gpus.size(); ++g) {
    const std::uint32_t from = all.size() > 1 ? g : 0;
    for (const KernelStep& s : phase_.steps->gpus[g]) {
      if (g == rank_ || s.gpu != rank_ || s.announces != step || s.chunk != chunk) continue;
      if (all[from]->kernel_->ended() && all[from]->egress_->idle()) continue;
      waits.add_outside(arrival, fmt::format("GPU {} kernel", from), "its stores of that tile");
      return;
    }
  }
  if (const std::string way = on_the_way(); !way.empty())
    waits.add(arrival, way, "stores that have come");
  else
    waits.dead_end(arrival, "will not come: no GPU is left that announces it");
}

// A tile that lacks updates waits for those who make them by the plan and have not done so; failing them, for
// what is on its way.
void Gpu::report_tile(GpuWaits& waits, const Gpus& all, const Fabric& fabric, std::uint32_t tile) const {
  const Tracker::Missing missing = tracker_->missing(tile);
  const std::string waiter = Tracker::tile_name(tile);
  const std::string what = fmt::format("{} more sector updates", missing.all);
  bool any = false;
  if (missing.local != 0 && !kernel_->ended()) {
    waits.add(waiter, "kernel", fmt::format("{} more sector updates by its stores", missing.local));
    any = true;
  }
  PlannedSenders senders;
  if (missing.all != missing.local) any |= report_senders(waits, all, tile, what, senders);
  if (any) return;
  if (const std::string way = on_the_way(); !way.empty()) return waits.add(waiter, way, what);
  if (report_switch_table(waits, fabric, tile, what)) return;
  const ChunkPlan& chunk = planned(rank_, tile);
  waits.dead_end(
      waiter, fmt::format("waits for {}, and nobody has any left to send: it expects {} an element from its "
                          "own kernel, {} from stores and {} from DMA of other GPUs; by the plan GPUs [{}] "
                          "store to it and GPUs [{}] send to it by DMA",
                          what, int{chunk.producer == ChunkPlan::Producer::local}, chunk.stores_in,
                          chunk.dma_in, fmt::join(senders.by_stores, ", "), fmt::join(senders.by_dma, ", ")));
}

const ChunkPlan& Gpu::planned(std::uint32_t gpu, std::uint32_t tile) const {
  const std::uint32_t tiles = collective_.array.grid.tiles();
  return phase_.plan->at(gpu, tile / tiles, collective_.chunks.chunk_of(tile % tiles));
}

// Other GPUs that are to send updates of the tile; true if one of them has not sent all.
bool Gpu::report_senders(GpuWaits& waits, const Gpus& all, std::uint32_t tile, const std::string& what,
                         PlannedSenders& senders) const {
  const std::uint32_t tiles = collective_.array.grid.tiles(), array = tile / tiles;
  const auto waits_for = [&](const Source& from, const std::string& part) {
    waits.add_outside(Tracker::tile_name(tile), from.name(part), what);
    return true;
  };
  bool any = false;
  for (std::uint32_t g = 0; g < phase_.plan->gpus.size(); ++g)
    for (std::uint32_t a = 0; a < collective_.arrays; ++a) {
      const std::uint32_t theirs = a * tiles + tile % tiles;
      const ChunkPlan& there = planned(g, theirs);
      const Source from = source(all, g, theirs);
      if (there.producer == ChunkPlan::Producer::remote && there.remote.gpu == rank_ &&
          there.remote.array == array) {
        senders.by_stores.push_back(g);
        if (from.gpu.kernel_ && !from.gpu.kernel_->ended()) any = waits_for(from, "kernel");
      }
      for (const Transfer& transfer : there.dma) {
        if (transfer.gpu != rank_ || transfer.array != array) continue;
        senders.by_dma.push_back(g);
        const auto me = static_cast<std::uint16_t>(
            all.size() > 1 ? rank_ : (config_.gpus.count - g) % config_.gpus.count);
        const EgressPorts& out = *from.gpu.egress_;
        if (from.gpu.dma_->pending(from.tile))
          any = waits_for(from, DmaEngine::tile_name(from.tile));
        else if (out.leads_to(me) && out.held(me).dma != 0)
          any = waits_for(from, out.lane_name(me));
      }
    }
  return any;
}

// True if the switch holds a sum for the tile that is not complete: nobody is left to complete it.
bool Gpu::report_switch_table(GpuWaits& waits, const Fabric& fabric, std::uint32_t tile,
                              const std::string& what) const {
  bool held = false;
  if (fabric.through_switch() == nullptr) return held;
  const auto report = [&](std::uint16_t gpu, std::uint32_t t, std::uint32_t missing) {
    if (gpu != rank_ || t != tile) return;
    held = true;
    const std::string table = fmt::format("switch table, tile {} of GPU {},", tile, rank_);
    waits.add_outside(Tracker::tile_name(tile), table, what);
    waits.dead_end_outside(
        table,
        fmt::format("lacks {} updates of lines that it adds up, and no GPU has any left to send", missing));
  };
  fabric.through_switch()->for_each_waiting_tile(report);
  return held;
}

void Gpu::report_links(GpuWaits& waits, const Gpus& all, const Fabric& fabric) const {
  ingress_->report_waits(waits);
  const std::uint32_t gpus = config_.gpus.count;
  for (std::uint16_t to = 0; to < gpus; ++to) {
    if (!egress_->leads_to(to)) continue;
    const LinkEgress::Held held = egress_->held(to);
    if (held.stores + held.dma == 0) continue;
    const std::string lane = egress_->lane_name(to);
    waits.add("link.out", lane, "its packets to be sent");
    const std::string what = fmt::format("credits; it has {} bytes and {} stores and {} DMA packets to send",
                                         held.credits, held.stores, held.dma);
    const std::uint32_t receiver = all.size() > 1 ? to : 0;
    const auto me = static_cast<std::uint16_t>(all.size() > 1 ? rank_ : (gpus - to) % gpus);
    if (held.credits >= kLineBytes)
      waits.dead_end(lane, fmt::format("has credits and {} stores and {} DMA packets, and sends none (a lost "
                                       "wake-up)",
                                       held.stores, held.dma));
    else if (fabric.through_switch() ? !all[receiver]->ingress_->idle() : all[receiver]->ingress_->holds(me))
      waits.add_outside(lane, fmt::format("GPU {} link.in", receiver), what);
    else
      waits.dead_end(lane,
                     fmt::format("waits for {}, but GPU {} holds none of its packets: credits were lost, or "
                                 "the buffer (topology.buffer) is smaller than a packet",
                                 what, to));
  }
}

bool Gpu::computes(Tick now) const {
  for (const auto& cu : cus_)
    if (cu->computes(now)) return true;
  return false;
}

std::uint64_t Gpu::moves() const {
  std::uint64_t sum = link_bytes() + received_bytes() + dma_->stats().lines;
  if (kernel_) sum += kernel_->retired();
  if (tracker_) sum += tracker_->stats().lookups;
  for (const auto& cu : cus_) {
    const CuStats& s = cu->stats();
    sum += s.load_lines + s.store_lines + s.remote_store_lines + s.workgroups;
  }
  for (const auto& slice : slices_) {
    const L2Stats& s = slice->stats();
    sum += s.read_requests + s.store_requests + s.writeback_sectors;
  }
  for (const auto& channel : channels_) sum += channel->moves();
  return sum;
}

std::string Gpu::describe_awake() const {
  std::vector<std::string> names;
  const auto name_of = [&](const Component& part) -> std::string {
    for (const auto& channel : channels_)
      if (channel.get() == &part) return channel->name();
    for (const auto& slice : slices_)
      if (slice.get() == &part) return slice->name();
    for (const auto& cu : cus_)
      if (cu.get() == &part) return cu->name();
    for (const auto& port : egress_->ports())
      if (port.get() == &part) return port->name();
    return &part == dma_.get() ? "dma" : "link.in";
  };
  for (const Component* part : scheduler_.due())
    names.push_back(fmt::format("GPU {} {}", rank_, name_of(*part)));
  return fmt::format("{}", fmt::join(names, ", "));
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

}  // namespace t3sim
