#include "dma/copy_engine.h"

#include <algorithm>

#include "base/number.h"

namespace t3sim {
namespace {

std::uint8_t sectors_of(std::uint64_t address, std::uint32_t bytes) {
  const auto first = narrow<unsigned>(address % kLineBytes) / kSectorBytes;
  const unsigned last = first + (bytes - 1) / kSectorBytes;
  return narrow<std::uint8_t>(((2U << last) - 1U) & ~((1U << first) - 1U));
}

// A packet's token: its place here, and above it the tag of its put.
constexpr unsigned kPlaceBits = 16;
constexpr std::uint32_t kMostPlaces = (1U << kPlaceBits) - 1;

std::uint64_t line_of(std::uint64_t address) { return address / kLineBytes * kLineBytes; }

}  // namespace

std::uint32_t CopyJob::piece_bytes(std::uint64_t offset) const {
  return narrow<std::uint32_t>(std::min({row_bytes - offset, kLineBytes - (from + offset) % kLineBytes,
                                         kLineBytes - (to + offset) % kLineBytes}));
}

std::uint64_t CopyJob::sectors() const {
  std::uint64_t of_a_row = 0;
  for (std::uint64_t offset = 0; offset < row_bytes; offset += piece_bytes(offset))
    of_a_row += static_cast<unsigned>(sector_count(sectors_of(to + offset, piece_bytes(offset))));
  return of_a_row * rows;
}

CopyEngine::CopyEngine(const DmaConfig& config, const CopyWiring& wiring)
    : config_(config),
      wiring_(wiring),
      most_buffered_(std::clamp<std::uint64_t>(config.buffer_bytes / kLineBytes, 1, kMostPlaces)),
      doors_(wiring.slices.size()) {
  for (std::size_t i = 0; i < doors_.size(); ++i) {
    doors_[i].engine = this;
    doors_[i].slice = i;
  }
}

void CopyEngine::start(const CopyJob& job, Tick at) {
  ++stats_.copies;
  unsent_[job.mark] = job.row_bytes * job.rows;
  jobs_.push_back({job, wiring_.core.align(at)});
  wiring_.scheduler->wake(*this, std::max(jobs_.back().at, wiring_.core.next(wiring_.scheduler->now())));
}

void CopyEngine::post(const Request& packet, Tick at) {
  Request request = packet;
  request.bulk = true;
  request.token = ~0U;
  ++posted_;
  wiring_.link->push_dma(request, at);
}

void CopyEngine::sent(const Request& packet, Tick now) {
  if (packet.token == ~0U) {
    --posted_;
    return;
  }
  const std::uint32_t place = packet.token & kMostPlaces;
  const Piece& piece = pieces_[place];
  const auto unsent = unsent_.find(piece.mark);
  unsent->second -= piece.bytes;
  if (unsent->second == 0) {
    unsent_.erase(unsent);
    wiring_.sent(piece.mark, now);
  }
  free_.push_back(place);
  if (buffered_-- == most_buffered_) wiring_.scheduler->wake(*this, wiring_.core.next(now));
}

Tick CopyEngine::next_start() const {
  Tick first = kNever;
  for (const Job& job : jobs_) first = std::min(first, job.at);
  return first;
}

void CopyEngine::wake(Tick now) {
  read_granted(now);
  std::uint64_t issued = 0;
  while (issued < config_.lines_per_cycle && buffered_ < most_buffered_ && issue(now)) ++issued;
  if (jobs_.empty() || buffered_ >= most_buffered_) return;  // sent() wakes
  wiring_.scheduler->wake(*this, std::max(next_start(), wiring_.core.next(now)));
}

void CopyEngine::granted(Door& door, Tick now) {
  granted_.push_back(&door);
  wiring_.scheduler->wake(*this, wiring_.core.next(now));
}

void CopyEngine::read_granted(Tick now) {
  for (Door* door : granted_) {
    read(door->held.pop(), now);
    while (!door->held.empty() && wiring_.slices[door->slice]->input().take(*door))
      read(door->held.pop(), now);
  }
  granted_.clear();
}

// Reads the next piece of a copy, copies in turn; false if none has begun.
bool CopyEngine::issue(Tick now) {
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const std::size_t j = (turn_ + i) % jobs_.size();
    if (jobs_[j].at > now) continue;
    const Piece piece = next_piece(jobs_[j]);
    turn_ = j + 1;
    if (jobs_[j].row == jobs_[j].what.rows) {
      jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(j));
      turn_ = j;
    }
    ++buffered_;
    send(piece, now);
    return true;
  }
  return false;
}

void CopyEngine::send(const Piece& piece, Tick now) {
  Door& door = doors_[wiring_.map->slice_of_gpu(line_of(piece.from))];
  if (door.held.empty() && wiring_.slices[door.slice]->input().take(door))
    read(piece, now);
  else
    door.held.push_growing(piece);
}

CopyEngine::Piece CopyEngine::next_piece(Job& job) {
  const CopyJob& what = job.what;
  Piece piece;
  piece.from = what.from + job.row * what.from_pitch + job.offset;
  piece.to = what.to + job.row * what.to_pitch + job.offset;
  piece.mark = what.mark;
  piece.gpu = what.gpu;
  piece.tag = what.tag;
  piece.bytes = what.piece_bytes(job.offset);
  job.offset += piece.bytes;
  if (job.offset == what.row_bytes) {
    job.offset = 0;
    ++job.row;
  }
  return piece;
}

std::uint32_t CopyEngine::free_place() {
  if (free_.empty()) {
    pieces_.emplace_back();
    return narrow<std::uint32_t>(pieces_.size() - 1);
  }
  const std::uint32_t place = free_.back();
  free_.pop_back();
  return place;
}

void CopyEngine::read(const Piece& piece, Tick now) {
  const std::uint32_t token = free_place();
  pieces_[token] = piece;
  Request request;
  request.address = line_of(piece.from);
  request.sectors = sectors_of(piece.from, piece.bytes);
  request.token = token;
  request.traffic = Traffic::ag;
  request.source = wiring_.source;
  ++stats_.lines;
  stats_.bytes += piece.bytes;
  wiring_.slices[wiring_.map->slice_of_gpu(request.address)]->push(request, now + wiring_.noc_latency);
}

// As they are in memory now, at the places that they go to.
std::uint32_t CopyEngine::values_of(const Piece& piece) const {
  const std::uint32_t payload = wiring_.values.pool->allocate();
  LineValues& values = (*wiring_.values.pool)[payload];
  values.fill(kNoValue);
  for (std::uint32_t byte = 0; byte < piece.bytes; byte += kElementBytes)
    values[(piece.to + byte) % kLineBytes / kElementBytes] =
        wiring_.values.memory->element(piece.from + byte);
  return payload;
}

void CopyEngine::reply(const Request& request, Tick out) {
  const Piece& piece = pieces_[request.token];
  Request packet;
  packet.address = line_of(piece.to);
  packet.sectors = sectors_of(piece.to, piece.bytes);
  packet.token = std::uint32_t{piece.tag} << kPlaceBits | request.token;
  packet.put = piece.tag != 0;
  packet.tile = piece.mark;
  packet.op = Op::write;
  packet.stream = Stream::communication;
  packet.traffic = Traffic::ag;
  packet.gpu = piece.gpu;
  packet.remote = true;
  packet.bulk = true;
  if (wiring_.values.pool) packet.payload = values_of(piece);
  wiring_.link->push_dma(packet, wiring_.core.align(out + wiring_.noc_latency));
}

}  // namespace t3sim
