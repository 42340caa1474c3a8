// Configuration of the DMA engine (section 4.2.2).
#pragma once

#include <cstdint>

namespace t3sim {

namespace config {
class Visitor;
}

struct DmaConfig {
  std::uint64_t engines = 8;               // blocks read at a time, a line in turn each
  std::uint64_t buffer_bytes = 128 << 10;  // data read and not sent yet
  std::uint64_t lines_per_cycle = 1;       // reads issued a core cycle
  std::uint64_t tiles_per_block =
      1;  // wavefront tiles a command (4.2.2: equal to or larger than the Tracker's)
};

void describe(config::Visitor& v, DmaConfig& c);

}  // namespace t3sim
