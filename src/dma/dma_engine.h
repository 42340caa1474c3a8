// The DMA engine (section 4.2.2): pre-programmed commands, one a block of wavefront tiles; a command that has
// been marked ready is turned into reads of the block (communication stream) and remote updates over the
// link.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/number.h"
#include "dma/config.h"
#include "dma/dma_observer.h"
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

  void report(Counters& out) const {
    out.count("blocks", blocks, "transfers of blocks done");
    out.bytes("bytes", bytes, "read and sent");
    out.count("peak_ready_blocks", peak_ready_blocks, "blocks that waited for an engine at a time, at most");
  }
};

// Takes transfers that a network card carries out: it says when their data is to be read.
class PutPort {
 public:
  virtual ~PutPort() = default;
  // The card that carries what goes to a GPU; "" if that is none.
  virtual std::string_view card_to(std::uint16_t gpu) const = 0;
  virtual void post(std::uint32_t number, std::uint16_t gpu, std::uint64_t bytes, Tick at) = 0;
};

// What a DMA engine is connected to.
struct DmaWiring {
  Clock core;
  Scheduler* scheduler = nullptr;
  const AddressMap* map = nullptr;
  std::vector<Channel*> channels;
  unsigned communication_port = 0;  // of each channel
  std::uint16_t source = 0;         // index by which the memory controllers' replies find their way here
  EgressPorts* link = nullptr;
  DmaObserver* observer = nullptr;
  PutPort* puts = nullptr;  // null: all is read at once
};

// The arrays that commands are about.
struct DmaArrays {
  TiledMatrix array;                  // array 0; tiles are numbered through: array * tiles of an array + tile
  std::uint32_t arrays = 1;           // how many like it there are (plan.h) ...
  std::uint64_t stride = 0;           // ... so many bytes apart
  Traffic traffic = Traffic::rs;      // whose reads they are
  std::uint32_t tiles_per_block = 0;  // wavefront tiles a command; 0: as configured
};

class DmaEngine : public Component {
 public:
  DmaEngine(const DmaConfig& config, const DmaWiring& wiring);

  // Before the first command is programmed.
  void set_arrays(const DmaArrays& arrays);
  // Programs the commands of consecutive tiles of one array (dma_map): where they go, update or store. Blocks
  // never reach beyond them. Each transfer reads its block anew.
  void program(std::uint32_t first_tile, std::uint32_t tiles, const std::vector<Transfer>& transfers);
  // The wavefront tile is complete: when all of its block are, the command is ready from tick `at` on.
  void mark_ready(std::uint32_t tile, std::uint32_t wavefront, Tick at);

  // The transfer that was posted under this number is read from tick `at` on; `tag`: of its packets.
  void put_started(std::uint32_t number, std::uint16_t tag, Tick at);
  void read_done(const Request& request, Tick at);  // from a memory controller
  void channel_free(unsigned channel, Tick now);
  void sent(Tick now);  // a packet has left over the link

  void wake(Tick now) override;
  bool idle() const { return ready_.empty() && started_.empty() && active_ == 0 && buffered_lines_ == 0; }
  // Transfers of blocks programmed and not yet read.
  std::uint64_t pending_blocks() const { return pending_blocks_; }
  // Some of the tile is still to be read and sent.
  bool pending(std::uint32_t tile) const;
  // `complete`: has the tile all its updates?
  void report_waits(GpuWaits& waits, const std::function<bool(std::uint32_t tile)>& complete) const;
  static std::string tile_name(std::uint32_t tile);
  const DmaStats& stats() const { return stats_; }

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
    std::uint16_t tag = 0;  // of a put
  };
  // A transfer that a card carries out.
  struct Posted {
    std::uint32_t block;
    std::uint32_t transfer;
    bool started = false;
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
    std::uint16_t tag = 0;
    unsigned blocked_on = kNotBlocked;  // channel
    Tick since = 0;                     // its block
    bool busy() const { return next < lines.size(); }
  };
  static constexpr unsigned kNotBlocked = ~0U;

  static constexpr std::uint32_t kNoBlock = ~0U;

  // Of a wavefront tile, numbered through.
  WavefrontTile in_array(std::uint64_t wavefront_tile) const {
    return {narrow<std::uint32_t>(wavefront_tile / wavefronts_ % arrays_.array.grid.tiles()),
            narrow<std::uint32_t>(wavefront_tile % wavefronts_)};
  }
  bool post(std::uint32_t block, std::uint32_t transfer, Tick at);
  // The queue whose first transfer is due; in turns if both are, as a card reads beside the copy engine. Null if
  // none is.
  RingBuffer<Ready>* due(Tick now);
  Tick next_ready() const;
  std::vector<std::uint32_t> report_posted(GpuWaits& waits) const;
  void load_engines(Tick now);
  void load(Engine& engine, const Ready& ready, Tick now);
  void block_read(Engine& engine, Tick now);
  bool issue(Tick now);
  void enter(DmaState state, Tick now);

  DmaConfig config_;
  DmaWiring wiring_;
  DmaArrays arrays_;
  std::uint32_t wavefronts_ = 1;  // of a tile
  std::uint64_t buffer_lines_;
  std::vector<Command> commands_;      // by block
  std::vector<std::uint32_t> block_;   // by wavefront tile; kNoBlock: not forwarded, or empty
  RingBuffer<Ready> ready_, started_;  // started_: puts
  std::vector<Posted> posted_;         // by number
  std::uint32_t unstarted_ = 0;        // of these
  bool put_turn_ = false;
  std::vector<Engine> engines_;
  unsigned turn_ = 0;
  unsigned active_ = 0;
  std::uint64_t buffered_lines_ = 0;
  std::uint64_t pending_blocks_ = 0;
  bool buffer_full_ = false;
  DmaState state_ = DmaState::nothing;
  DmaStats stats_;
};

}  // namespace t3sim
