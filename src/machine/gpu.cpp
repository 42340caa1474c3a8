#include "machine/gpu.h"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace t3sim {
namespace {

// Ticks that most wake-ups lie ahead at most: a little over the latency of links, or a long memory wait.
Tick near_ticks(const TimeBase& time, const GpuPorts& ports) {
  std::uint64_t latency_ps = 0;
  for (const PortSpec& port : ports.out) latency_ps = std::max(latency_ps, port.latency_ps);
  return std::min<Tick>(time.from_ps(latency_ps + 200'000), Tick{1} << 20);
}

}  // namespace

Gpu::Gpu(const Config& config, std::uint32_t rank, const Phase& phase, const TimeBase& time,
         FunctionalGpu* functional)
    : config_(config),
      rank_(rank),
      phase_(phase),
      time_(time),
      core_(time.period(config.gpu.clock_hz)),
      ports_(gpu_ports(config.topology, config.gpus.count, static_cast<std::uint16_t>(rank))),
      scheduler_(near_ticks(time, ports_)),
      functional_(functional),
      gemm_(gemm_spec(config, rank)),
      collective_(collective_arrays(config, phase)),
      map_(config.memory, static_cast<unsigned>(config.l2.slices / config.memory.channels)) {
  config_.memory = memory_config(config, phase.arbitration);
  config_.gpu.matrix_flops_per_cycle = matrix_rate(config.gpu, gemm_.type);
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
  for (const auto& port : egress_->ports()) scheduler_.add(*port);

  const GpusConfig& gpus = config_.gpus;
  if (const auto found = gpus.overrides.find(rank);
      found != gpus.overrides.end() && found->second.start_delay_ps)
    start_ = core_.align(time_.from_ps(*found->second.start_delay_ps));
  start_phase();
}

Gpu::~Gpu() = default;

void Gpu::build_memory() {
  const unsigned ports = map_.slices_per_channel();
  const Clock memory_clock(time_.period(config_.memory.clock_hz));
  const Tick interval = time_.from_ps(config_.run.series_interval_ps);
  for (unsigned c = 0; c < map_.channels(); ++c)
    channels_.push_back(std::make_unique<Channel>(config_.memory, c, memory_clock, scheduler_,
                                                  static_cast<ChannelClient&>(*this), map_, ports, interval));
  for (auto& channel : channels_) channel->count_blocked(blocked_ways_.blocked);
  blocked_ways_.ways = config_.l2.slices;
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
  const LinkConfig& link = config_.topology.link;
  const EgressListener listener{[this](Tick now) { dma_->sent(now); },
                                [this](Tick now) { kernel_->store_accepted(now, true); }};
  egress_ = std::make_unique<EgressPorts>(link, ports_.out, time_, scheduler_, outbox_, listener,
                                          time_.from_ps(config_.run.series_interval_ps));
  ingress_ = std::make_unique<LinkIngress>(link, ports_.in, time_, scheduler_, map_, channels,
                                           communication_port, outbox_);
  if (config_.l2.remote_writes == RemoteWrites::l2) ingress_->send_writes_to(*this);
  DmaConfig dma = config_.dma;
  if (phase_.plan && phase_.plan->tiles_per_block != 0) dma.tiles_per_block = phase_.plan->tiles_per_block;
  dma_ = std::make_unique<DmaEngine>(dma, collective_.array, collective_.arrays, collective_.stride,
                                     phase_.collective, core_, scheduler_, map_, channels, communication_port,
                                     static_cast<std::uint16_t>(slices_.size()), *egress_,
                                     time_.from_ps(config_.run.series_interval_ps));
}

void Gpu::build_cus() {
  CuWiring wiring;
  wiring.scheduler = &scheduler_;
  wiring.map = &map_;
  for (auto& slice : slices_) wiring.slices.push_back(slice.get());
  wiring.remote = egress_.get();
  wiring.pool = pool();
  wiring.blocked_ways = &blocked_ways_;
  const std::uint64_t l1 = l1_bytes(config_.gpu, traits_, workgroups_per_cu_);
  for (std::uint16_t i = 0; i < config_.gpu.cus; ++i) {
    cus_.push_back(std::make_unique<ComputeUnit>(config_.gpu, i, core_, wiring, l1));
    reply_sinks_.push_back(cus_.back().get());
  }
}

}  // namespace t3sim
