// Embedding bags: each row of the output is the sum of rows of a table, drawn at random.
#pragma once

#include "kernel/drawn_rows.h"
#include "kernel/sum_kernel.h"
#include "kernel/tile_kernel.h"

namespace t3sim {

struct EmbeddingSpec {
  Rectangle table, to;  // rows of the same length
  Rectangle indices;    // a row for each bag, read before its rows; of no rows: not read
  BagSpec bags;
  // Rows whose loads a thread issues before it adds the first: what the compiler makes of the loop.
  std::uint32_t unroll = 4;
  std::uint32_t thread_bytes = 16;       // of a row that a thread loads at once: how many threads a bag has
  std::uint64_t registers = 32;          // a thread
  std::uint32_t wavefront_threads = 32;  // of the machine
};

// A tile is a bag. A thread has `thread_bytes` of each row.
class EmbeddingKernel final : public TileKernel {
 public:
  EmbeddingKernel(const EmbeddingSpec& spec, TileWalk walk)
      : TileKernel(std::move(walk)), spec_(spec), rows_(spec.bags) {}

  bool fill(std::uint32_t tile, std::uint32_t done, Group& group) const override;
  KernelTraits traits() const override;

 private:
  EmbeddingSpec spec_;
  DrawnRows rows_;
};

}  // namespace t3sim
