// What a computation costs on this host.
#pragma once

#include <ctime>

namespace t3sim {

// CPU time of this process so far, all its threads together.
inline double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

}  // namespace t3sim
