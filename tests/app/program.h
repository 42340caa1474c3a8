// Runs the t3sim program as a user would.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace t3sim {

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

// `arguments` as one would type them in a shell; the program runs in the current directory.
inline Outcome t3sim_with(const std::string& arguments) {
  const std::string command = std::string(T3SIM_BINARY) + " " + arguments + " >.stdout 2>.stderr </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(".stdout"), content_of(".stderr")};
}

}  // namespace t3sim
