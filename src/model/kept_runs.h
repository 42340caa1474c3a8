// Finished runs that are committed with the project, so that a clone does not repeat them. A run is known by a hash of the sources
// that decide its result and of its configuration: once one of these has changed, its line is not found any more.
#pragma once

#include <map>
#include <string>

namespace t3sim::model {

class KeptRuns {
 public:
  KeptRuns() = default;
  // Lines {"run": hash, "sources": hash, "of": name, "result": {...}}. None where there is no such file. Throws InputError, with the line.
  explicit KeptRuns(const std::string& path);

  // The result as parse_point() reads it; null if there is none.
  const std::string* find(const std::string& run) const;
  std::size_t size() const { return results_.size(); }
  std::size_t of_these_sources() const { return lines_.size(); }

  // Those of these sources and `lines`, in the order of their names.
  std::string with(const std::string& lines) const;

  static std::string line(const std::string& run, const std::string& name, const std::string& result);
  // Of a configuration as it decides the result.
  static std::string hash(const std::string& resolved);

 private:
  std::map<std::string, std::string> results_;
  std::map<std::string, std::string> lines_;  // of these sources, by name and hash
};

}  // namespace t3sim::model
