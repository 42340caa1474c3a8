#include "gpu/channel_kernel.h"

#include "base/number.h"
#include "kernel/matrix.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kPageBytes = 2 << 20;

}  // namespace

ChannelKernel::Places ChannelKernel::places(const ChannelPlan& plan) {
  const std::uint64_t array = align_up(plan.array_bytes + kLineBytes * plan.channels, kPageBytes);
  return {0, array, 2 * array};
}

ChannelKernel::ChannelKernel(ChannelPlan plan, const ChannelTiming& timing, std::uint16_t own,
                             const Places& places)
    : plan_(std::move(plan)),
      timing_(timing),
      own_(own),
      places_(places),
      longest_(plan_.longest()),
      slot_bytes_(align_up(wire(narrow<std::uint32_t>(plan_.slot_bytes)), kLineBytes)) {}

// A group's tile says where its stores go: number of a slice that is sent, of a slot that is given back, or
// neither.
StoreRoute ChannelKernel::route(std::uint32_t, std::uint32_t tile) const {
  StoreRoute route;
  if (tile >= 2 * numbers()) return route;
  const bool credit = tile >= numbers();
  const ChannelConnection& c = plan_.connections[tile % numbers() / longest_];
  route.remote = true;
  route.gpu = credit ? c.from : c.to;
  route.announces = credit ? kCredit : kData;
  if (credit) route.tile_offset = 0U - numbers();
  return route;
}

std::unique_ptr<ArrivalBoard> ChannelKernel::board() const {
  auto board = std::make_unique<ArrivalBoard>(2, numbers(), CollectiveSync::tile);
  for (const auto& block : plan_.blocks)
    for (const ChannelPass& pass : block) {
      if (pass.receives != kNoConnection)
        board->expect(kData, number(pass.receives, pass.received), wire_sectors(pass.bytes));
      if (pass.sends != kNoConnection && pass.sent + plan_.slots < plan_.connections[pass.sends].slices)
        board->expect(kCredit, number(pass.sends, pass.sent), 1);
    }
  return board;
}

// Goes through the passes of a block, each group by group.
class ChannelKernel::Program final : public WorkgroupProgram {
 public:
  void restart(const ChannelKernel& kernel, std::uint32_t block) {
    kernel_ = &kernel;
    passes_ = &kernel.plan_.blocks[block];
    pass_ = 0;
    stage_ = Stage::slot;
    offset_ = 0;
  }

  bool next(Group& group) override {
    while (pass_ < passes_->size()) {
      const ChannelPass& pass = (*passes_)[pass_];
      group.tile = 2 * kernel_->numbers();
      if (fill(pass, group)) return true;
    }
    return false;
  }

 private:
  enum class Stage : std::uint8_t { slot, slice, window, credit };

  // True if the stage has anything to do.
  bool fill(const ChannelPass& pass, Group& group) {
    switch (stage_) {
      case Stage::slot:
        stage_ = Stage::slice;
        return wait_for_slot(pass, group);
      case Stage::slice:
        stage_ = Stage::window;
        return begin_slice(pass, group);
      case Stage::window:
        fill_window(pass, group);
        return true;
      case Stage::credit:
        stage_ = Stage::slot;
        offset_ = 0;
        ++pass_;
        return give_slot_back(pass, group);
    }
    return false;
  }

  bool wait_for_slot(const ChannelPass& pass, Group& group) const {
    if (pass.sends == kNoConnection || pass.sent < kernel_->plan_.slots) return false;
    group.wait = true;
    group.wait_step = kCredit;
    group.wait_tile = kernel_->number(pass.sends, pass.sent - kernel_->plan_.slots);
    return true;
  }
  bool begin_slice(const ChannelPass& pass, Group& group) const {
    group.delay_cycles = kernel_->timing_.slice_cycles;
    group.fence = !kernel_->timing_.flags;
    if (pass.receives != kNoConnection) {
      group.wait = true;
      group.wait_step = kData;
      group.wait_tile = kernel_->number(pass.receives, pass.received);
    }
    return group.wait || group.delay_cycles != 0;
  }
  void fill_window(const ChannelPass& pass, Group& group) {
    const std::uint32_t window =
        std::max(kernel_->timing_.window_bytes / kWarps / kLineBytes, 1U) * kLineBytes;
    window_ = std::min(window, pass.bytes - offset_);
    if (const std::uint32_t bytes = own_bytes(pass.operand); pass.loads_own && bytes != 0)
      load(group, kernel_->places_.array + pass.operand + offset_, bytes);
    if (pass.receives != kNoConnection)
      load(group, kernel_->slot(pass.receives, pass.received) + kernel_->wire(offset_),
           kernel_->wire(window_));
    if (pass.sends != kNoConnection) {
      group.tile = kernel_->number(pass.sends, pass.sent);
      store(group, kernel_->slot(pass.sends, pass.sent) + kernel_->wire(offset_), kernel_->wire(window_),
            false);
    }
    if (const std::uint32_t bytes = own_bytes(pass.result); pass.stores_own && bytes != 0)
      store(group, kernel_->places_.result + pass.result + offset_, bytes, true);
    offset_ += window_;
    if (offset_ == pass.bytes) stage_ = Stage::credit;
  }
  bool give_slot_back(const ChannelPass& pass, Group& group) const {
    if (!kernel_->returns_slot(pass)) return false;
    group.tile = kernel_->numbers() + kernel_->number(pass.receives, pass.received);
    group.stores.push_back({.address = kernel_->flag_address(pass.receives), .bytes = kSectorBytes});
    return true;
  }
  // Of the window, those that are in the array: chunks are whole lines, and the last may end behind it.
  std::uint32_t own_bytes(std::uint64_t at) const {
    const std::uint64_t end = kernel_->plan_.array_bytes, from = std::min(at + offset_, end);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(window_, end - from));
  }
  static void load(Group& group, std::uint64_t address, std::uint32_t bytes) {
    group.loads.push_back({.address = address, .bytes = bytes, .streaming = true});
  }
  static void store(Group& group, std::uint64_t address, std::uint32_t bytes, bool local) {
    group.stores.push_back({.address = address, .bytes = bytes, .local = local});
  }

  const ChannelKernel* kernel_ = nullptr;
  const std::vector<ChannelPass>* passes_ = nullptr;
  std::size_t pass_ = 0;
  Stage stage_ = Stage::slot;
  std::uint32_t offset_ = 0, window_ = 0;
};

std::unique_ptr<WorkgroupProgram> ChannelKernel::program(std::uint32_t i,
                                                         std::unique_ptr<WorkgroupProgram> reuse) {
  recycled_as<Program>(reuse).restart(*this, i);
  return reuse;
}

}  // namespace t3sim
