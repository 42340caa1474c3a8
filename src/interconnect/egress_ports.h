// All ways out of a GPU, and which of them leads to which GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "interconnect/link_egress.h"

namespace t3sim {

class EgressPorts final : public RemotePort {
 public:
  // Only GPUs that `ports` lead to may be named later on; see unreachable() in topology.h. The caller adds
  // the ports() to the scheduler.
  EgressPorts(const LinkConfig& config, const std::vector<PortSpec>& ports, const LinkWiring& wiring,
              const EgressListener& listener);

  CreditedInput& store_input(std::uint16_t gpu) override;
  void push_store(const Request& request, Tick ready) override;
  // To request.gpu. Room for DMA packets is the DMA engine's own buffer.
  void push_dma(const Request& request, Tick ready);
  // `bytes` of the buffer for packets to `gpu` are free again from tick `at` on.
  void credit(std::uint16_t gpu, std::uint32_t bytes, Tick at);

  // Towards `gpu`, as LinkEgress::send_along().
  void send_along(std::uint16_t gpu, std::uint64_t bytes, Tick now) {
    way_to(gpu).port->send_along(bytes, now);
  }

  // Why there may be nothing to send, from `now` on: what the DMA engine is at, and whether a kernel runs.
  // `posted`: its puts are not started.
  enum class DmaState : std::uint8_t { nothing, reading, held_up, posted };
  void set_dma(DmaState state, Tick now);
  void set_producing(bool producing, Tick now);

  bool idle() const;
  std::uint64_t bytes() const;
  std::string describe_waiting() const;
  // GPUs that a port leads to, what waits for them, and what that is called in a report.
  bool leads_to(std::uint16_t gpu) const { return gpu < ways_.size() && ways_[gpu].port != nullptr; }
  LinkEgress::Held held(std::uint16_t gpu) const { return way_to(gpu).port->held(way_to(gpu).lane); }
  std::string lane_name(std::uint16_t gpu) const override {
    return way_to(gpu).port->lane_name(way_to(gpu).lane);
  }
  const std::vector<std::unique_ptr<LinkEgress>>& ports() const { return ports_; }

 private:
  struct Way {
    LinkEgress* port = nullptr;
    LinkEgress::Lane lane = 0;
  };
  const Way& way_to(std::uint16_t gpu) const;
  void tell_ports(Tick now);

  std::vector<std::unique_ptr<LinkEgress>> ports_;
  std::vector<Way> ways_;  // by GPU
  DmaState dma_ = DmaState::nothing;
  bool producing_ = true;
};

}  // namespace t3sim
