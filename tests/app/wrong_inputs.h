// What people get wrong, in tables: wrong_inputs_test.cpp tries each. No two are wrong in the same way.
#pragma once

#include <span>
#include <vector>

namespace t3sim {

struct WrongInput {
  const char* input;  // the end of the file "in.yaml", or a whole command line
  const char* says;   // what the message must hold: where it is wrong, what to do
};

struct WrongGroup {
  const char* arguments;  // of the command that reads in.yaml; nullptr: the inputs are command lines
  const char* before;     // what the file begins with, and is right
  std::span<const WrongInput> inputs;
};

// Each in a file of its own.
std::vector<WrongGroup> wrong_command_lines();
std::vector<WrongGroup> wrong_configurations();
std::vector<WrongGroup> wrong_programs();
std::vector<WrongGroup> wrong_sweeps_and_traces();

}  // namespace t3sim
