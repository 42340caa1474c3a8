// Machines by name: configs/systems, configs/topologies and the paper's.
#pragma once

#include <string>
#include <vector>

namespace t3sim::presets {

struct Machine {
  std::string name;     // "h100"
  std::string path;     // "<t3sim>/configs/systems/h100.yaml"
  std::string summary;  // a line
};

// Complete ones: a file that others include for what they have in common is none.
std::vector<Machine> machines();
std::vector<std::string> machine_names();
// Networks of machines without a GPU of their own, of configs/clusters: gpus.model message runs on them.
std::vector<Machine> clusters();
// The file of a machine or cluster. Throws InputError with the nearest name.
std::string machine_path(const std::string& name);

}  // namespace t3sim::presets
