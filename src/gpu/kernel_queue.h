// Kernels that share a GPU, in the order in which their workgroups get places on CUs.
//
// A kernel goes before another one of lower priority, and of those alike the one that was launched first. While a
// kernel has workgroups left, those behind it get no place on its CUs, even where the first one's next workgroup
// does not fit: the dispatcher of real GPUs does not look behind the head of its queue.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/kernel_run.h"

namespace t3sim {

class KernelQueue {
 public:
  void add(KernelRun& kernel) {
    const auto behind = std::ranges::find_if(
        waiting_, [&](const KernelRun* other) { return other->setup().priority < kernel.setup().priority; });
    waiting_.insert(behind, &kernel);
  }
  // All its workgroups have been dispatched.
  void remove(const KernelRun& kernel) { std::erase(waiting_, &kernel); }
  // May its next workgroup have a place on this CU?
  bool turn_of(const KernelRun& kernel, std::uint16_t cu) const {
    for (const KernelRun* first : waiting_) {
      if (first == &kernel) return true;
      if (first->setup().runs_on(cu)) return false;
    }
    return true;
  }

 private:
  std::vector<KernelRun*> waiting_;  // those with workgroups left
};

}  // namespace t3sim
