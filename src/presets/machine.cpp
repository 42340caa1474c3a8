#include "presets/machine.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "config/library.h"
#include "config/load.h"
#include "presets/model.h"

namespace t3sim::presets {
namespace library = config::library;
namespace {

// A machine says what its GPU is called.
bool is_complete(const std::string& path) {
  return config::find_value(config::load_file(path).root, "gpu.name") != nullptr;
}

void add(std::string_view folder, const std::string& file, std::string name, std::vector<Machine>& to) {
  const std::string path = library::path_of(folder, file);
  if (is_complete(path)) to.push_back({std::move(name), path, library::summary(*library::find(path))});
}

}  // namespace

std::vector<Machine> machines() {
  std::vector<Machine> all;
  add("configs/paper", "machine", "paper", all);
  for (const std::string_view folder : {"configs/systems", "configs/topologies"})
    for (const std::string& name : library::names(folder)) add(folder, name, name, all);
  return all;
}

std::vector<Machine> clusters() {
  std::vector<Machine> all;
  for (const std::string& name : library::names("configs/clusters")) {
    const std::string path = library::path_of("configs/clusters", name);
    all.push_back({name, path, library::summary(*library::find(path))});
  }
  return all;
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const Machine& machine : machines()) names.push_back(machine.name);
  return names;
}

std::string machine_path(const std::string& name) {
  std::vector<Machine> all = machines();
  std::ranges::copy(clusters(), std::back_inserter(all));
  const auto it = std::ranges::find(all, name, &Machine::name);
  if (it == all.end()) throw InputError("--machine: " + unknown_name("machine", name, machine_names()));
  return it->path;
}

}  // namespace t3sim::presets
