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
};

// Runs all tasks on `threads` threads, the calling one among them; each thread takes the first that can run.
// What one throws is thrown on, where several do that of the first in the list: as if they had run in order.
void run_tasks(const std::vector<Task>& tasks, unsigned threads);

}  // namespace t3sim
