#include "dma/dma_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"

namespace t3sim {

DmaEngine::DmaEngine(const DmaConfig& config, const DmaWiring& wiring)
    : config_(config),
      wiring_(wiring),
      buffer_lines_(std::max<std::uint64_t>(config.buffer_bytes / kLineBytes, 1)),
      ready_(64),
      started_(64),
      engines_(config.engines) {}

void DmaEngine::set_arrays(const DmaArrays& arrays) {
  arrays_ = arrays;
  if (arrays_.tiles_per_block != 0) config_.tiles_per_block = arrays_.tiles_per_block;
  wavefronts_ = arrays.array.grid.wavefronts();
  block_.assign(std::size_t{arrays.arrays} * arrays.array.grid.tiles() * wavefronts_, kNoBlock);
}

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
    command.tiles = narrow<std::uint32_t>(next - first);
    for (std::uint64_t t = first; t < next; ++t) {
      if (arrays_.array.sectors(in_array(t)) == 0) continue;
      block_[t] = narrow<std::uint32_t>(commands_.size());
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
  for (std::uint32_t t = 0; t < commands_[block].transfers.size(); ++t)
    if (!post(block, t, at)) ready_.push_growing({block, t, at});
  stats_.peak_ready_blocks = std::max<std::uint64_t>(stats_.peak_ready_blocks, ready_.size());
  wiring_.observer->blocks(ready_.size(), active_, wiring_.scheduler->now());
  if (ready_.empty()) {  // all are posted
    if (state_ == DmaState::nothing) enter(DmaState::posted, wiring_.scheduler->now());
    return;
  }
  if (state_ == DmaState::nothing || state_ == DmaState::posted)
    enter(DmaState::reading, wiring_.scheduler->now());
  wiring_.scheduler->wake(*this, wiring_.core.align(at));
}

// False: no card carries it.
bool DmaEngine::post(std::uint32_t block, std::uint32_t transfer, Tick at) {
  const Command& command = commands_[block];
  const std::uint16_t gpu = command.transfers[transfer].gpu;
  if (!wiring_.puts || wiring_.puts->card_to(gpu).empty()) return false;
  std::uint64_t sectors = 0;
  for (std::uint64_t t = command.first; t < command.first + command.tiles; ++t)
    sectors += arrays_.array.sectors(in_array(t));
  wiring_.puts->post(narrow<std::uint32_t>(posted_.size()), gpu, sectors * kSectorBytes, at);
  posted_.push_back({block, transfer});
  ++unstarted_;
  return true;
}

void DmaEngine::put_started(std::uint32_t number, std::uint16_t tag, Tick at) {
  Posted& put = posted_[number];
  put.started = true;
  --unstarted_;
  started_.push_growing({put.block, put.transfer, at, tag});
  wiring_.scheduler->wake(*this, wiring_.core.align(at));
}

RingBuffer<DmaEngine::Ready>* DmaEngine::due(Tick now) {
  const bool local = !ready_.empty() && ready_.front().at <= now;
  const bool put = !started_.empty() && started_.front().at <= now;
  if (local && put) return (put_turn_ = !put_turn_) ? &started_ : &ready_;
  return local ? &ready_ : put ? &started_ : nullptr;
}

Tick DmaEngine::next_ready() const {
  const Tick local = ready_.empty() ? kNever : ready_.front().at;
  return started_.empty() ? local : std::min(local, started_.front().at);
}

void DmaEngine::wake(Tick now) {
  load_engines(now);
  if (active_ == 0) {
    if (const Tick at = next_ready(); at != kNever)
      wiring_.scheduler->wake(*this, std::max(wiring_.core.align(at), wiring_.core.next(now)));
    return;
  }
  if (buffered_lines_ >= buffer_lines_) {
    if (!buffer_full_) wiring_.observer->buffer_full(true, now);
    buffer_full_ = true;
    return;  // sent() wakes
  }
  std::uint64_t issued = 0;
  while (issued < config_.lines_per_cycle && active_ > 0 && buffered_lines_ < buffer_lines_ && issue(now))
    ++issued;
  if (issued > 0) wiring_.scheduler->wake(*this, wiring_.core.next(now));  // else channel_free() wakes
  enter(issued > 0 ? DmaState::reading : DmaState::held_up, now);
}

void DmaEngine::enter(DmaState state, Tick now) {
  if (state == state_) return;
  state_ = state;
  wiring_.observer->state(state, now);
}

void DmaEngine::load_engines(Tick now) {
  if (active_ == engines_.size()) return;
  for (Engine& engine : engines_) {
    RingBuffer<Ready>* const from = due(now);
    if (from == nullptr) return;
    if (!engine.busy()) load(engine, from->pop(), now);
  }
}

// Generates the addresses of a block from the array's shape and layout (section 4.2.2).
void DmaEngine::load(Engine& engine, const Ready& ready, Tick now) {
  const Command& command = commands_[ready.block];
  engine.lines.clear();
  engine.next = 0;
  engine.transfer = command.transfers[ready.transfer];
  engine.block = ready.block;
  engine.tag = ready.tag;
  engine.since = now;
  for (std::uint64_t t = command.first; t < command.first + command.tiles; ++t) {
    const WavefrontTile w = in_array(t);
    const auto tile = narrow<std::uint32_t>(t / wavefronts_);
    const std::uint64_t base = tile / arrays_.array.grid.tiles() * arrays_.stride;
    arrays_.array.for_each_line(w, [&](std::uint64_t address, std::uint8_t sectors) {
      engine.lines.push_back({base + address, tile, narrow<std::uint8_t>(w.wavefront), sectors});
    });
  }
  ++active_;
  ++stats_.blocks;
  wiring_.observer->blocks(ready_.size(), active_, now);
}

void DmaEngine::block_read(Engine& engine, Tick now) {
  Command& command = commands_[engine.block];
  --active_;
  --pending_blocks_;
  --command.unread;
  wiring_.observer->blocks(ready_.size(), active_, now);
  DmaTransfer done;
  done.start = engine.since;
  done.end = now;
  done.tile = narrow<std::uint32_t>(command.first / wavefronts_);
  done.wavefront = narrow<std::uint8_t>(command.first % wavefronts_);
  done.engine = narrow<std::uint16_t>(&engine - engines_.data());
  done.gpu = engine.transfer.gpu;
  wiring_.observer->block_read(done);
}

// Issues one read, taking the engines in turn; false if all are blocked.
bool DmaEngine::issue(Tick now) {
  const auto n = narrow<unsigned>(engines_.size());
  for (unsigned i = 0; i < n; ++i) {
    Engine& engine = engines_[(turn_ + i) % n];
    if (!engine.busy() || engine.blocked_on != kNotBlocked) continue;
    const Line& line = engine.lines[engine.next];
    Request request;
    request.address = line.address;
    request.sectors = line.sectors;
    request.tile = line.tile;
    request.wavefront = line.wavefront;
    request.stream = Stream::communication;
    request.traffic = arrays_.traffic;
    request.source = wiring_.source;
    request.gpu = engine.transfer.gpu;
    request.token = std::uint32_t{engine.tag} << 16 | std::uint32_t{engine.transfer.array} << 8 |
                    static_cast<std::uint32_t>(engine.transfer.op);
    request.put = engine.tag != 0;
    const unsigned channel = wiring_.map->channel(line.address);
    if (!wiring_.channels[channel]->can_accept(wiring_.communication_port, request)) {
      engine.blocked_on = channel;
      continue;
    }
    wiring_.channels[channel]->push(wiring_.communication_port, request, now);
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
  const std::uint32_t tiles = arrays_.array.grid.tiles();
  const std::uint32_t from = request.tile / tiles, to = request.token >> 8 & 0xFF;
  update.tile = to * tiles + request.tile % tiles;
  update.address += (std::uint64_t{to} - from) * arrays_.stride;
  update.tracked = true;
  wiring_.link->push_dma(update, wiring_.core.align(at + 1));
}

void DmaEngine::channel_free(unsigned channel, Tick now) {
  bool any = false;
  for (Engine& engine : engines_)
    if (engine.blocked_on == channel) {
      engine.blocked_on = kNotBlocked;
      any = true;
    }
  if (any) wiring_.scheduler->wake(*this, wiring_.core.next(now));
}

void DmaEngine::sent(Tick now) {
  --buffered_lines_;
  if (idle()) enter(unstarted_ != 0 ? DmaState::posted : DmaState::nothing, now);
  if (!buffer_full_) return;
  wiring_.observer->buffer_full(false, now);
  buffer_full_ = false;
  wiring_.scheduler->wake(*this, wiring_.core.next(now));
}

}  // namespace t3sim
