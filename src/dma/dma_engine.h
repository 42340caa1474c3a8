// The DMA engine (section 4.2.2): pre-programmed commands, one a block of wavefront tiles; a command that has
// been marked ready is turned into reads of the block (communication stream) and remote updates over the
// link.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dma/config.h"
#include "interconnect/egress_ports.h"
#include "kernel/matrix.h"
#include "memctrl/address_map.h"
#include "memctrl/channel.h"
#include "plan/plan.h"
#include "sim/stats.h"
#include "sim/waiting.h"

namespace t3sim {

struct DmaStats {
  std::uint64_t blocks = 0, lines = 0, bytes = 0;
  std::uint64_t peak_ready_blocks = 0;
  Tick wait_buffer = 0;  // had a ready block, but the buffer was full
};

// A block on its way: from its first read to its last one. What was read leaves over the link soon after.
struct DmaTransfer {
  Tick start = 0, end = 0;
  std::uint32_t tile = 0;  // of the block's first wavefront tile, numbered through
  std::uint8_t wavefront = 0;
  std::uint16_t engine = 0;
  std::uint16_t gpu = 0;  // that it goes to
};

class DmaEngine : public Component {
 public:
  // `arrays`: how many arrays like `array` there are, `array_stride` bytes apart (plan.h). Tiles are numbered
  // through: array * tiles of an array + tile. `traffic`: whose reads they are. `source`: index by which the
  // memory controllers' replies find their way here.
  DmaEngine(const DmaConfig& config, const TiledMatrix& array, std::uint32_t arrays,
            std::uint64_t array_stride, Traffic traffic, Clock core, Scheduler& scheduler,
            const AddressMap& map, std::vector<Channel*> channels, unsigned communication_port,
            std::uint16_t source, EgressPorts& link, Tick series_interval = 0);

  // Programs the commands of consecutive tiles of one array (dma_map): where they go, update or store. Blocks
  // never reach beyond them. Each transfer reads its block anew.
  void program(std::uint32_t first_tile, std::uint32_t tiles, const std::vector<Transfer>& transfers);
  // The wavefront tile is complete: when all of its block are, the command is ready from tick `at` on.
  void mark_ready(std::uint32_t tile, std::uint32_t wavefront, Tick at);

  void read_done(const Request& request, Tick at);  // from a memory controller
  void channel_free(unsigned channel, Tick now);
  void sent(Tick now);  // a packet has left over the link

  void wake(Tick now) override;
  bool idle() const { return ready_.empty() && active_ == 0 && buffered_lines_ == 0; }
  // Transfers of blocks programmed and not yet read.
  std::uint64_t pending_blocks() const { return pending_blocks_; }
  std::string describe_waiting() const;
  // Some of the tile is still to be read and sent.
  bool pending(std::uint32_t tile) const;
  // `complete`: has the tile all its updates?
  void report_waits(GpuWaits& waits, const std::function<bool(std::uint32_t tile)>& complete) const;
  static std::string tile_name(std::uint32_t tile);
  const DmaStats& stats() const { return stats_; }
  // In the order in which they ended.
  const std::vector<DmaTransfer>& transfers() const { return done_; }
  // Blocks that wait for an engine, and those that are being read, over time.
  const Series& ready_blocks() const { return ready_blocks_.series(); }
  const Series& blocks_in_flight() const { return blocks_in_flight_.series(); }
  // Brings the series up to `end`.
  void settle(Tick end);

 private:
  struct Command {
    std::vector<Transfer> transfers;
    std::uint64_t first = 0;    // wavefront tile, numbered through
    std::uint32_t tiles = 0;    // wavefront tiles
    std::uint32_t missing = 0;  // of these, not complete and not empty
    std::size_t unread = 0;     // transfers
  };
  struct Ready {
    std::uint32_t block;
    std::uint32_t transfer;
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
    Transfer transfer;
    std::uint32_t block = 0;
    unsigned blocked_on = kNotBlocked;  // channel
    Tick since = 0;                     // its block
    bool busy() const { return next < lines.size(); }
  };
  static constexpr unsigned kNotBlocked = ~0U;

  static constexpr std::uint32_t kNoBlock = ~0U;

  // Of a wavefront tile, numbered through.
  WavefrontTile in_array(std::uint64_t wavefront_tile) const {
    return {static_cast<std::uint32_t>(wavefront_tile / wavefronts_ % array_.grid.tiles()),
            static_cast<std::uint32_t>(wavefront_tile % wavefronts_)};
  }
  void load_engines(Tick now);
  void load(Engine& engine, const Ready& ready, Tick now);
  void block_read(Engine& engine, Tick now);
  bool issue(Tick now);
  using LinkState = EgressPorts::DmaState;
  void tell_link(LinkState state, Tick now);

  DmaConfig config_;
  TiledMatrix array_;
  std::uint64_t array_stride_;
  Traffic traffic_;
  Clock core_;
  Scheduler& scheduler_;
  const AddressMap& map_;
  std::vector<Channel*> channels_;
  unsigned port_;
  std::uint16_t source_;
  EgressPorts& link_;
  std::uint32_t wavefronts_;
  std::uint64_t buffer_lines_;
  std::vector<Command> commands_;     // by block
  std::vector<std::uint32_t> block_;  // by wavefront tile; kNoBlock: not forwarded, or empty
  RingBuffer<Ready> ready_;
  std::vector<Engine> engines_;
  unsigned turn_ = 0;
  unsigned active_ = 0;
  std::uint64_t buffered_lines_ = 0;
  std::uint64_t pending_blocks_ = 0;
  Tick buffer_full_since_ = kNever;
  LinkState link_state_ = LinkState::nothing;
  DmaStats stats_;
  std::vector<DmaTransfer> done_;
  LevelSeries ready_blocks_, blocks_in_flight_;
};

}  // namespace t3sim
