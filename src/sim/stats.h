// Statistics: components count in plain fields and name them once, at the end, to a sink.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/time.h"

namespace t3sim {

// Receives every counter of a component. `component` is e.g. "l2[12]"; `unit` e.g. "bytes", "cycles", "us", "1".
class StatsSink {
 public:
  virtual ~StatsSink() = default;
  virtual void count(std::string_view component, std::string_view name, std::uint64_t value,
                     std::string_view unit) = 0;
  virtual void real(std::string_view component, std::string_view name, double value, std::string_view unit) = 0;
};

// A quantity summed in fixed intervals of simulated time, e.g. DRAM bytes every 10 us.
class Series {
 public:
  explicit Series(Tick interval = 0) : interval_(interval) {}

  void add(Tick at, std::uint64_t amount) {
    if (interval_ == 0) return;
    const std::size_t bin = at / interval_;
    if (bin >= bins_.size()) bins_.resize(bin + 1);
    bins_[bin] += amount;
  }
  Tick interval() const { return interval_; }
  const std::vector<std::uint64_t>& bins() const { return bins_; }

 private:
  Tick interval_;
  std::vector<std::uint64_t> bins_;
};

}  // namespace t3sim
