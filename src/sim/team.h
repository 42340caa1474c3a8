// Threads that share out the parts of one step after the other: e.g. GPUs that are independent of each other
// for the length of a window. What a part does must not depend on which thread runs it, nor on the others.
#pragma once

#include <atomic>
#include <barrier>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace t3sim {

// CPU time of the calling thread.
double thread_cpu_seconds();

class Team {
 public:
  using Part = std::function<void(std::size_t)>;

  // `threads` counts the one that calls run(): with one, no other is started.
  explicit Team(unsigned threads);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  // part(0) to part(n - 1), each once; all are done when it returns. Of several exceptions, that of the first
  // part is thrown on.
  void run(std::size_t n, const Part& part);

  // CPU time of the other threads. Not during run().
  double helpers_cpu_seconds() const;

 private:
  void help(std::size_t helper);
  void take_parts();

  std::barrier<> barrier_;
  std::vector<double> helper_seconds_;
  const Part* part_ = nullptr;  // null: the end
  std::size_t parts_ = 0;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;  // of the failure
  std::exception_ptr failure_;
  std::size_t failed_part_ = 0;
  std::vector<std::thread> helpers_;
};

}  // namespace t3sim
