// Section 4.2.1: the Tracker's storage, from the widths that its fields need.
#include <fmt/format.h>

#include <bit>

#include "base/number.h"
#include "tracker/tracker.h"
#include "validation/paper/figure.h"

namespace t3sim::paper {
namespace {

// Of a GPU's virtual address; wavefront tiles start on 32 B sectors, but the paper stores whole addresses.
constexpr unsigned kAddressBits = 48;

unsigned bits_for(std::uint64_t values) { return narrow<unsigned>(std::bit_width(values - 1)); }

class TrackerSize final : public Figure {
 public:
  explicit TrackerSize(const Config& machine) : machine_(machine) {}

  void report(const Points&, Report& report) const override {
    const auto [rows, columns, k] = machine_.workload.tile;
    const unsigned wavefronts = machine_.workload.wavefronts;
    const std::uint64_t tile_bytes = std::uint64_t{rows} * columns * 2 / wavefronts;
    std::uint32_t most_tiles = 0;  // of any case: live workgroups may lie anywhere in its output
    for (const std::vector<Case>& cases : {sixteen_cases(), large_cases()})
      for (const Case& c : cases)
        most_tiles = std::max(most_tiles, gemm_spec(configure(machine_, c), 0).c().grid.tiles());
    const unsigned tag = bits_for(most_tiles) - bits_for(kTrackerSets);
    const unsigned wavefront = bits_for(wavefronts);
    const unsigned counter = bits_for(2 * tile_bytes + 1);  // two updates an element (section 4.2.1)
    const unsigned entry = tag + wavefront + kAddressBits + counter;
    const std::uint64_t bits = std::uint64_t{kTrackerSets} * kPaperTrackerWays * entry;
    report.files.emplace_back(
        "tracker_size.csv",
        fmt::format("field,bits\nwg_msb,{}\nwf_id,{}\nstart_address,{}\ncounter,{}\nentry,{}\n"
                    "table of {} sets of {},{}\n",
                    tag, wavefront, kAddressBits, counter, entry, kTrackerSets, kPaperTrackerWays, bits));
    report.summary.report("t3-tracker-size", {real(bits) / 8 / 1024});
  }

 private:
  const Config machine_;
};

}  // namespace

FigurePtr tracker_size(const Config& machine, Points&) { return std::make_unique<TrackerSize>(machine); }

}  // namespace t3sim::paper
