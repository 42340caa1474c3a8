// Names, limits and help of the memory's configuration keys.
#include "config/schema.h"
#include "memctrl/config.h"

namespace t3sim {

namespace {

constexpr config::Limits kCycles{0, 100'000};

}  // namespace

void describe(config::Visitor& v, DramTiming& c) {
  v.required().count("burst", c.burst, {1, 64}, "cycles that a burst holds the data bus");
  v.required().count("ccd_s", c.ccd_s, kCycles, "column to column command, other bank group");
  v.required().count("ccd_l", c.ccd_l, kCycles, "column to column command, same bank group");
  v.required().count("ccd_update", c.ccd_update, kCycles,
                     "CCDWL: op-and-store to column command, same bank group");
  v.required().count("rrd_s", c.rrd_s, kCycles, "activate to activate, other bank group");
  v.required().count("rrd_l", c.rrd_l, kCycles, "activate to activate, same bank group");
  v.required().count("faw", c.faw, kCycles, "window of at most four activates; 0: none");
  v.required().count("rcd_read", c.rcd_read, kCycles, "activate to read");
  v.required().count("rcd_write", c.rcd_write, kCycles, "activate to write or op-and-store");
  v.required().count("ras", c.ras, kCycles, "activate to precharge");
  v.required().count("rp", c.rp, kCycles, "precharge to activate");
  v.required().count("rc", c.rc, kCycles, "activate to activate, same bank");
  v.required().count("cl", c.cl, kCycles, "read to its first data");
  v.required().count("wl", c.wl, kCycles, "write to its first data");
  v.required().count("wtr_s", c.wtr_s, kCycles, "end of write data to read, other bank group");
  v.required().count("wtr_l", c.wtr_l, kCycles, "end of write data to read, same bank group");
  v.required().count("wr", c.wr, kCycles, "end of write data to precharge");
  v.required().count("rtp", c.rtp, kCycles, "read to precharge");
  v.required().count("bus_turnaround", c.bus_turnaround, kCycles,
                     "data bus idle between read data and write data after it");
}

void describe(config::Visitor& v, RefreshConfig& c) {
  v.required().choice(
      "mode", c.mode,
      {{"none", RefreshMode::none}, {"all_bank", RefreshMode::all_bank}, {"per_bank", RefreshMode::per_bank}},
      "which refresh commands are issued");
  v.required().count("interval_cycles", c.interval_cycles, {1, 10'000'000},
                     "REFI: each bank is refreshed once in this time");
  v.required().count("all_bank_cycles", c.all_bank_cycles, kCycles, "RFC: duration of an all-bank refresh");
  v.required().count("per_bank_cycles", c.per_bank_cycles, kCycles, "RFCpb: duration of a per-bank refresh");
}

void describe(config::Visitor& v, DramQueueConfig& c) {
  constexpr config::Limits sizes{4, 4096};
  v.required().choice("kind", c.kind, {{"shared", QueueKind::shared}, {"split", QueueKind::split}},
                      "shared: reads and writes compete; split: writes are drained in batches");
  v.required().count("shared_bursts", c.shared_bursts, sizes, "shared: entries");
  v.required().count("read_bursts", c.read_bursts, sizes, "split: entries for reads");
  v.required().count("write_bursts", c.write_bursts, sizes, "split: entries for writes and op-and-stores");
  v.required().count("write_high_watermark", c.write_high_watermark, {1, 4096},
                     "split: bursts at which a drain starts");
  v.required().count("write_low_watermark", c.write_low_watermark, {0, 4096},
                     "split: bursts at which it stops if reads wait");
  v.required().count("age_cap_cycles", c.age_cap_cycles, {1, 10'000'000},
                     "an entry older than this goes before row hits and batching");
  v.required().count("write_age_cap_cycles", c.write_age_cap_cycles, {1, 10'000'000},
                     "split: the same for writes");
}

void describe(config::Visitor& v, MemoryConfig& c) {
  v.required().frequency("clock", c.clock_hz, {1 * config::kMHz, 10 * config::kGHz}, "clock of commands");
  v.required().count("channels", c.channels, {1, 4096}, "channels; a pseudo-channel counts as one");
  v.required().count("bank_groups", c.bank_groups, {1, 64}, "bank groups of a channel, a power of two");
  v.required().count("banks_per_group", c.banks_per_group, {1, 64}, "banks of a group, a power of two");
  v.required().size("row", c.row_bytes, {32, 65536}, "row of one bank, a power of two");
  v.required().size("burst", c.burst_bytes, {32, 128}, "moved by one column command, a power of two");
  v.flag("shared_command_bus", c.shared_command_bus, "row and column commands share a bus");
  v.choice("reduction", c.reduction,
           {{"near-memory", ReductionSubstrate::near_memory}, {"atomic", ReductionSubstrate::atomic}},
           "what adds up: op-and-store at the banks, or atomics at the L2 (section 7.4)");
  v.required().count("atomic_cycles", c.atomic_cycles, kCycles,
                     "atomic: from the data of an update's read to its write, memory cycles");
  v.section("timing", c.timing, "minimum distances of commands, in cycles of the memory clock");
  v.section("refresh", c.refresh, "refresh");
  v.section("queue", c.queue, "DRAM queue of a channel");
  v.required().texts(
      "mapping", c.mapping,
      "address bits above the burst, most significant first: row, bank:n, bank_group:n, column:n, channel");
  v.required().flag("hash_channel", c.hash_channel, "spread channels by a hash of the address bits above");
  v.required().flag("hash_bank", c.hash_bank, "spread banks by XOR with the row");
  v.required().count("port_bursts", c.port_bursts, {4, 65536},
                     "queue of each L2 slice, and of communication, at a channel");
  v.count("parked_requests", c.parked_requests, {0, 65536},
          "tracked stores of a channel that wait for the tracker");
}

}  // namespace t3sim
