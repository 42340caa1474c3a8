// Percentiles of many durations in little space: exact up to 63, then 32 steps an octave (at most 3.1 % off).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace t3sim {

class LatencyHistogram {
 public:
  void add(std::uint64_t value) {
    ++counts_[bucket(value)];
    ++count_;
    sum_ += value;
    if (value > max_) max_ = value;
    if (value < min_) min_ = value;
  }
  void merge(const LatencyHistogram& other) {
    for (std::size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    if (other.max_ > max_) max_ = other.max_;
    if (other.min_ < min_) min_ = other.min_;
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }
  std::uint64_t max() const { return max_; }
  std::uint64_t min() const { return count_ == 0 ? 0 : min_; }
  double mean() const { return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_); }
  // Smallest value (rounded down to its step) that at least the given share, 0..1, of all values does not
  // exceed.
  std::uint64_t percentile(double share) const {
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(count_));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      seen += counts_[i];
      if (seen > 0 && seen >= wanted) return lower_bound(i);
    }
    return 0;
  }

 private:
  static constexpr unsigned kExactBits = 6, kStepBits = 5;
  static constexpr std::size_t kBuckets = 64 + 32 * 34;  // up to 2^40

  static std::size_t bucket(std::uint64_t v) {
    if (v < (1U << kExactBits)) return v;
    const auto octave = static_cast<unsigned>(std::bit_width(v)) - 1;  // >= kExactBits
    const std::size_t step = (v >> (octave - kStepBits)) & ((1U << kStepBits) - 1);
    const std::size_t index = 64 + (octave - kExactBits) * 32 + step;
    return index < kBuckets ? index : kBuckets - 1;
  }
  static std::uint64_t lower_bound(std::size_t i) {
    if (i < 64) return i;
    const std::size_t octave = (i - 64) / 32 + kExactBits;
    return (std::uint64_t{32} + (i - 64) % 32) << (octave - kStepBits);
  }

  std::array<std::uint64_t, kBuckets> counts_{};
  std::uint64_t count_ = 0, sum_ = 0, max_ = 0, min_ = ~std::uint64_t{0};
};

}  // namespace t3sim
