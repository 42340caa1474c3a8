#include "validation/measured/in_parallel.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace t3sim {

void in_parallel(std::size_t n, unsigned jobs, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failed;
  std::mutex mutex;
  const auto worker = [&] {
    for (std::size_t i = next++; i < n; i = next++) try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failed) failed = std::current_exception();
        next = n;
      }
  };
  std::vector<std::thread> threads;
  for (unsigned j = 1; j < jobs; ++j) threads.emplace_back(worker);
  worker();
  for (std::thread& thread : threads) thread.join();
  if (failed) std::rethrow_exception(failed);
}

}  // namespace t3sim
