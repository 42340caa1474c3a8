// In-switch reduction (section 7.4): updates of the same line of the same GPU are added up and sent on as
// one.
//
// The switch is told how many updates each line gets. A line's first update takes an entry of the table and
// waits there; the last one completes the sum. Where the table is full, updates pass as they are. Of such
// lines the switch keeps a count only, beside the table, so that it knows what is still to come when there is
// room later; how many counts it had to keep at most is a statistic (`peak_counted_lines`), not a limit.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>

#include "nmc/functional_memory.h"
#include "sim/request.h"
#include "sim/stats.h"

namespace t3sim {

// Updates that the memory of request.gpu gets of the packet's line and sectors over links, in all.
using UpdatesExpected = std::function<std::uint32_t(const Request&)>;

struct ReductionStats {
  std::uint64_t sums = 0;            // packets that stand for several
  std::uint64_t absorbed = 0;        // packets that went no further
  std::uint64_t absorbed_bytes = 0;  // their bytes
  std::uint64_t refused = 0;         // packets that passed as the table was full
  std::uint64_t peak_lines = 0;      // entries used
  std::uint64_t peak_counted_lines = 0;

  void report(Counters& out) const {
    out.count("sums", sums, "packets sent on that stand for several");
    out.count("absorbed_packets", absorbed, "that went no further");
    out.bytes("absorbed_bytes", absorbed_bytes, "of these");
    out.count("refused_packets", refused, "that passed as the table was full");
    out.count("peak_lines", peak_lines, "entries used at a time, at most");
    out.count("peak_counted_lines", peak_counted_lines, "lines counted at a time, at most");
  }
};

class ReductionTable {
 public:
  // `pool` holds the values of packets in functional mode, else null.
  ReductionTable(std::uint64_t lines, UpdatesExpected expected, PayloadPool* pool);

  enum class Outcome : std::uint8_t {
    pass,      // goes on as it is
    kept,      // is in the table now
    complete,  // has become the sum, which goes on; release() when it has left
  };
  // Throws CheckError for an update of a line that has had all of its updates.
  Outcome add(Request& packet);
  void release() { --used_; }
  bool empty() const { return lines_.empty() && used_ == 0; }

  std::string describe_waiting() const;
  template <class F>
  void for_each_waiting_tile(F&& f) const {
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::uint32_t> tiles;  // in an order of its own
    for (const auto& [key, line] : lines_)
      if (line.summed) tiles[{key.gpu, line.sum.tile}] += line.missing;
    for (const auto& [tile, missing] : tiles) f(tile.first, tile.second, missing);
  }
  const ReductionStats& stats() const { return stats_; }

 private:
  struct Key {
    std::uint64_t address;
    std::uint16_t gpu;
    std::uint8_t sectors;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Line {
    std::uint32_t missing = 0;  // updates still to come
    bool summed = false;        // `sum` holds those that have come, as an entry of the table
    Request sum;
  };

  void absorb(Line& line, const Request& packet);

  std::uint64_t capacity_;
  UpdatesExpected expected_;
  PayloadPool* pool_;
  std::unordered_map<Key, Line, Hash> lines_;  // those that have had some of their updates
  std::uint64_t used_ = 0;                     // sums in the making, or complete and not sent yet
  std::uint64_t summed_ = 0;                   // in the making
  ReductionStats stats_;
};

}  // namespace t3sim
