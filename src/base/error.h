// The three ways a run can fail, each with its exit status (README, "Exit status").
#pragma once

#include <stdexcept>
#include <string>

namespace t3sim {

// A wrong argument, configuration, trace or file: exit status 2. The message is one line that says where, what
// is wrong and what is allowed.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A check of the simulator on itself failed (conservation, byte table): exit status 1.
struct CheckError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Nothing moves any more although work is left: exit status 3. The message names who waits for whom.
struct NoProgressError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace t3sim
