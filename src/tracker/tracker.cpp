#include "tracker/tracker.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/number.h"

namespace t3sim {

Tracker::Tracker(const TrackerConfig& config, std::uint32_t tiles, std::uint32_t wavefronts,
                 Complete complete, SetFreed set_freed)
    : config_(config),
      wavefronts_(wavefronts),
      complete_(std::move(complete)),
      set_freed_(std::move(set_freed)),
      entries_(std::size_t{tiles} * wavefronts),
      occupied_(kTrackerSets),
      local_(kTrackerSets),
      wanted_(kTrackerSets),
      tags_(tiles),
      ports_(config.ports, config.core),
      live_series_(config.series_interval) {}

void Tracker::expect(std::uint32_t tile, std::uint32_t wavefront, std::uint64_t sector_updates,
                     std::uint64_t local) {
  if (sector_updates == 0) return;
  const auto threshold = narrow<std::uint32_t>(sector_updates);
  entry(tile, wavefront).missing = threshold;
  entry(tile, wavefront).missing_locally = narrow<std::uint32_t>(local);
  stats_.largest_threshold = std::max(stats_.largest_threshold, threshold);
  ++incomplete_;
}

bool Tracker::may_enqueue(const Request& request) {
  if (config_.ways == 0 || entry(request.tile, request.wavefront).live) return true;
  const std::uint32_t set = request.tile % kTrackerSets;
  if (local_[set] < config_.ways) return true;
  wanted_[set] = true;
  ++stats_.refusals;
  return false;
}

void Tracker::reserve(const Request& request, Tick now) {
  Entry& e = entry(request.tile, request.wavefront);
  if (!e.live) open(e, request, now);
}

void Tracker::open(Entry& e, const Request& request, Tick now) {
  const std::uint32_t set = request.tile % kTrackerSets;
  e.live = true;
  e.opened_locally = !request.remote;
  e.opened = now;
  local_[set] += e.opened_locally;
  ++occupied_[set];
  live_series_.set(now, ++live_);
  if (config_.ways != 0 && occupied_[set] > config_.ways) ++stats_.spilled_entries;
  stats_.peak_entries = std::max(stats_.peak_entries, live_);
  stats_.peak_set_entries = std::max(stats_.peak_set_entries, occupied_[set]);
  stats_.tag_span = std::max(stats_.tag_span, tags_.add(request.tile));
}

void Tracker::close(Entry& e, std::uint32_t tile, Tick now) {
  const std::uint32_t set = tile % kTrackerSets;
  e.live = false;
  --occupied_[set];
  local_[set] -= e.opened_locally;
  live_series_.set(now, --live_);
  --incomplete_;
  tags_.remove(tile);
  ++stats_.completed_entries;
  stats_.life += now - e.opened;
}

void Tracker::count(const Request& request, Tick now) {
  reserve(request, now);
  Entry& e = entry(request.tile, request.wavefront);
  ++stats_.lookups;
  const Tick at = ports_.look_up(now);
  stats_.lookup_wait += at - now;
  stats_.longest_lookup_wait = std::max(stats_.longest_lookup_wait, at - now);
  const std::uint32_t updates = narrow<std::uint32_t>(sector_count(request.sectors)) * request.updates;
  e.missing -= updates;
  if (!request.remote) e.missing_locally -= std::min(e.missing_locally, updates);
  if (e.missing != 0) return;
  close(e, request.tile, now);
  complete_(request.tile, request.wavefront, at);
  const std::uint32_t set = request.tile % kTrackerSets;
  if (wanted_[set] && local_[set] < config_.ways) {
    wanted_[set] = false;
    set_freed_(now);
  }
}

Tracker::Missing Tracker::missing(std::uint32_t tile) const {
  const Entry* found = nullptr;
  for (std::size_t i = std::size_t{tile} * wavefronts_; i < std::size_t{tile + 1} * wavefronts_; ++i) {
    const Entry& e = entries_[i];
    if (e.missing == 0) continue;
    if (e.live && e.opened_locally) return {e.missing, e.missing_locally};
    if (found == nullptr) found = &e;
  }
  return found ? Missing{found->missing, found->missing_locally} : Missing{};
}

TrackerEntryBits Tracker::entry_bits(std::uint64_t address_end) const {
  TrackerEntryBits bits;
  bits.tag = narrow<unsigned>(std::bit_width(stats_.tag_span - 1));
  bits.wavefront = narrow<unsigned>(std::bit_width(wavefronts_ - 1));
  bits.address = narrow<unsigned>(std::bit_width(address_end - 1));
  bits.counter = narrow<unsigned>(std::bit_width(stats_.largest_threshold));
  return bits;
}

std::string Tracker::tile_name(std::uint32_t tile) { return fmt::format("tracker tile {}", tile); }
std::string Tracker::set_name(std::uint32_t set) { return fmt::format("tracker set {}", set); }

void Tracker::report_waits(GpuWaits& waits) const {
  for (std::uint32_t set = 0; set < kTrackerSets; ++set) {
    if (!wanted_[set]) continue;
    for (std::size_t tile = set; tile * wavefronts_ < entries_.size(); tile += kTrackerSets)
      for (std::uint32_t w = 0; w < wavefronts_; ++w) {
        const Entry& e = entries_[tile * wavefronts_ + w];
        if (!e.live || !e.opened_locally) continue;
        waits.add(set_name(set), tile_name(narrow<std::uint32_t>(tile)),
                  fmt::format("all {} ways are taken, one by its wavefront {}", config_.ways, w));
        break;
      }
  }
}

std::string Tracker::describe_waiting() const {
  std::string text;
  int shown = 0;
  for (std::size_t i = 0; i < entries_.size() && shown < 4; ++i) {
    if (entries_[i].missing == 0) continue;
    text += fmt::format("tracker: tile {} wavefront {} waits for {} more sector updates\n", i / wavefronts_,
                        i % wavefronts_, entries_[i].missing);
    ++shown;
  }
  if (incomplete_ > 4)
    text += fmt::format("tracker: ... {} wavefront tiles incomplete in all\n", incomplete_);
  return text;
}

void Tracker::report(Counters& out, const TrackerUse& use) const {
  const TrackerStats& s = stats_;
  out.count("lookups", s.lookups, "accesses counted");
  out.count("completed_entries", s.completed_entries, "wavefront tiles that reached their threshold");
  out.count("peak_entries", s.peak_entries, "live at a time, at most");
  out.count("peak_set_entries", s.peak_set_entries, "live in one set at a time, at most");
  out.count("spilled_entries", s.spilled_entries, "opened by updates over a link in sets that were full");
  out.count("refusals", s.refusals, "times that a local store found its set full");
  out.count("stalled_stores", use.stalled_stores, "local stores that waited for room in their set");
  out.mean_time("mean_entry_life", s.life, std::max<std::uint64_t>(s.completed_entries, 1),
                "from an entry's first update to its last");
  out.time("lookup_wait", s.lookup_wait, "that lookups waited for a port, all together");
  out.time("longest_lookup_wait", s.longest_lookup_wait, "of one lookup for a port");
  const auto bits = [&](const char* name, std::uint64_t width, const char* meaning) {
    out.add(name, width, "bits", meaning);
  };
  bits("tag_bits", use.bits.tag, "of an entry: which workgroup of its set it is of");
  bits("wavefront_bits", use.bits.wavefront, "of an entry: which wavefront");
  bits("address_bits", use.bits.address, "of an entry: where its tile starts");
  bits("counter_bits", use.bits.counter, "of an entry: up to the largest threshold");
  bits("entry_bits", use.bits.total(), "of an entry, as the run has needed it");
  out.bytes("table_bytes", use.bits.table_bytes(use.ways), "of the table with such entries");
  out.bytes("needed_table_bytes", use.bits.table_bytes(s.peak_set_entries), "of a table that never spills");
  out.bytes("published_table_bytes", kPaperTrackerBytes, "of the paper's table (4.2.1)");
}

}  // namespace t3sim
