// Who writes to whom in a plan, and in which order its parts can complete: what checks, the symbolic executor
// and --explain share.
#pragma once

#include <cstdint>
#include <vector>

#include "base/number.h"
#include "plan/plan.h"

namespace t3sim {

// A chunk of an array in the memory of a GPU.
struct Cell {
  std::uint32_t gpu = 0, array = 0, chunk = 0;
  bool operator==(const Cell&) const = default;
};

// Something that writes a cell.
struct Writer {
  enum class By : std::uint8_t { own_stores, remote_stores, dma };
  By by = By::own_stores;
  Op op = Op::update;
  std::uint16_t gpu = 0;   // from which it comes
  std::uint8_t array = 0;  // there
};

// Needs a plan whose transfers are in range.
class PlanGraph {
 public:
  explicit PlanGraph(const CollectivePlan& plan);

  std::uint32_t index(const Cell& cell) const {
    return (cell.gpu * arrays_ + cell.array) * chunks_ + cell.chunk;
  }
  Cell cell(std::uint32_t index) const {
    return {index / chunks_ / arrays_, index / chunks_ % arrays_, index % chunks_};
  }
  std::uint32_t cells() const { return narrow<std::uint32_t>(writers_.size()); }
  // By GPU, own stores first.
  const std::vector<Writer>& writers(std::uint32_t index) const { return writers_[index]; }
  const std::vector<Writer>& writers(const Cell& cell) const { return writers_[index(cell)]; }
  // The cell that a DMA writer reads.
  Cell source(const Writer& writer, const Cell& written) const {
    return {writer.gpu, writer.array, written.chunk};
  }
  // Each cell after those whose DMA it waits for. Cells on a cycle of DMA, or behind one, are missing.
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  void sort(const CollectivePlan& plan);

  std::uint32_t arrays_, chunks_;
  std::vector<std::vector<Writer>> writers_;
  std::vector<std::uint32_t> order_;
};

}  // namespace t3sim
