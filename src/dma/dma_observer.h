// What a DMA engine is at, for those who keep accounts of it: the engine itself keeps none of its time.
#pragma once

#include <cstdint>
#include <vector>

#include "interconnect/egress_ports.h"
#include "sim/stats.h"
#include "sim/time.h"

namespace t3sim {

// A block on its way: from its first read to its last one. What was read leaves over the link soon after.
struct DmaTransfer {
  Tick start = 0, end = 0;
  std::uint32_t tile = 0;  // of the block's first wavefront tile, numbered through
  std::uint8_t wavefront = 0;
  std::uint16_t engine = 0;
  std::uint16_t gpu = 0;  // that it goes to
};

// Why there may be nothing to send: nothing to do, reading, or held up as the way to memory is full.
using DmaState = EgressPorts::DmaState;

class DmaObserver {
 public:
  virtual ~DmaObserver() = default;
  // From `now` on.
  virtual void state(DmaState state, Tick now) = 0;
  // So many blocks wait for an engine, and so many are being read.
  virtual void blocks(std::size_t ready, std::size_t being_read, Tick now) = 0;
  virtual void block_read(const DmaTransfer& transfer) = 0;
  // It has blocks to read, but the buffer is full, from `now` on or no longer.
  virtual void buffer_full(bool full, Tick now) = 0;
};

// The account of an engine's time.
class DmaAccount : public DmaObserver {
 public:
  explicit DmaAccount(Tick series_interval) : ready_(series_interval), being_read_(series_interval) {}

  void state(DmaState, Tick) override {}
  void blocks(std::size_t ready, std::size_t being_read, Tick now) override {
    ready_.set(now, ready);
    being_read_.set(now, being_read);
  }
  void block_read(const DmaTransfer& transfer) override { transfers_.push_back(transfer); }
  void buffer_full(bool full, Tick now) override {
    if (full)
      full_since_ = now;
    else
      wait_buffer_ += now - full_since_;
  }
  // Brings the series up to `end`.
  void settle(Tick end) {
    ready_.settle(end);
    being_read_.settle(end);
  }

  Tick wait_buffer() const { return wait_buffer_; }
  // In the order in which they ended.
  const std::vector<DmaTransfer>& transfers() const { return transfers_; }
  // Over time.
  const Series& ready_blocks() const { return ready_.series(); }
  const Series& blocks_in_flight() const { return being_read_.series(); }

 private:
  LevelSeries ready_, being_read_;
  std::vector<DmaTransfer> transfers_;
  Tick wait_buffer_ = 0, full_since_ = 0;
};

}  // namespace t3sim
