// The DMA engine (section 4.2.2): pre-programmed commands, one a block of wavefront tiles; a command that has
// been marked ready is turned into reads of the block (communication stream) and remote updates over the
// link.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interconnect/link.h"
#include "trace/matrix.h"

namespace t3sim {

struct DmaConfig {
  std::uint64_t engines = 8;               // blocks read at a time, a line in turn each
  std::uint64_t buffer_bytes = 128 << 10;  // data read and not sent yet
  std::uint64_t tiles_per_block =
      1;  // wavefront tiles a command (4.2.2: equal to or larger than the Tracker's)
};

struct DmaStats {
  std::uint64_t blocks = 0, lines = 0, bytes = 0;
  std::uint64_t peak_ready_blocks = 0;
  Tick wait_buffer = 0;  // had a ready block, but the buffer was full
};

class DmaEngine : public Component {
 public:
  // `source`: index by which the memory controllers' replies find their way here.
  DmaEngine(const DmaConfig& config, const TiledMatrix& array, Clock core, Scheduler& scheduler,
            const AddressMap& map, std::vector<Channel*> channels, unsigned communication_port,
            std::uint16_t source, LinkEgress& link);

  // Programs the command of a wavefront tile's block (dma_map): where it goes, update or store.
  void program(std::uint32_t tile, std::uint32_t wavefront, std::uint16_t destination, Op op);
  // The wavefront tile is complete: when all of its block are, the command is ready from tick `at` on.
  void mark_ready(std::uint32_t tile, std::uint32_t wavefront, Tick at);

  void read_done(const Request& request, Tick at);  // from a memory controller
  void channel_free(unsigned channel, Tick now);
  void sent(Tick now);  // a packet has left over the link

  void wake(Tick now) override;
  bool idle() const { return ready_.empty() && active_ == 0 && buffered_lines_ == 0; }
  // Blocks programmed and not yet read.
  std::uint64_t pending_blocks() const { return pending_blocks_; }
  std::string describe_waiting() const;
  const DmaStats& stats() const { return stats_; }

 private:
  struct Command {
    std::uint16_t destination = 0;
    Op op = Op::update;
    std::uint16_t missing = 0;  // wavefront tiles of the block that are not complete
    std::uint16_t tiles = 0;    // programmed
  };
  struct Ready {
    std::uint32_t block;
    Tick at;
  };
  struct Line {
    std::uint64_t address;
    std::uint32_t tile;
    std::uint8_t wavefront;
    std::uint8_t sectors;
  };
  struct Engine {
    std::vector<Line> lines;
    std::size_t next = 0;
    std::uint32_t block = 0;
    unsigned blocked_on = kNotBlocked;  // channel
    bool busy() const { return next < lines.size(); }
  };
  static constexpr unsigned kNotBlocked = ~0U;

  std::uint32_t block_of(std::uint32_t tile, std::uint32_t wavefront) const {
    return static_cast<std::uint32_t>((std::uint64_t{tile} * wavefronts_ + wavefront) /
                                      config_.tiles_per_block);
  }
  void load_engines(Tick now);
  void load(Engine& engine, std::uint32_t block);
  bool issue(Tick now);

  DmaConfig config_;
  TiledMatrix array_;
  Clock core_;
  Scheduler& scheduler_;
  const AddressMap& map_;
  std::vector<Channel*> channels_;
  unsigned port_;
  std::uint16_t source_;
  LinkEgress& link_;
  std::uint32_t wavefronts_;
  std::uint64_t buffer_lines_;
  std::vector<Command> commands_;         // by block
  std::vector<std::uint8_t> programmed_;  // by wavefront tile
  RingBuffer<Ready> ready_;
  std::vector<Engine> engines_;
  unsigned turn_ = 0;
  unsigned active_ = 0;
  std::uint64_t buffered_lines_ = 0;
  std::uint64_t pending_blocks_ = 0;
  Tick buffer_full_since_ = kNever;
  DmaStats stats_;
};

}  // namespace t3sim
