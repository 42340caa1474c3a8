// Files that appear whole or not at all, and locks that end with their holder: what several processes, on
// several machines, need to work in one directory.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace t3sim::sweep {

// The directory cannot be worked in (full disk, no permission): not the fault of any point.
struct StorageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Writes beside `path`, syncs, renames. Throws StorageError; then `path` is as it was.
void write_whole(const std::string& path, std::string_view content);
// Puts `partial`, a file written by other means and beside `path`, in place of `path`.
void put_in_place(const std::string& partial, const std::string& path);
// A name beside `path` that no other process uses.
std::string partial_name(const std::string& path);

std::optional<std::string> read_file(const std::string& path);
void make_directories(const std::string& path);  // throws StorageError

// "host 4711": who this process is, across machines.
std::string process_name();

// A lock on a file (made if missing), released by the destructor or the end of the process, on whichever
// machine it runs. Where a file system knows no locks, everyone gets them: work may then be done twice, which
// only costs time.
class FileLock {
 public:
  // Waits for the lock if `wait`. The file then holds `note`.
  static std::optional<FileLock> take(const std::string& path, bool wait, const std::string& note);
  // The note of the process that holds the lock; nothing if none does.
  static std::optional<std::string> holder(const std::string& path);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();
  // Releases, and removes the file.
  void remove();

 private:
  FileLock(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  int fd_;
  std::string path_;
};

}  // namespace t3sim::sweep
