#include "validation/measured/machine.h"

#include "machine/required_keys.h"
#include "sim/line.h"

namespace t3sim {

namespace {

constexpr double kStorePacket = 128;

double payload_Bps(const LinkConfig& link, double packet) {
  return static_cast<double>(link.bandwidth_Bps) * packet / (packet + static_cast<double>(link.header_bytes));
}

}  // namespace

double MeasuredMachine::link_Bps() const { return payload_Bps(config.topology.link, kStorePacket); }

double MeasuredMachine::copy_link_Bps() const {
  return payload_Bps(config.topology.link, static_cast<double>(config.topology.link.bulk_packet_bytes));
}

double MeasuredMachine::l2_latency_s() const {
  const auto cycles = static_cast<double>(2 * config.gpu.noc_latency_cycles + config.l2.latency_cycles);
  return cycles / static_cast<double>(config.gpu.clock_hz);
}

double MeasuredMachine::load_latency_s() const {
  const DramTiming& t = config.memory.timing;
  // Of two partitions, half of the misses go to the other one and come back.
  const std::uint64_t cycles = config.l2.dram_path_cycles + config.l2.partition_latency_cycles;
  return l2_latency_s() + static_cast<double>(cycles) / static_cast<double>(config.gpu.clock_hz) +
         static_cast<double>(t.rcd_read + t.cl + t.burst) / static_cast<double>(config.memory.clock_hz);
}

ChannelMachine MeasuredMachine::channels() const {
  ChannelMachine machine;
  machine.channel = config.execution.channel;
  machine.window_bytes = static_cast<double>(config.estimate.channel_window);
  machine.load_bytes_per_cycle = config.estimate.channel_load;
  machine.store_bytes_per_cycle = config.estimate.channel_store;
  machine.clock_hz = static_cast<double>(config.gpu.clock_hz);
  machine.load_latency_s = load_latency_s();
  machine.link_Bps = link_Bps();
  return machine;
}

MeasuredMachine load_machine(const std::string& file, const std::vector<std::string>& overrides) {
  config::Document document = config::load_file(file);
  for (const std::string& assignment : overrides) config::apply_override(document.root, assignment);
  MeasuredMachine machine;
  const config::Sources sources = config::read(document.root, machine.config);
  require_machine(machine.config, sources, MachineUse::measured);
  return machine;
}

}  // namespace t3sim
