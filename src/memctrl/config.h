// Configuration of the memory of one GPU. Defaults are the paper's machine (Table 1): 32 legacy channels of
// HBM2 with the 1 GHz timing line that Accel-Sim ships, CCDWL = 4 (section 5.1.1) and no refresh.
//
// A "channel" is whatever has its own command bus, data bus and banks. Where the standard splits a channel
// into two pseudo-channels (HBM2 in pseudo-channel mode, HBM3), each pseudo-channel is a channel here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace t3sim {

namespace config {
class Visitor;
}

// All values in cycles of the memory clock; 0 means that the rule does not exist.
struct DramTiming {
  std::uint32_t burst = 1;           // data bus time of one burst
  std::uint32_t ccd_s = 1;           // column to column, other bank group
  std::uint32_t ccd_l = 2;           // column to column, same bank group
  std::uint32_t ccd_update = 4;      // CCDWL: op-and-store to any column command of the same bank group
  std::uint32_t rrd_s = 4;           // activate to activate, other bank group
  std::uint32_t rrd_l = 4;           // activate to activate, same bank group
  std::uint32_t faw = 0;             // window that holds at most four activates
  std::uint32_t rcd_read = 14;       // activate to read
  std::uint32_t rcd_write = 11;      // activate to write or update; Accel-Sim: RCD - (WL + 1)
  std::uint32_t ras = 33;            // activate to precharge
  std::uint32_t rp = 14;             // precharge to activate
  std::uint32_t rc = 47;             // activate to activate, same bank
  std::uint32_t cl = 14;             // read to first data
  std::uint32_t wl = 2;              // write to first data
  std::uint32_t wtr_s = 3;           // end of write data to read, other bank group (CDLR)
  std::uint32_t wtr_l = 3;           // end of write data to read, same bank group
  std::uint32_t wr = 12;             // end of write data to precharge
  std::uint32_t rtp = 4;             // read to precharge (RTPL)
  std::uint32_t bus_turnaround = 2;  // gap on the data bus between read data and the write data after it
};

// What adds up the updates of one element (sections 4.3 and 7.4).
enum class ReductionSubstrate : std::uint8_t {
  near_memory,  // op-and-store: one column command, at the bank
  atomic        // system-wide atomics at the L2, on uncached data: a read, the sum, a write
};

enum class RefreshMode : std::uint8_t { none, all_bank, per_bank };

struct RefreshConfig {
  RefreshMode mode = RefreshMode::none;
  std::uint32_t interval_cycles =
      3900;  // REFI: every row's turn comes round by commands this far apart (all banks)
  std::uint32_t all_bank_cycles = 260;  // RFC: duration of an all-bank refresh
  std::uint32_t per_bank_cycles = 160;  // RFCpb: duration of a per-bank refresh; one every interval / banks
};

// What the DRAM queue's entries are kept in.
enum class QueueKind : std::uint8_t {
  shared,  // one pool, reads and writes compete command by command
  split    // reads and writes apart; writes are drained in batches between watermarks
};

struct DramQueueConfig {
  QueueKind kind = QueueKind::shared;
  std::uint32_t shared_bursts = 64;
  std::uint32_t read_bursts = 64;  // split only, as are all below
  std::uint32_t write_bursts = 64;
  std::uint32_t write_high_watermark = 48;  // start draining writes at this many bursts
  std::uint32_t write_low_watermark = 16;   // and stop at this many, if reads wait
  // An entry older than this goes before row hits and turnaround batching.
  std::uint32_t age_cap_cycles = 512;
  // Split only: the same for writes, which wait for their drain while nobody waits for them.
  std::uint32_t write_age_cap_cycles = 8192;
};

// Names, what they are made of and what they are for: arbitration.cpp.
enum class ArbitrationKind : std::uint8_t { round_robin, compute_first, mca, mca_paced };

struct ArbitrationConfig {
  static constexpr std::uint32_t kNoThreshold = ~std::uint32_t{0};
  static constexpr std::uint32_t kAutoThreshold = kNoThreshold - 1;

  ArbitrationKind policy = ArbitrationKind::round_robin;
  // mca: communication enters only while fewer bursts than this are queued (section 4.5: 5, 10, 30 or none).
  std::uint32_t threshold_bursts = kAutoThreshold;
  // mca: communication goes first once this long has passed since its last issue. The paper gives no number;
  // the rule here is twice the time that a full DRAM queue takes to drain at peak (2 x 64 bursts x 1 cycle).
  std::uint32_t starvation_limit_cycles = 128;
  // mca-paced: cycles in which communication has a right to one line. The default is the paper's machine: 32
  // channels of a 128 B line in 27 cycles of 1 ns are the 2 x 75 GB/s that a ring's links bring and take.
  std::uint32_t pace_cycles = 27;
};

struct MemoryConfig {
  std::uint64_t clock_hz = 1'000'000'000;
  std::uint32_t channels = 32;  // any number; others than powers of two cost a division
  std::uint32_t bank_groups = 4;
  std::uint32_t banks_per_group = 4;
  std::uint64_t row_bytes = 2048;   // of one bank
  std::uint64_t burst_bytes = 32;   // moved by one column command
  bool shared_command_bus = false;  // HBM has separate row and column command buses

  ReductionSubstrate reduction = ReductionSubstrate::near_memory;
  // atomic: from the last data of an update's read to its write's arrival: to the L2 slice and back, 100 core
  // cycles of 1.4 GHz each way (as L2Config::dram_path_cycles).
  std::uint32_t atomic_cycles = 143;

  DramTiming timing;
  RefreshConfig refresh;
  DramQueueConfig queue;
  ArbitrationConfig arbitration;

  // Address bits above the burst offset, most significant first: `row`, `bank:n`, `bank_group:n`, `column:n`,
  // `channel`. A field may come in several parts. `channel` takes no width (it is a division by the number of
  // channels), and `row` without a width takes what is left. This is Accel-Sim's "dramid@8;
  // RBBB.CCCC.BCC.SSSSS".
  std::vector<std::string> mapping = {"row",     "bank:2",       "bank_group:1", "column:4",
                                      "channel", "bank_group:1", "column:2"};
  // XOR the channel with everything above it, folded; where the channels are no power of two, each stripe of
  // all of them begins at a channel of its own, pseudo-randomly.
  bool hash_channel = true;
  bool hash_bank = true;  // XOR bank and bank group with the row, folded

  // In front of the DRAM queue.
  std::uint32_t port_bursts = 64;      // each compute port, and the communication port
  std::uint32_t parked_requests = 64;  // tracked stores that wait for the Tracker

  std::uint32_t banks() const { return bank_groups * banks_per_group; }
  std::uint32_t columns() const { return static_cast<std::uint32_t>(row_bytes / burst_bytes); }
  double peak_bytes_per_second() const;  // of all channels

  // Throws InputError, naming the key and what is allowed, when the values do not describe a memory.
  void validate() const;
};

// The keys of the section `memory` of a configuration, all but the arbitration: schemes decide that.
void describe(config::Visitor& v, MemoryConfig& c);
void describe(config::Visitor& v, DramTiming& c);
void describe(config::Visitor& v, RefreshConfig& c);
void describe(config::Visitor& v, DramQueueConfig& c);

}  // namespace t3sim
