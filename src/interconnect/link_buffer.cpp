#include "interconnect/link_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/number.h"
#include "sim/request.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kPsPerSecond = 1'000'000'000'000;
constexpr std::uint64_t kLeastBuffer = 4096;

BufferedPort buffered(const LinkConfig& link, const PortSpec& port) {
  const std::uint64_t round_trip = credit_round_trip_ps(link, port.bandwidth_Bps, port.latency_ps);
  const auto whole_lines = real(port.buffer_bytes / kLineBytes * kLineBytes);
  const double payload = payload_Bps(link, port.bandwidth_Bps);
  const double allowed = whole_lines / real(round_trip) * kPsPerSecond;
  return {port.name,  port.buffer_bytes, automatic_buffer(link, port.bandwidth_Bps, port.latency_ps),
          round_trip, payload,           std::min(payload, allowed)};
}

}  // namespace

double payload_Bps(const LinkConfig& link, std::uint64_t bandwidth_Bps) {
  return real(bandwidth_Bps) * kLineBytes / real(kLineBytes + link.header_bytes);
}

std::uint64_t credit_round_trip_ps(const LinkConfig& link, std::uint64_t bandwidth_Bps,
                                   std::uint64_t latency_ps) {
  const std::uint64_t wire_bytes = kLineBytes + link.header_bytes;
  return (wire_bytes * kPsPerSecond + bandwidth_Bps - 1) / bandwidth_Bps + 2 * latency_ps;
}

std::uint64_t automatic_buffer(const LinkConfig& link, std::uint64_t bandwidth_Bps,
                               std::uint64_t latency_ps) {
  const auto round_trip = real(credit_round_trip_ps(link, bandwidth_Bps, latency_ps));
  const double carried = payload_Bps(link, bandwidth_Bps) * round_trip / kPsPerSecond;
  return std::bit_ceil(std::max(static_cast<std::uint64_t>(2 * carried), kLeastBuffer));
}

std::uint64_t receive_buffer(const LinkConfig& link, std::uint64_t bandwidth_Bps, std::uint64_t latency_ps) {
  return link.buffer_bytes != LinkConfig::kAutomaticBuffer
             ? link.buffer_bytes
             : automatic_buffer(link, bandwidth_Bps, latency_ps);
}

BufferedPort tightest_port(const LinkConfig& link, std::span<const PortSpec> ports) {
  BufferedPort tightest;
  for (const PortSpec& port : ports)
    if (BufferedPort one = buffered(link, port); tightest.name.empty() || one.share() < tightest.share())
      tightest = std::move(one);
  return tightest;
}

std::string buffer_warning(const BufferedPort& port) {
  if (port.share() >= 1) return {};
  return fmt::format(
      "topology.buffer: {} bytes let {} carry {:.1f} GB/s of its {:.1f} GB/s of payload, as credits are away "
      "for {:.1f} ns; auto gives it {} bytes",
      port.buffer_bytes, port.name, port.allowed_Bps / 1e9, port.payload_Bps / 1e9,
      real(port.round_trip_ps) / 1e3, port.automatic_bytes);
}

}  // namespace t3sim
