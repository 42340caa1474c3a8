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
  double cost = 0;                   // of time, in any unit; settles only when it runs
};

// Runs all tasks on `threads` threads, the calling one among them; each thread takes, of those that can run, the one that
// most cost hangs on, its own and that of what needs it, and the first of equals: so no long one is left for the end.
// What one throws is thrown on, where several do that of the first in the list: as if they had run in order.
void run_tasks(const std::vector<Task>& tasks, unsigned threads);

}  // namespace t3sim
