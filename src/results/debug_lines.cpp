#include "results/debug_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/error.h"
#include "base/nearest.h"
#include "base/number.h"
#include "config/units.h"

namespace t3sim {
namespace {

double us_of(const char* option, const std::string& text) {
  try {
    return real(config::parse_quantity(config::kTime, text)) / 1e6;
  } catch (const std::invalid_argument& e) {
    throw InputError(fmt::format("{}: {}", option, e.what()));
  }
}

bool is_wanted(const TimelineRow& row, const DebugOptions& options) {
  return row.end_us >= options.from_us && row.start_us <= options.to_us &&
         std::ranges::any_of(options.tracks, [&](const std::string& t) { return row.track.starts_with(t); });
}

std::string line(const TimelineRow& row) {
  const std::string until =
      row.end_us > row.start_us ? fmt::format(" (until {:.3f} us)", row.end_us) : std::string();
  return fmt::format("{} {}  {:.3f} us  GPU {}  {}  {}{}\n", row.scheme, row.phase, row.start_us, row.gpu,
                     row.track, row.name, until);
}

std::string nothing(const std::vector<TimelineRow>& timeline, const DebugOptions& options) {
  std::vector<std::string> tracks;
  for (const TimelineRow& row : timeline) {
    const std::string first = row.track.substr(0, row.track.find(' '));
    if (std::ranges::count(tracks, first) == 0) tracks.push_back(first);
  }
  return fmt::format("no event of {} in this window; this run has: {}\n", fmt::join(options.tracks, ", "),
                     fmt::join(tracks, ", "));
}

}  // namespace

// Names of tracks may begin so, but for the numbers behind them.
static void check_track(const std::string& track) {
  const std::vector<std::string> known{"kernel", "stage", "step", "tracker", "dma", "link"};
  const bool is_known = std::ranges::any_of(known, [&](const std::string& name) {
    return name.starts_with(track) || track.starts_with(name + " ") || track == name;
  });
  if (track.empty()) throw InputError("--debug: expected names of tracks, e.g. --debug tracker,dma");
  if (is_known) return;
  const std::string near = nearest(track, known);
  throw InputError(fmt::format("--debug: unknown track \"{}\"; {}", track,
                               near.empty() ? fmt::format("allowed: {}", fmt::join(known, ", "))
                                            : fmt::format("did you mean {}?", near)));
}

DebugOptions debug_options(const std::vector<std::string>& tracks, const std::string& from,
                           const std::string& to) {
  DebugOptions options{tracks};
  std::ranges::for_each(tracks, check_track);
  if (!from.empty()) options.from_us = us_of("--from", from);
  if (!to.empty()) options.to_us = us_of("--to", to);
  if (options.to_us < options.from_us) throw InputError("--to: is before --from");
  return options;
}

std::string debug_lines(const std::vector<TimelineRow>& timeline, const DebugOptions& options) {
  std::vector<const TimelineRow*> rows;
  for (const TimelineRow& row : timeline)
    if (is_wanted(row, options)) rows.push_back(&row);
  if (rows.empty()) return nothing(timeline, options);
  // Phases stay in their order: the time of each begins at 0.
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find_if(begin, rows.end(), [&](const TimelineRow* row) {
      return row->scheme != (*begin)->scheme || row->phase != (*begin)->phase;
    });
    std::stable_sort(begin, end, [](const auto* a, const auto* b) { return a->start_us < b->start_us; });
    begin = end;
  }
  std::string text;
  for (const TimelineRow* row : rows) text += line(*row);
  return text;
}

}  // namespace t3sim
