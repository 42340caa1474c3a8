// What DMA commands wait for, when nothing moves any more.
#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "dma/dma_engine.h"

namespace t3sim {

std::string DmaEngine::tile_name(std::uint32_t tile) { return fmt::format("dma tile {}", tile); }

bool DmaEngine::pending(std::uint32_t tile) const {
  for (std::size_t t = std::size_t{tile} * wavefronts_; t < std::size_t{tile + 1} * wavefronts_; ++t)
    if (block_[t] != kNoBlock && commands_[block_[t]].unread != 0) return true;
  return false;
}

// By block: transfers whose puts are not started.
std::vector<std::uint32_t> DmaEngine::report_posted(GpuWaits& waits) const {
  std::vector<std::uint32_t> unstarted(commands_.size());
  for (const Posted& put : posted_) {
    if (put.started) continue;
    ++unstarted[put.block];
    const Command& command = commands_[put.block];
    waits.add_outside(tile_name(narrow<std::uint32_t>(command.first / wavefronts_)),
                      std::string(wiring_.puts->card_to(command.transfers[put.transfer].gpu)),
                      "its put to be started");
  }
  return unstarted;
}

void DmaEngine::report_waits(GpuWaits& waits, const std::function<bool(std::uint32_t tile)>& complete) const {
  bool any_ready = false;
  const std::vector<std::uint32_t> unstarted = report_posted(waits);
  for (std::uint32_t block = 0; block < commands_.size(); ++block) {
    const Command& command = commands_[block];
    if (command.unread == unstarted[block]) continue;
    const auto first = narrow<std::uint32_t>(command.first / wavefronts_);
    const auto last = narrow<std::uint32_t>((command.first + command.tiles - 1) / wavefronts_);
    if (command.missing == 0) {
      any_ready = true;
      waits.add(tile_name(first), "dma", "an engine");
      continue;
    }
    bool incomplete = false;
    for (std::uint32_t tile = first; tile <= last; ++tile) {
      if (complete(tile)) continue;
      incomplete = true;
      for (std::uint32_t waiter = first; waiter <= last; ++waiter)
        waits.add(tile_name(waiter), fmt::format("tracker tile {}", tile),
                  fmt::format("the updates that trigger its command to GPU {}", command.transfers[0].gpu));
    }
    if (!incomplete)
      waits.dead_end(
          tile_name(first),
          fmt::format("has a command to GPU {} that was never marked ready, although its wavefront "
                      "tiles {} to {} have had all their updates",
                      command.transfers[0].gpu, command.first, command.first + command.tiles - 1));
  }
  if (!any_ready) return;
  bool blocked = false;
  for (const Engine& engine : engines_)
    if (engine.busy() && engine.blocked_on != kNotBlocked) {
      blocked = true;
      waits.add("dma", wiring_.channels[engine.blocked_on]->name(), "room in its communication port");
    }
  if (buffered_lines_ != 0)
    waits.add("dma", "link.out", fmt::format("{} lines that it has read to be sent", buffered_lines_));
  else if (!blocked)
    waits.dead_end("dma", "has commands that are ready and reads none (a lost wake-up)");
}

}  // namespace t3sim
