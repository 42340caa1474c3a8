// Counts what arrives over the link for collective kernels: the flags that their workgroups wait on.
#pragma once

#include <algorithm>
#include <vector>

#include "gpu/config.h"
#include "gpu/kernel_run.h"

namespace t3sim {

class ArrivalBoard : public Arrivals {
 public:
  ArrivalBoard(std::uint32_t steps, std::uint32_t tiles, CollectiveSync sync)
      : flags_(sync == CollectiveSync::tile ? tiles : 1), entries_(std::size_t{steps} * flags_) {}

  // `sectors` will arrive for (step, tile).
  void expect(std::uint32_t step, std::uint32_t tile, std::uint64_t sectors) {
    at(step, tile).missing += sectors;
    missing_ += sectors;
  }
  bool complete(std::uint32_t step, std::uint32_t tile, ArrivalWaiter& waiter) override {
    Entry& entry = at(step, tile);
    if (entry.missing == 0) return true;
    if (std::find(entry.waiters.begin(), entry.waiters.end(), &waiter) == entry.waiters.end())
      entry.waiters.push_back(&waiter);
    return false;
  }
  void count(std::uint32_t step, std::uint32_t tile, std::uint32_t sectors, Tick now) {
    Entry& entry = at(step, tile);
    entry.missing -= sectors;
    missing_ -= sectors;
    if (entry.missing != 0) return;
    const std::vector<ArrivalWaiter*> waiters = std::move(entry.waiters);
    entry.waiters.clear();
    for (ArrivalWaiter* waiter : waiters) waiter->arrived(now);
  }
  // Sectors that have not arrived yet.
  std::uint64_t missing() const { return missing_; }

 private:
  struct Entry {
    std::uint64_t missing = 0;  // sectors
    std::vector<ArrivalWaiter*> waiters;
  };
  Entry& at(std::uint32_t step, std::uint32_t tile) {
    return entries_[std::size_t{step} * flags_ + (flags_ > 1 ? tile : 0)];
  }

  std::uint32_t flags_;  // a step
  std::vector<Entry> entries_;
  std::uint64_t missing_ = 0;
};

}  // namespace t3sim
