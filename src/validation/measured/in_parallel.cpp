#include "validation/measured/in_parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace t3sim {

void in_parallel(std::size_t n, unsigned jobs, const std::function<void(std::size_t)>& work) {
  jobs = std::max(jobs, 1U);
  // Neighbours often need the same run, for which one would wait: those that run at a time are far apart.
  const std::size_t apart = (n + jobs - 1) / jobs;
  const auto place = [&](std::size_t i) { return i % jobs * apart + i / jobs; };
  std::atomic<std::size_t> next{0};
  std::exception_ptr failed;
  std::mutex mutex;
  const auto worker = [&] {
    for (std::size_t i = next++; i < jobs * apart; i = next++) try {
        if (place(i) < n) work(place(i));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failed) failed = std::current_exception();
        next = jobs * apart;
      }
  };
  std::vector<std::thread> threads;
  for (unsigned j = 1; j < jobs; ++j) threads.emplace_back(worker);
  worker();
  for (std::thread& thread : threads) thread.join();
  if (failed) std::rethrow_exception(failed);
}

}  // namespace t3sim
