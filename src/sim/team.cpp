#include "sim/team.h"

#include <ctime>
#include <numeric>

namespace t3sim {

double thread_cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

Team::Team(unsigned threads) : barrier_(threads), helper_seconds_(threads - 1) {
  for (std::size_t i = 0; i + 1 < threads; ++i) helpers_.emplace_back([this, i] { help(i); });
}

Team::~Team() {
  if (helpers_.empty()) return;
  part_ = nullptr;
  barrier_.arrive_and_wait();
  for (std::thread& helper : helpers_) helper.join();
}

void Team::run(std::size_t n, const Part& part) {
  if (helpers_.empty() || n < 2) {
    for (std::size_t i = 0; i < n; ++i) part(i);
    return;
  }
  part_ = &part;
  parts_ = n;
  next_.store(0, std::memory_order_relaxed);
  failure_ = nullptr;
  barrier_.arrive_and_wait();
  take_parts();
  barrier_.arrive_and_wait();
  if (failure_) std::rethrow_exception(failure_);
}

void Team::help(std::size_t helper) {
  for (;;) {
    barrier_.arrive_and_wait();
    if (part_ == nullptr) return;
    take_parts();
    helper_seconds_[helper] = thread_cpu_seconds();
    barrier_.arrive_and_wait();
  }
}

void Team::take_parts() {
  for (;;) {
    const std::size_t i = next_.fetch_add(1, std::memory_order_relaxed);
    if (i >= parts_) return;
    try {
      (*part_)(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (failure_ && failed_part_ < i) continue;
      failure_ = std::current_exception();
      failed_part_ = i;
    }
  }
}

double Team::helpers_cpu_seconds() const {
  return std::accumulate(helper_seconds_.begin(), helper_seconds_.end(), 0.0);
}

}  // namespace t3sim
