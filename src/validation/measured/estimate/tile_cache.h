// An L2 of two partitions that holds blocks: the panel of an operand that a tile needs for one K step, or a
// finished tile of the output. Exact to half a block: half of a block's lines have their home in either
// partition.
//
// A CU reads through its own partition. What is not there is looked for in its home, and if it is not there
// either, fetched from memory; both keep a copy. So what CUs on both sides read is held twice, and fetched
// again once both copies are gone. A full partition drops any block (the replacement of real L2s is not
// published; the least recently used one would lose everything of a sweep that is a little too long, which
// the measured traffic does not show).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace t3sim {

class TileCache {
 public:
  static constexpr unsigned kPartitions = 2;

  struct Counts {
    double read = 0;         // bytes that CUs asked their partition for
    double near_misses = 0;  // of them, that it did not hold
    double fabric = 0;       // bytes that one partition asked the other for
    double dram = 0;         // bytes that came from memory
  };

  // `blocks`: how many different ones there will be, named 0, 1, ...
  TileCache(double bytes, std::size_t blocks);

  void read(std::size_t block, double bytes, unsigned partition);
  // A finished tile: into its home, without reading it first.
  void write(std::size_t block, double bytes);

  const Counts& counts() const { return counts_; }

 private:
  struct Partition {
    std::vector<std::uint32_t> held;   // half blocks, in no order
    std::vector<std::uint32_t> place;  // in `held`, by half block
    std::vector<float> bytes;          // 0: not held
    double filled = 0;
    bool holds(std::size_t half) const { return bytes[half] > 0; }
  };

  void read_half(std::size_t half, double bytes, unsigned near, unsigned home);
  void insert(Partition& partition, std::size_t half, double bytes);
  void drop_any(Partition& partition);

  double capacity_;  // of a partition
  std::array<Partition, kPartitions> partitions_;
  std::uint64_t random_ = 1;  // the same sequence in every run
  Counts counts_;
};

}  // namespace t3sim
