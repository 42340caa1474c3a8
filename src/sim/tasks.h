// Pieces of work, some of which need the outcome of an earlier one, on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace t3sim {

struct Task {
  std::function<void()> run;
  std::optional<std::size_t> after;  // the earlier task that it needs
  double cost = 0;                   // expected, in any unit; only decides which task starts first
};

// Runs all tasks on `threads` threads, the calling one among them. Of the tasks that can run, a thread takes the one whose
// own cost and that of the dearest chain behind it is largest, the first in the list among equals: so no long one is left for
// the end. If tasks throw, the exception of the first of them in the list is thrown on, whatever the number of threads; tasks
// behind it in the list may have run or not.
void run_tasks(const std::vector<Task>& tasks, unsigned threads);

}  // namespace t3sim
