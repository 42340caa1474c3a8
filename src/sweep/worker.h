// The worker of a sweep: runs points of a planned directory one after the other, beside any number of others.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sweep/store.h"

namespace t3sim::sweep {

// What a worker tells whoever started it, as lines of text: "start 3", "done 3 1.25 7000000" (host seconds,
// events), "failed 3 why". Points that others did meanwhile are not mentioned.
struct WorkerEvent {
  enum class Kind { start, done, failed };
  Kind kind = Kind::start;
  std::size_t point = 0;
  double host_seconds = 0;
  std::uint64_t events = 0;
  std::string why;
};
std::string to_line(const WorkerEvent& event);
// False if the line is none.
bool parse_line(const std::string& line, WorkerEvent& event);

// Runs those of the points that are not done, and waits for those that others run; takes over what others
// give up. A point that fails is noted and not tried again. Throws StorageError, and InputError if the plan
// was made by another program.
void work(const Store& store, const Plan& plan, const std::vector<std::size_t>& points,
          const std::function<void(const WorkerEvent&)>& tell);

}  // namespace t3sim::sweep
