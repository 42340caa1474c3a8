// Copy engines (cudaMemcpyAsync between GPUs): rows of one GPU's memory, read through its L2 and sent to another one.
//
// Any number of copies may be under way: they take turns, line by line, and share the reads a cycle and the buffer
// of data that is read and not sent yet. How many a GPU starts at a time is its command processor's business.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "base/ring_buffer.h"
#include "dma/config.h"
#include "gpu/l2_slice.h"
#include "interconnect/egress_ports.h"
#include "memctrl/address_map.h"
#include "nmc/functional_memory.h"
#include "sim/scheduler.h"
#include "sim/stats.h"

namespace t3sim {

// Rows of bytes; both pitches are whole lines. A piece of a row that lies in one line at both ends is a packet, of
// whole 32 B sectors.
struct CopyJob {
  std::uint16_t gpu = 0;   // that it goes to
  std::uint32_t mark = 0;  // what its packets say of themselves where they arrive: their tile
  std::uint64_t from = 0, from_pitch = 0;
  std::uint64_t to = 0, to_pitch = 0;
  std::uint64_t row_bytes = 0, rows = 0;
  std::uint16_t tag = 0;  // of a network card's put (interconnect/cards.h); 0: of none

  // Of all packets, at the end that they go to.
  std::uint64_t sectors() const;
  // Bytes of the piece of each row that begins `offset` bytes into it.
  std::uint32_t piece_bytes(std::uint64_t offset) const;
};

struct CopyStats {
  std::uint64_t copies = 0, lines = 0, bytes = 0;

  void report(Counters& out) const {
    out.count("copies", copies, "begun");
    out.bytes("bytes", bytes, "read and sent");
  }
};

// What copy engines are connected to.
struct CopyWiring {
  Clock core;
  Scheduler* scheduler = nullptr;
  const AddressMap* map = nullptr;
  std::vector<L2Slice*> slices;
  EgressPorts* link = nullptr;
  std::uint16_t source = 0;  // among those whom L2 slices reply to
  Tick noc_latency = 0;
  struct {
    PayloadPool* pool = nullptr;
    const FunctionalMemory* memory = nullptr;
  } values;                                                // functional mode
  std::function<void(std::uint32_t mark, Tick now)> sent;  // all of a copy
};

class CopyEngine final : public Component, public ReplySink {
 public:
  CopyEngine(const DmaConfig& config, const CopyWiring& wiring);

  // From tick `at` on.
  void start(const CopyJob& job, Tick at);
  // One packet that is no copy's (a signal): with copies in order.
  void post(const Request& packet, Tick at);
  // A packet of these has left over the link.
  void sent(const Request& packet, Tick now);

  void wake(Tick now) override;
  void reply(const Request& request, Tick out) override;
  bool idle() const { return jobs_.empty() && buffered_ == 0 && posted_ == 0; }
  const CopyStats& stats() const { return stats_; }

 private:
  struct Job {
    CopyJob what;
    Tick at;
    std::uint64_t row = 0, offset = 0;  // of the next piece
  };
  // Of a line of both ends.
  struct Piece {
    std::uint64_t from = 0, to = 0;
    std::uint32_t bytes = 0;
    std::uint32_t mark = 0;
    std::uint16_t gpu = 0, tag = 0;
  };

  // Where lines of one slice wait for a place: they hold up no other slice's.
  struct Door final : Sender {
    void granted(Tick now) override { engine->granted(*this, now); }

    CopyEngine* engine = nullptr;
    std::size_t slice = 0;
    RingBuffer<Piece> held{4};
  };

  void granted(Door& door, Tick now);
  void read_granted(Tick now);
  bool issue(Tick now);
  void send(const Piece& piece, Tick now);
  Piece next_piece(Job& job);
  Tick next_start() const;
  std::uint32_t free_place();
  void read(const Piece& piece, Tick now);
  std::uint32_t values_of(const Piece& piece) const;

  DmaConfig config_;
  CopyWiring wiring_;
  std::vector<Job> jobs_;
  std::map<std::uint32_t, std::uint64_t> unsent_;  // bytes, by mark
  std::size_t turn_ = 0;
  std::vector<Piece> pieces_;  // that are read or wait to be sent, by token
  std::vector<std::uint32_t> free_;
  std::uint64_t buffered_ = 0;  // of these
  std::uint64_t posted_ = 0;
  std::uint64_t most_buffered_;
  std::vector<Door> doors_;     // by slice
  std::vector<Door*> granted_;  // have a place from the next cycle on
  CopyStats stats_;
};

}  // namespace t3sim
