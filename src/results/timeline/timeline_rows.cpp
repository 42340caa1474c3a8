#include "results/timeline/timeline_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/number.h"

namespace t3sim {
namespace {

// Batches of DMA transfers of a GPU and phase, if chunks are not more.
constexpr std::size_t kDmaBatches = 512;

struct Span {
  Tick start = kNever, end = 0;
  void add(Tick from, Tick to) {
    start = std::min(start, from);
    end = std::max(end, to);
  }
};

class Rows {
 public:
  Rows(std::uint32_t gpu, const TimeBase& time) : gpu_(gpu), time_(time) {}
  void add(const std::string& track, std::string name, Tick start, Tick end) {
    rows_.push_back({"", "", gpu_, track, std::move(name), time_.to_us(start), time_.to_us(end)});
  }
  std::vector<TimelineRow> take() { return std::move(rows_); }

 private:
  std::uint32_t gpu_;
  const TimeBase& time_;
  std::vector<TimelineRow> rows_;
};

// Consecutive tiles of a chunk that go to the same GPU, as many a batch as make kDmaBatches of all.
void add_transfers(const GpuTimeline& t, Rows& rows) {
  if (t.transfers.empty()) return;
  std::vector<std::uint32_t> tiles(t.chunk_of.size());  // that are sent, by tile
  for (const DmaTransfer& transfer : t.transfers) tiles[transfer.tile] = 1;
  const auto sent = narrow<std::size_t>(std::count(tiles.begin(), tiles.end(), 1U));
  const auto batch = narrow<std::uint32_t>((sent + kDmaBatches - 1) / kDmaBatches);
  std::vector<std::uint32_t> first(t.chunk_names.size(), ~0U);
  for (std::uint32_t tile = 0; tile < t.chunk_of.size(); ++tile)
    first[t.chunk_of[tile]] = std::min(first[t.chunk_of[tile]], tile);
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Span> batches;  // chunk, GPU, batch
  for (const DmaTransfer& transfer : t.transfers) {
    const std::uint32_t chunk = t.chunk_of[transfer.tile];
    batches[{chunk, transfer.gpu, (transfer.tile - first[chunk]) / batch}].add(transfer.start, transfer.end);
  }
  for (const auto& [key, span] : batches)
    rows.add("dma", t.chunk_names[std::get<0>(key)] + to_gpu(t, std::get<1>(key)), span.start, span.end);
}

}  // namespace

std::vector<TimelineSlice> triggers_by_chunk(const GpuTimeline& t) {
  std::vector<Span> chunks(t.chunk_names.size());
  for (const Trigger& trigger : t.triggers) chunks[t.chunk_of[trigger.tile]].add(trigger.at, trigger.at);
  std::vector<TimelineSlice> slices;
  for (std::size_t c = 0; c < chunks.size(); ++c)
    if (chunks[c].start != kNever) slices.push_back({t.chunk_names[c], chunks[c].start, chunks[c].end});
  return slices;
}

std::vector<TimelineRow> timeline_rows(const GpuTimeline& timeline, std::uint32_t gpu, const TimeBase& time) {
  Rows rows(gpu, time);
  if (!timeline.group_track.empty()) rows.add("kernel", "kernel", timeline.kernel_start, timeline.kernel_end);
  for (const TimelineSlice& s : timeline.groups) rows.add(timeline.group_track, s.name, s.start, s.end);
  for (const TimelineSlice& s : triggers_by_chunk(timeline)) rows.add("tracker", s.name, s.start, s.end);
  add_transfers(timeline, rows);
  for (const GpuTimeline::Link& link : timeline.links)
    for (const BusyIntervals::Interval& busy : link.busy)
      rows.add(link.track(), fmt::format("{} bytes", busy.amount), busy.start, busy.end);
  return rows.take();
}

}  // namespace t3sim
