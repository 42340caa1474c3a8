#include "tracker/tracker.h"

#include <fmt/format.h>

#include <algorithm>

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
      wanted_(kTrackerSets) {}

void Tracker::expect(std::uint32_t tile, std::uint32_t wavefront, std::uint64_t sector_updates) {
  if (sector_updates == 0) return;
  entry(tile, wavefront).missing = static_cast<std::uint32_t>(sector_updates);
  ++incomplete_;
}

bool Tracker::may_enqueue(const Request& request) {
  if (config_.ways == 0 || entry(request.workgroup, request.wavefront).live) return true;
  const std::uint32_t set = request.workgroup % kTrackerSets;
  if (local_[set] < config_.ways) return true;
  wanted_[set] = true;
  ++stats_.refusals;
  return false;
}

void Tracker::open(Entry& e, std::uint32_t set, bool locally) {
  e.live = true;
  e.opened_locally = locally;
  local_[set] += locally;
  ++occupied_[set];
  ++live_;
  if (config_.ways != 0 && occupied_[set] > config_.ways) ++stats_.spilled_entries;
  stats_.peak_entries = std::max(stats_.peak_entries, live_);
  stats_.peak_set_entries = std::max(stats_.peak_set_entries, occupied_[set]);
}

void Tracker::count(const Request& request, Tick now) {
  Entry& e = entry(request.workgroup, request.wavefront);
  const std::uint32_t set = request.workgroup % kTrackerSets;
  ++stats_.lookups;
  if (!e.live) open(e, set, !request.remote);
  e.missing -= static_cast<std::uint32_t>(sector_count(request.sectors)) * request.updates;
  if (e.missing != 0) return;
  e.live = false;
  --occupied_[set];
  local_[set] -= e.opened_locally;
  --live_;
  --incomplete_;
  ++stats_.completed_entries;
  complete_(request.workgroup, request.wavefront, now);
  if (wanted_[set] && local_[set] < config_.ways) {
    wanted_[set] = false;
    set_freed_(now);
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

}  // namespace t3sim
