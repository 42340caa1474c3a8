// The files of a run's directory, as its manifest vouches for them.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace t3sim::report {

struct ResultFiles {
  std::string directory;  // as the user named it
  nlohmann::ordered_json manifest;
  std::map<std::string, std::string> contents;  // of every file in the manifest, by name

  bool has(const std::string& name) const { return contents.contains(name); }
  const std::string& at(const std::string& name) const { return contents.at(name); }
  std::string path(const std::string& name) const { return directory + "/" + name; }
};

enum class ResultKind { schemes, program };

// Throws InputError that says why, if the directory is not a complete result of `t3sim run`, of this version and of this
// kind, in which every file is as it was written.
ResultFiles read_result(const std::string& directory, ResultKind kind = ResultKind::schemes);

// True if a program's run was written there.
bool is_program_run(const std::string& directory);

}  // namespace t3sim::report
