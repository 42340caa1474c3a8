#include "sim/tasks.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace t3sim {
namespace {

class Pool {
 public:
  explicit Pool(const std::vector<Task>& tasks)
      : tasks_(tasks), state_(tasks.size(), State::waiting), hangs_on_(tasks.size()), end_(tasks.size()) {
    for (std::size_t i = tasks.size(); i-- > 0;) {
      hangs_on_[i] += tasks[i].cost;
      if (!tasks[i].after) continue;
      double& earlier = hangs_on_[*tasks[i].after];
      earlier = std::max(earlier, hangs_on_[i]);
    }
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (over()) return;
      const std::size_t i = next_ready();
      if (i == end_) {
        changed_.wait(lock);
        continue;
      }
      state_[i] = State::running;
      lock.unlock();
      std::exception_ptr failure = outcome(tasks_[i]);
      lock.lock();
      state_[i] = State::done;
      if (failure) fail(i, failure);
      changed_.notify_all();
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  enum class State : unsigned char { waiting, running, done };

  static std::exception_ptr outcome(const Task& task) {
    try {
      task.run();
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }

  // Nothing is left for another thread: tasks behind one that has failed are not begun any more.
  bool over() const {
    return std::none_of(state_.begin(), state_.begin() + static_cast<std::ptrdiff_t>(end_),
                        [](State s) { return s == State::waiting; });
  }
  std::size_t next_ready() const {
    std::size_t next = end_;
    for (std::size_t i = 0; i < end_; ++i)
      if (can_run(i) && (next == end_ || hangs_on_[i] > hangs_on_[next])) next = i;
    return next;
  }
  bool can_run(std::size_t i) const {
    return state_[i] == State::waiting && (!tasks_[i].after || state_[*tasks_[i].after] == State::done);
  }
  void fail(std::size_t i, std::exception_ptr failure) {
    if (i >= end_) return;
    failure_ = failure;
    end_ = i;
  }

  const std::vector<Task>& tasks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<State> state_;
  std::vector<double> hangs_on_;  // by task: its cost and that of the dearest chain behind it
  std::size_t end_;               // tasks from here on are not begun: one has failed
  std::exception_ptr failure_;
};

}  // namespace

void run_tasks(const std::vector<Task>& tasks, unsigned threads) {
  Pool pool(tasks);
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads, tasks.size()); ++i)
    others.emplace_back([&pool] { pool.work(); });
  pool.work();
  for (std::thread& thread : others) thread.join();
  pool.rethrow();
}

}  // namespace t3sim
