// The parts of a GPU, wired together.
#include "machine/gpu.h"

#include <bit>

#include "base/error.h"
#include "base/number.h"
#include "interconnect/link_buffer.h"

namespace t3sim {
namespace {

// CUs whose numbers follow each other and that are in one partition of the L2: those of a TPC, on H100 and
// H200.
constexpr std::uint16_t kCusTogether = 2;

// Ticks that most wake-ups lie ahead at most: a little over the latency of links, or a long memory wait.
Tick near_ticks(const TimeBase& time, const GpuPorts& ports) {
  std::uint64_t latency_ps = 0;
  for (const PortSpec& port : ports.out) latency_ps = std::max(latency_ps, port.latency_ps);
  return std::min<Tick>(time.from_ps(latency_ps + 200'000), Tick{1} << 20);
}

}  // namespace

Gpu::Gpu(const GpuSpec& spec, const TimeBase& time, FunctionalGpu* functional)
    : spec_(spec),
      home_l2_(spec.l2.memory_side.size_bytes == 0 ? spec.l2 : memory_side_slices(spec.l2)),
      die_l2_(die_slices(spec.l2)),
      time_(time),
      core_(time.period(spec.gpu.clock_hz)),
      scheduler_(near_ticks(time, spec.ports)),
      functional_(functional),
      map_(spec.memory, narrow<unsigned>(spec.l2.slices / spec.memory.channels)),
      dma_account_(series_interval()),
      start_(core_.align(time.from_ps(spec.start_delay_ps))) {
  if (spec.l2.slices % spec.l2.partitions != 0)
    throw InputError("l2.slices must be a multiple of l2.partitions");
  build_memory();
  if (spec.l2.memory_side.size_bytes != 0) build_dies();
  build_links();
  build_dma();
  build_cus();
  if (spec_.copies) build_copies();
  rank_parts();
}

void Gpu::build_memory() {
  const unsigned ports = map_.slices_per_channel();
  const Clock memory_clock(time_.period(spec_.memory.clock_hz));
  for (unsigned c = 0; c < map_.channels(); ++c) {
    parts_.channels.push_back(std::make_unique<Channel>(
        spec_.memory, c, ChannelWiring{memory_clock, scheduler_, *this, map_, ports, series_interval()}));
    parts_.channels.back()->count_blocked(blocked_ways_.blocked);
  }
  blocked_ways_.ways = spec_.l2.slices;
  // Low bits of the line number that only choose channel and slice say nothing about the set.
  const bool power_of_two = std::has_single_bit(spec_.l2.slices);
  const unsigned skip_bits = power_of_two ? narrow<unsigned>(std::countr_zero(spec_.l2.slices)) : 0;
  for (std::uint16_t s = 0; s < spec_.l2.slices; ++s)
    parts_.slices.push_back(std::make_unique<L2Slice>(
        home_l2_, s, skip_bits,
        SliceWiring{core_, scheduler_, *parts_.channels[s / ports], s % ports, reply_sinks_, *this,
                    lands_above_l2() ? nullptr : pool(), narrow<std::uint16_t>(spec_.gpu.cus),
                    spec_.l2.memory_side.size_bytes != 0}));
}

// A die's L2 is cut like the memory-side cache: each of its slices has one home there.
void Gpu::build_dies() {
  const unsigned ports = map_.slices_per_channel();
  const bool power_of_two = std::has_single_bit(spec_.l2.slices);
  const unsigned skip_bits = power_of_two ? narrow<unsigned>(std::countr_zero(spec_.l2.slices)) : 0;
  for (std::size_t i = 0; i < spec_.l2.dies * spec_.l2.slices; ++i) {
    Channel& unused = *parts_.channels[i % spec_.l2.slices / ports];
    parts_.dies.push_back(std::make_unique<L2Slice>(
        die_l2_, narrow<std::uint16_t>(i), skip_bits,
        SliceWiring{core_, scheduler_, unused, 0, reply_sinks_, *this, lands_above_l2() ? nullptr : pool(),
                    narrow<std::uint16_t>(spec_.gpu.cus)}));
  }
}

std::vector<Channel*> Gpu::channels() const {
  std::vector<Channel*> all;
  for (const auto& channel : parts_.channels) all.push_back(channel.get());
  return all;
}

void Gpu::build_links() {
  const EgressListener listener{
      [this](const Request& request, Tick now) {
        if (request.bulk)
          parts_.copies->sent(request, now);
        else
          parts_.dma->sent(now);
      },
      [this](const Request& store, Tick now) { kernel_of(store).store_accepted(now, true); }};
  const LinkWiring wiring{time_, scheduler_, outbox_, series_interval()};
  parts_.egress = std::make_unique<EgressPorts>(spec_.link, spec_.ports.out, wiring, listener);
  parts_.ingress = std::make_unique<LinkIngress>(spec_.link, spec_.ports.in, wiring,
                                                 MemoryPorts{map_, channels(), map_.slices_per_channel()});
  if (spec_.l2.remote_writes == RemoteWrites::l2) parts_.ingress->send_writes_to(*this);
}

void Gpu::build_dma() {
  DmaWiring wiring;
  wiring.core = core_;
  wiring.scheduler = &scheduler_;
  wiring.map = &map_;
  wiring.channels = channels();
  wiring.communication_port = map_.slices_per_channel();
  wiring.source = narrow<std::uint16_t>(parts_.slices.size());
  wiring.link = parts_.egress.get();
  wiring.observer = static_cast<DmaObserver*>(this);
  if (!spec_.put_cards.empty()) wiring.puts = static_cast<PutPort*>(this);
  parts_.dma = std::make_unique<DmaEngine>(spec_.dma, wiring);
}

void Gpu::build_copies() {
  CopyWiring wiring;
  wiring.core = core_;
  wiring.scheduler = &scheduler_;
  wiring.map = &map_;
  for (auto& slice : parts_.slices) wiring.slices.push_back(slice.get());
  wiring.link = parts_.egress.get();
  wiring.source = narrow<std::uint16_t>(reply_sinks_.size());
  wiring.sent = [this](std::uint32_t mark, Tick now) { listener_->copy_sent(mark, now); };
  wiring.noc_latency = core_.cycles(spec_.gpu.noc_latency_cycles);
  if (functional_) wiring.values = {&pool_, &functional_->memory};
  parts_.copies = std::make_unique<CopyEngine>(spec_.dma, wiring);
  reply_sinks_.push_back(parts_.copies.get());
}

std::optional<ClockBesideLinks> Gpu::make_clock_beside_links() {
  constexpr std::uint64_t kWindowPs = 2'000'000;  // a few K steps
  if (!spec_.gpu.clock_beside_links) return std::nullopt;
  double full_Bps = 0;
  for (const PortSpec& port : spec_.ports.out) full_Bps += 2 * payload_Bps(spec_.link, port.bandwidth_Bps);
  return ClockBesideLinks(*spec_.gpu.clock_beside_links, time_.from_ps(kWindowPs),
                          full_Bps * 1e-12 * kWindowPs, [this] { return link_bytes() + received_bytes(); });
}

void Gpu::build_cus() {
  CuWiring wiring;
  wiring.scheduler = &scheduler_;
  wiring.map = &map_;
  wiring.remote = parts_.egress.get();
  wiring.pool = pool();
  wiring.blocked_ways = &blocked_ways_;
  find_reach();
  clock_beside_links_ = make_clock_beside_links();
  if (clock_beside_links_) wiring.clock_beside_links = &*clock_beside_links_;
  for (std::uint16_t i = 0; i < spec_.gpu.cus; ++i) {
    const Reach& reach = reach_[reach_of(i)];
    wiring.slices = reach.slices;
    wiring.far = reach.far;
    parts_.cus.push_back(std::make_unique<ComputeUnit>(spec_.gpu, i, core_, wiring, spec_.l1_bytes));
    reply_sinks_.push_back(parts_.cus.back().get());
  }
  if (spec_.l2.partitions == 2) connect_partitions();
  if (!parts_.dies.empty()) connect_dies();
}

// The slices that CUs reach: all the same ones, or those of a partition of the L2 or of a die.
void Gpu::find_reach() {
  if (!parts_.dies.empty()) {
    for (std::size_t die = 0; die < spec_.l2.dies; ++die) reach_.push_back(reach_from_die(die));
  } else if (spec_.l2.partitions == 2) {
    for (const std::size_t partition : {0, 1}) reach_.push_back(reach_from_partition(partition));
  } else {
    for (Reach& all = reach_.emplace_back(); auto& slice : parts_.slices) all.slices.push_back(slice.get());
  }
}

// CUs are dealt to dies one by one, as their dispatcher deals workgroups.
std::size_t Gpu::reach_of(std::size_t cu) const {
  return (parts_.dies.empty() ? cu / kCusTogether : cu) % reach_.size();
}

Gpu::Reach Gpu::reach_from_partition(std::size_t partition) const {
  const std::size_t slices = parts_.slices.size(), half = slices / 2;
  Reach reach;
  for (std::size_t home = 0; home < slices; ++home) {
    const bool far = home / half != partition;
    reach.far.push_back(far);
    reach.slices.push_back(parts_.slices[far ? (home + half) % slices : home].get());
  }
  return reach;
}

void Gpu::connect_partitions() {
  const std::size_t slices = parts_.slices.size();
  const std::size_t first_sink = reply_sinks_.size();
  for (std::size_t s = 0; s < slices; ++s) {
    reply_sinks_.push_back(parts_.slices[s].get());
    const std::size_t partner = (s + slices / 2) % slices;
    parts_.slices[s]->stand_in_for(*parts_.slices[partner], narrow<std::uint16_t>(first_sink + s));
  }
}

Gpu::Reach Gpu::reach_from_die(std::size_t die) const {
  const std::size_t slices = parts_.slices.size();
  Reach reach;
  reach.far.assign(slices, true);
  for (std::size_t home = 0; home < slices; ++home)
    reach.slices.push_back(parts_.dies[die * slices + home].get());
  return reach;
}

void Gpu::connect_dies() {
  for (std::size_t i = 0; i < parts_.dies.size(); ++i) {
    parts_.dies[i]->stand_in_for(*parts_.slices[i % parts_.slices.size()],
                                 narrow<std::uint16_t>(reply_sinks_.size()));
    reply_sinks_.push_back(parts_.dies[i].get());
  }
}

// Parts that are due at the same tick run in this order.
void Gpu::rank_parts() {
  for (auto& channel : parts_.channels) scheduler_.add(*channel);
  scheduler_.add(*parts_.ingress);
  for (auto& slice : parts_.slices) scheduler_.add(*slice);
  for (auto& slice : parts_.dies) scheduler_.add(*slice);
  for (auto& cu : parts_.cus) scheduler_.add(*cu);
  scheduler_.add(*parts_.dma);
  for (const auto& port : parts_.egress->ports()) scheduler_.add(*port);
  if (parts_.copies) scheduler_.add(*parts_.copies);
}

}  // namespace t3sim
