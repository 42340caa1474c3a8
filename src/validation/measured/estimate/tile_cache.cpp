#include "validation/measured/estimate/tile_cache.h"

namespace t3sim {

TileCache::TileCache(double bytes, std::size_t blocks) : capacity_(bytes / kPartitions) {
  for (Partition& p : partitions_) {
    p.place.resize(kPartitions * blocks);
    p.bytes.resize(kPartitions * blocks);
  }
}

void TileCache::read(std::size_t block, double bytes, unsigned partition) {
  for (unsigned home = 0; home < kPartitions; ++home)
    read_half(kPartitions * block + home, bytes / kPartitions, partition, home);
}

void TileCache::write(std::size_t block, double bytes) {
  for (unsigned home = 0; home < kPartitions; ++home)
    insert(partitions_[home], kPartitions * block + home, bytes / kPartitions);
}

void TileCache::read_half(std::size_t half, double bytes, unsigned near, unsigned home) {
  counts_.read += bytes;
  if (partitions_[near].holds(half)) return;
  counts_.near_misses += bytes;
  if (near != home) counts_.fabric += bytes;
  if (near == home || !partitions_[home].holds(half)) {
    counts_.dram += bytes;
    insert(partitions_[home], half, bytes);
  }
  insert(partitions_[near], half, bytes);
}

void TileCache::insert(Partition& p, std::size_t half, double bytes) {
  if (p.holds(half)) return;
  while (p.filled + bytes > capacity_ && !p.held.empty()) drop_any(p);
  p.bytes[half] = static_cast<float>(bytes);
  p.filled += bytes;
  p.place[half] = static_cast<std::uint32_t>(p.held.size());
  p.held.push_back(static_cast<std::uint32_t>(half));
}

void TileCache::drop_any(Partition& p) {
  random_ = random_ * 6364136223846793005u + 1442695040888963407u;
  const std::size_t at = (random_ >> 33) % p.held.size();
  const std::uint32_t victim = p.held[at];
  p.held[at] = p.held.back();
  p.place[p.held[at]] = static_cast<std::uint32_t>(at);
  p.held.pop_back();
  p.filled -= static_cast<double>(p.bytes[victim]);
  p.bytes[victim] = 0;
}

}  // namespace t3sim
