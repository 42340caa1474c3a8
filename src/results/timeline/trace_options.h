// What a Perfetto trace is to hold (docs/timeline.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace t3sim {

struct TraceOptions {
  // Picoseconds since the start of each scheme. What reaches beyond is cut off.
  std::uint64_t from_ps = 0, to_ps = ~std::uint64_t{0};
  std::vector<std::string> tracks;  // patterns (*, ?, [abc]) of the tracks that are written; none: all
  std::uint64_t limit_bytes = 100'000'000;
};

// Takes over a window as "100 us..300 us"; either end may be left out. Throws InputError.
void set_window(TraceOptions& options, std::string_view window);

}  // namespace t3sim
