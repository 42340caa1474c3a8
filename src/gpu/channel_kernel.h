// The kernel of a collective library on one GPU: thread blocks that pass slices on (plan/channel_plan.h).
//
// A block waits for a slice and for a free slot, pays for barrier, fence and flag, then goes through the slice. Its
// loads are as many as its threads can have outstanding; each warp waits for its own and then stores them, so some
// warps load while others store.
#pragma once

#include <algorithm>
#include <vector>

#include "gpu/arrival_board.h"
#include "gpu/kernel_run.h"
#include "plan/channel_plan.h"

namespace t3sim {

struct ChannelTiming {
  std::uint32_t window_bytes = 32 << 10;  // that a channel's loads of one array have outstanding
  std::uint32_t slice_cycles = 0;         // of a slice: barrier, fence, flag
  bool flags = false;                     // LL: as many bytes of flags go with the data, which needs no fence
};

class ChannelKernel final : public KernelSource, public StoreRouter {
 public:
  // What a write over a link counts as when it arrives: a slice's data, or a slot that is free again.
  enum Announcement : std::uint8_t { kData = 0, kCredit = 1 };

  // The own array is at `array`, its result at `result`, FIFOs and flags from `fifos` on, the same on all
  // GPUs.
  struct Places {
    std::uint64_t array = 0, result = 0, fifos = 0;
  };
  ChannelKernel(ChannelPlan plan, const ChannelTiming& timing, std::uint16_t own, const Places& places);

  std::uint32_t workgroups() const override { return static_cast<std::uint32_t>(plan_.blocks.size()); }
  std::uint32_t tile(std::uint32_t) const override { return 0; }
  std::unique_ptr<WorkgroupProgram> program(std::uint32_t i,
                                            std::unique_ptr<WorkgroupProgram> reuse) override;
  unsigned buffers() const override { return kWarps; }
  // 96 registers a thread, as the library is compiled for GPUs of this size.
  // Blocks that share a channel are warps of one thread block: together they take the place of one.
  KernelTraits traits() const override {
    const auto sharing =
        std::max(1U, static_cast<unsigned>(plan_.blocks.size()) / std::max(1U, plan_.channels));
    return {.wavefronts = std::max(1U, kWarps / sharing),
            .buffers = kWarps,
            .register_bytes = kWarps * 32 * 96 * 4 / sharing};
  }
  StoreRoute route(std::uint32_t workgroup, std::uint32_t tile) const override;

  // A board that expects all that arrives.
  std::unique_ptr<ArrivalBoard> board() const;

  static Places places(const ChannelPlan& plan);

 private:
  static constexpr unsigned kWarps = 16;  // of a block: 512 threads
  class Program;
  std::uint32_t number(std::uint32_t connection, std::uint32_t slice) const {
    return connection * longest_ + slice;
  }
  std::uint32_t numbers() const { return static_cast<std::uint32_t>(plan_.connections.size()) * longest_; }
  std::uint64_t slot(std::uint32_t connection, std::uint32_t slice) const {
    return places_.fifos + (std::uint64_t{connection} * plan_.slots + slice % plan_.slots) * slot_bytes_;
  }
  // Of payload, in a slot.
  std::uint32_t wire(std::uint32_t bytes) const { return timing_.flags ? 2 * bytes : bytes; }
  std::uint32_t wire_sectors(std::uint32_t bytes) const {
    return (wire(bytes) + kSectorBytes - 1) / kSectorBytes;
  }
  std::uint64_t flag_address(std::uint32_t connection) const {
    return places_.fifos + plan_.connections.size() * plan_.slots * slot_bytes_ + connection * kLineBytes;
  }
  bool returns_slot(const ChannelPass& pass) const {
    return pass.receives != kNoConnection &&
           pass.received + plan_.slots < plan_.connections[pass.receives].slices;
  }

  ChannelPlan plan_;
  ChannelTiming timing_;
  std::uint16_t own_;
  Places places_;
  std::uint32_t longest_;
  std::uint64_t slot_bytes_;
};

}  // namespace t3sim
