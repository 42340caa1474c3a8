#include "dma/dma_engine.h"

#include <fmt/format.h>

#include <algorithm>

namespace t3sim {

DmaEngine::DmaEngine(const DmaConfig& config, const TiledMatrix& array, std::uint32_t arrays,
                     std::uint64_t array_stride, Traffic traffic, Clock core, Scheduler& scheduler,
                     const AddressMap& map, std::vector<Channel*> channels, unsigned communication_port,
                     std::uint16_t source, EgressPorts& link, Tick series_interval)
    : config_(config),
      array_(array),
      array_stride_(array_stride),
      traffic_(traffic),
      core_(core),
      scheduler_(scheduler),
      map_(map),
      channels_(std::move(channels)),
      port_(communication_port),
      source_(source),
      link_(link),
      wavefronts_(array.grid.wavefronts()),
      buffer_lines_(std::max<std::uint64_t>(config.buffer_bytes / kLineBytes, 1)),
      block_(std::size_t{arrays} * array.grid.tiles() * wavefronts_, kNoBlock),
      ready_(64),
      engines_(config.engines),
      ready_blocks_(series_interval),
      blocks_in_flight_(series_interval) {}

void DmaEngine::program(std::uint32_t first_tile, std::uint32_t tiles,
                        const std::vector<Transfer>& transfers) {
  if (transfers.empty()) return;
  const std::uint64_t end = std::uint64_t{first_tile + tiles} * wavefronts_;
  std::uint64_t first = std::uint64_t{first_tile} * wavefronts_;
  for (std::uint64_t next; first < end; first = next) {
    next = std::min(first + config_.tiles_per_block, end);
    Command command;
    command.transfers = transfers;
    command.first = first;
    command.tiles = static_cast<std::uint32_t>(next - first);
    for (std::uint64_t t = first; t < next; ++t) {
      if (array_.sectors(in_array(t)) == 0) continue;
      block_[t] = static_cast<std::uint32_t>(commands_.size());
      ++command.missing;
    }
    if (command.missing == 0) continue;
    command.unread = transfers.size();
    pending_blocks_ += command.unread;
    commands_.push_back(std::move(command));
  }
}

void DmaEngine::mark_ready(std::uint32_t tile, std::uint32_t wavefront, Tick at) {
  const std::uint32_t block = block_[std::size_t{tile} * wavefronts_ + wavefront];
  if (block == kNoBlock || --commands_[block].missing != 0) return;
  for (std::uint32_t t = 0; t < commands_[block].transfers.size(); ++t) ready_.push_growing({block, t, at});
  stats_.peak_ready_blocks = std::max<std::uint64_t>(stats_.peak_ready_blocks, ready_.size());
  ready_blocks_.set(scheduler_.now(), ready_.size());
  if (link_state_ == LinkState::nothing) tell_link(LinkState::reading, scheduler_.now());
  scheduler_.wake(*this, core_.align(at));
}

void DmaEngine::wake(Tick now) {
  load_engines(now);
  if (active_ == 0) {
    if (!ready_.empty()) scheduler_.wake(*this, std::max(core_.align(ready_.front().at), core_.next(now)));
    return;
  }
  if (buffered_lines_ >= buffer_lines_) {
    if (buffer_full_since_ == kNever) buffer_full_since_ = now;
    return;  // sent() wakes
  }
  std::uint64_t issued = 0;
  while (issued < config_.lines_per_cycle && active_ > 0 && buffered_lines_ < buffer_lines_ && issue(now))
    ++issued;
  if (issued > 0) scheduler_.wake(*this, core_.next(now));  // else channel_free() wakes
  tell_link(issued > 0 ? LinkState::reading : LinkState::held_up, now);
}

void DmaEngine::tell_link(LinkState state, Tick now) {
  if (state == link_state_) return;
  link_state_ = state;
  link_.set_dma(state, now);
}

void DmaEngine::load_engines(Tick now) {
  if (active_ == engines_.size()) return;
  for (Engine& engine : engines_) {
    if (ready_.empty() || ready_.front().at > now) return;
    if (!engine.busy()) load(engine, ready_.pop(), now);
  }
}

// Generates the addresses of a block from the array's shape and layout (section 4.2.2).
void DmaEngine::load(Engine& engine, const Ready& ready, Tick now) {
  const Command& command = commands_[ready.block];
  engine.lines.clear();
  engine.next = 0;
  engine.transfer = command.transfers[ready.transfer];
  engine.block = ready.block;
  engine.since = now;
  for (std::uint64_t t = command.first; t < command.first + command.tiles; ++t) {
    const WavefrontTile w = in_array(t);
    const auto tile = static_cast<std::uint32_t>(t / wavefronts_);
    const std::uint64_t base = tile / array_.grid.tiles() * array_stride_;
    array_.for_each_line(w, [&](std::uint64_t address, std::uint8_t sectors) {
      engine.lines.push_back({base + address, tile, static_cast<std::uint8_t>(w.wavefront), sectors});
    });
  }
  ++active_;
  ++stats_.blocks;
  ready_blocks_.set(now, ready_.size());
  blocks_in_flight_.set(now, active_);
}

void DmaEngine::block_read(Engine& engine, Tick now) {
  Command& command = commands_[engine.block];
  --active_;
  --pending_blocks_;
  --command.unread;
  blocks_in_flight_.set(now, active_);
  DmaTransfer done;
  done.start = engine.since;
  done.end = now;
  done.tile = static_cast<std::uint32_t>(command.first / wavefronts_);
  done.wavefront = static_cast<std::uint8_t>(command.first % wavefronts_);
  done.engine = static_cast<std::uint16_t>(&engine - engines_.data());
  done.gpu = engine.transfer.gpu;
  done_.push_back(done);
}

void DmaEngine::settle(Tick end) {
  ready_blocks_.settle(end);
  blocks_in_flight_.settle(end);
}

// Issues one read, taking the engines in turn; false if all are blocked.
bool DmaEngine::issue(Tick now) {
  const auto n = static_cast<unsigned>(engines_.size());
  for (unsigned i = 0; i < n; ++i) {
    Engine& engine = engines_[(turn_ + i) % n];
    if (!engine.busy() || engine.blocked_on != kNotBlocked) continue;
    const Line& line = engine.lines[engine.next];
    Request request;
    request.address = line.address;
    request.sectors = line.sectors;
    request.workgroup = line.tile;
    request.wavefront = line.wavefront;
    request.stream = Stream::communication;
    request.traffic = traffic_;
    request.source = source_;
    request.gpu = engine.transfer.gpu;
    request.token =
        std::uint32_t{engine.transfer.array} << 8 | static_cast<std::uint32_t>(engine.transfer.op);
    const unsigned channel = map_.channel(line.address);
    if (!channels_[channel]->can_accept(port_, request)) {
      engine.blocked_on = channel;
      continue;
    }
    channels_[channel]->push(port_, request, now);
    ++buffered_lines_;
    ++stats_.lines;
    stats_.bytes += request_bytes(request);
    if (++engine.next == engine.lines.size()) block_read(engine, now);
    turn_ = (turn_ + i + 1) % n;
    return true;
  }
  return false;
}

void DmaEngine::read_done(const Request& request, Tick at) {
  Request update = request;
  update.op = static_cast<Op>(request.token & 0xFF);
  const std::uint32_t tiles = array_.grid.tiles();
  const std::uint32_t from = request.workgroup / tiles, to = request.token >> 8;
  update.workgroup = to * tiles + request.workgroup % tiles;
  update.address += (std::uint64_t{to} - from) * array_stride_;
  update.tracked = true;
  link_.push_dma(update, core_.align(at + 1));
}

void DmaEngine::channel_free(unsigned channel, Tick now) {
  bool any = false;
  for (Engine& engine : engines_)
    if (engine.blocked_on == channel) {
      engine.blocked_on = kNotBlocked;
      any = true;
    }
  if (any) scheduler_.wake(*this, core_.next(now));
}

void DmaEngine::sent(Tick now) {
  --buffered_lines_;
  if (idle()) tell_link(LinkState::nothing, now);
  if (buffer_full_since_ == kNever) return;
  stats_.wait_buffer += now - buffer_full_since_;
  buffer_full_since_ = kNever;
  scheduler_.wake(*this, core_.next(now));
}

}  // namespace t3sim
