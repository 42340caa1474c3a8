// Finished runs that are committed with the project, so that a clone does not repeat them. A run is known by a hash of the sources
// that decide its result and of its configuration: once one of these has changed, its line is not found any more. After a change that
// should move no result, a sample of the lines shows whether they may be taken over (Points, PointOptions::adopt).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

namespace t3sim::model {

class KeptRuns {
 public:
  KeptRuns() = default;
  // Lines {"run": hash, "sources": hash, "ran_with": hash, "of": name, "result": {...}}; "ran_with": of what is taken over. None where there is no such file. Throws InputError, with the line.
  explicit KeptRuns(const std::string& path);

  // The result as parse_point() reads it; null if there is none.
  const std::string* find(const std::string& run) const;
  std::size_t size() const { return results_.size(); }
  std::size_t of_these_sources() const { return lines_.size(); }
  std::size_t taken_over() const { return taken_over_; }  // of these sources: run with others

  // Of other sources.
  struct Other {
    const std::string* result;
    std::string sources;
    std::string ran_with;  // the sources, or those that they took it over from
  };
  std::optional<Other> find_other(const std::string& resolved) const;

  // Those of these sources and `lines`, in the order of their names.
  std::string with(const std::string& lines) const;

  // `ran_with`: other sources, that the result is taken over from; empty: of these.
  static std::string line(const std::string& run, const std::string& name, const std::string& result,
                          const std::string& ran_with = {});
  // Of a configuration as it decides the result.
  static std::string hash(const std::string& resolved);

 private:
  std::map<std::string, std::string> results_;
  std::map<std::string, std::string> lines_;     // of these sources, by name and hash
  std::set<std::string> others_;                 // sources
  std::map<std::string, std::string> ran_with_;  // by run, of those that are taken over
  std::size_t taken_over_ = 0;
};

}  // namespace t3sim::model
