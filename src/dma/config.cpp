#include "dma/config.h"

#include "config/schema.h"

namespace t3sim {

void describe(config::Visitor& v, DmaConfig& c) {
  v.required().count("engines", c.engines, {1, 1024}, "blocks that are read at a time");
  v.required().count("lines_per_cycle", c.lines_per_cycle, {1, 1024},
                     "reads of 128 B issued in a core cycle");
  v.required().size("buffer", c.buffer_bytes, {128, 1 << 30}, "data read and not sent yet");
  v.count("tiles_per_block", c.tiles_per_block, {1, 1024}, "wavefront tiles a DMA command");
}

}  // namespace t3sim
