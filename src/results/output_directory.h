// A directory of results that appears whole or not at all.
//
// Files are collected in a hidden directory beside the named one, synced to disk, and put in place by one
// rename. An earlier result of ours is exchanged for the new one in the same step; anything else that is
// there is refused and left alone. Whatever goes wrong before commit(), the named directory is as it was.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace t3sim {

class OutputDirectory {
 public:
  // Throws InputError if the directory cannot be written or holds something that is not ours: construct it
  // before the work starts.
  explicit OutputDirectory(const std::string& path);
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;
  ~OutputDirectory();

  // `name` without folders. Throws std::runtime_error, e.g. when the disk is full.
  void write(const std::string& name, std::string_view content);

  // Writes manifest.json, with the names of all files added (they tell our directories from others) and their
  // hashes, and puts everything in place.
  void commit(nlohmann::ordered_json manifest);

  // Removes what was written, unless it is in place already: for another thread, when the process is about to end. True
  // if the result is in place.
  bool abandon();

  // A result of ours was there when this began, and commit() replaces it.
  bool replaces() const { return replaces_; }
  // As the caller named it.
  const std::string& path() const { return named_; }
  const std::vector<std::string>& files() const { return files_; }

 private:
  void check_target() const;
  void make_staging();
  void remove_abandoned() const;
  void swap_in();
  void discard();

  std::string named_;
  std::filesystem::path target_;
  std::filesystem::path staging_;
  std::filesystem::path first_made_;  // topmost of the parent directories that did not exist
  std::vector<std::string> files_;
  std::map<std::string, std::string> sha256_;  // of files_
  bool replaces_ = false;
  bool in_place_ = false;
  std::mutex mutex_;  // commit() or abandon(), not both
  int lock_ = -1;     // held on staging_: tells a running writer from a killed one
};

}  // namespace t3sim
