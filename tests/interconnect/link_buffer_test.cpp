// Receive buffers: enough of them by themselves, and a word about those that are too small.
#include "interconnect/link_buffer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "draws.h"
#include "interconnect/small_net.h"

namespace t3sim {
namespace {

class Draw {
 public:
  explicit Draw(std::uint32_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  // As likely in each decade.
  double between(double least, double most) {
    return least * std::pow(most / least, static_cast<double>(random_()) / 4294967295.0);
  }

 private:
  std::mt19937 random_;
};

TopologyConfig random_topology(Draw& draw) {
  TopologyConfig config;
  config.kind =
      std::array{TopologyKind::ring, TopologyKind::bidirectional_ring, TopologyKind::fully_connected,
                 TopologyKind::switched, TopologyKind::two_level}[draw.below(5)];
  config.shared_port = config.kind == TopologyKind::fully_connected && draw.below(2) == 0;
  config.node_size = 2;
  config.link.bandwidth_Bps = static_cast<std::uint64_t>(draw.between(25e9, 1800e9));
  config.link.latency_ps = static_cast<std::uint64_t>(draw.between(100e3, 10e6));
  config.outer_bandwidth_Bps = static_cast<std::uint64_t>(draw.between(25e9, 400e9));
  config.outer_latency_ps = static_cast<std::uint64_t>(draw.between(500e3, 10e6));
  config.link.header_bytes = std::array{0U, 16U, 32U}[draw.below(3)];
  return config;
}

// Full packets through a port of GPU 0 to the first GPU behind it, and what became of them.
struct Streamed {
  double carried_Bps;  // of payload, from the first packet's start to the last one's end
  double payload_Bps;  // that the port can carry
};
Streamed send_through(const TopologyConfig& config, std::uint32_t gpus, std::size_t port_number,
                      double round_trips) {
  SmallNet net(config, gpus);
  const PortSpec& port = net.gpus[0]->ports.out[port_number];
  const double wire = static_cast<double>(kLineBytes + config.link.header_bytes);
  const double seconds_a_packet = wire / static_cast<double>(port.bandwidth_Bps);
  const double loop =
      2e-12 *
      static_cast<double>(config.kind == TopologyKind::switched ? config.link.latency_ps : port.latency_ps);
  const auto packets = static_cast<std::uint32_t>(500 + round_trips * loop / seconds_a_packet);
  for (std::uint32_t i = 0; i < packets; ++i) net.gpus[0]->send(port.gpus[0], packet(kFullLine, i));
  net.run();
  const double latency = 0.5 * loop * 7e9;
  const double ticks = static_cast<double>(net.last_arrival(port.gpus[0])) - latency - 1;
  return {packets * kLineBytes / ticks * 7e9, kLineBytes / seconds_a_packet};
}

std::uint32_t gpus_of(const TopologyConfig& config) { return config.kind == TopologyKind::ring ? 2 : 4; }

TEST(AutomaticBuffers, KeepTheLinksOfAThousandMachinesAtTheirPayloadRate) {
  for (std::uint32_t seed = 0; seed < draws(1000U); ++seed) {
    Draw draw(seed);
    const TopologyConfig config = random_topology(draw);
    const auto ports = static_cast<std::uint32_t>(gpu_ports(config, gpus_of(config), 0).out.size());
    const Streamed stream = send_through(config, gpus_of(config), draw.below(ports), 1.2);
    EXPECT_GE(stream.carried_Bps, 0.95 * stream.payload_Bps)
        << fmt::format("seed {}, kind {}", seed, static_cast<int>(config.kind));
  }
}

TEST(BuffersThatTheUserWrote, CarryWhatTheWarningSays) {
  std::uint32_t small = 0;
  for (std::uint32_t seed = 0; seed < draws(100U); ++seed) {
    Draw draw(seed);
    TopologyConfig config = random_topology(draw);
    config.link.buffer_bytes = static_cast<std::uint64_t>(draw.between(4096, 4e6));
    const GpuPorts ports = gpu_ports(config, gpus_of(config), 0);
    const std::size_t number = draw.below(static_cast<std::uint32_t>(ports.out.size()));
    const BufferedPort port = tightest_port(config.link, std::span(&ports.out[number], 1));
    const Streamed stream = send_through(config, gpus_of(config), number, 8);
    EXPECT_NEAR(stream.carried_Bps / port.allowed_Bps, 1, 0.05) << "seed " << seed;
    const std::string warning = buffer_warning(port);
    EXPECT_EQ(warning.empty(), port.share() >= 1);
    if (warning.empty()) continue;
    ++small;
    EXPECT_NE(warning.find(fmt::format("{:.1f} GB/s", port.allowed_Bps / 1e9)), std::string::npos) << warning;
  }
  EXPECT_GT(small, draws(100U) / 3);
}

TEST(AutomaticBuffers, AreWhatThePapersMachineHadBefore) {
  EXPECT_EQ(automatic_buffer({}, 75'000'000'000, 500'000), 256U << 10);
}

TEST(AutomaticBuffers, FollowThePort) {
  TopologyConfig config;
  config.kind = TopologyKind::two_level;
  config.node_size = 2;
  const GpuPorts ports = gpu_ports(config, 4, 0);
  ASSERT_EQ(ports.out.size(), 2U);
  EXPECT_EQ(ports.out[0].buffer_bytes, automatic_buffer(config.link, config.link.bandwidth_Bps, 500'000));
  EXPECT_EQ(ports.out[1].buffer_bytes, automatic_buffer(config.link, config.outer_bandwidth_Bps, 2'000'000));
}

TEST(AutomaticBuffers, CauseNoWarning) {
  TopologyConfig config;
  config.link.bandwidth_Bps = 900'000'000'000;
  const GpuPorts ports = gpu_ports(config, 2, 0);
  EXPECT_EQ(buffer_warning(tightest_port(config.link, ports.out)), "");
}

}  // namespace
}  // namespace t3sim
