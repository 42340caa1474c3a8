#include "results/output_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/sha256.h"
#include "results/manifest.h"
#include "results/report_file.h"

namespace t3sim {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(const std::string& directory, std::string_view why) {
  throw InputError(fmt::format("-o {}: {}", directory, why));
}
[[noreturn]] void fail(const std::string& path, int error) {
  throw std::runtime_error(fmt::format("{}: cannot be written: {}", path, std::strerror(error)));
}

// The names that a manifest of ours lists; empty if there is no such manifest.
std::vector<std::string> our_files(const fs::path& directory) {
  std::ifstream file(directory / kManifest);
  const auto manifest = nlohmann::json::parse(file, nullptr, false);
  if (!manifest.is_object() || manifest.value("program", nlohmann::json()) != kManifestProgram) return {};
  const auto files = manifest.value("files", nlohmann::json::array());
  std::vector<std::string> names{kManifest};
  for (const auto& name : files)
    if (name.is_string()) names.push_back(name.get<std::string>());
  return names;
}

// Name of something in the directory that no manifest of ours lists and that is no report of ours either;
// empty if there is nothing such.
std::string foreign_file(const fs::path& directory) {
  const std::vector<std::string> ours = our_files(directory);
  std::vector<std::string> foreign;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::find(ours, name) == ours.end() && !is_report(entry.path())) foreign.push_back(name);
  }
  return foreign.empty() ? std::string() : *std::ranges::min_element(foreign);
}

void sync_directory(const fs::path& directory) {
  const Descriptor d(directory, O_RDONLY | O_DIRECTORY);
  if (d.get() < 0 || ::fsync(d.get()) != 0) fail(directory.string(), errno);
}

bool same_device(const fs::path& a, const fs::path& b) {
  struct stat sa {
  }, sb{};
  return ::stat(a.c_str(), &sa) != 0 || ::stat(b.c_str(), &sb) != 0 || sa.st_dev == sb.st_dev;
}

// Topmost part of `path` that does not exist yet; empty if all of it does.
fs::path first_missing(const fs::path& path) {
  fs::path missing;
  for (fs::path p = path; !fs::exists(p) && p.has_relative_path(); p = p.parent_path()) missing = p;
  return missing;
}

}  // namespace

OutputDirectory::OutputDirectory(const std::string& path) : named_(path) {
  if (path.empty()) throw InputError("-o: the name of the directory is empty");
  try {
    target_ = fs::weakly_canonical(fs::absolute(path));
    if (!target_.has_filename()) target_ = target_.parent_path();
    check_target();
    replaces_ = fs::exists(target_) && !fs::is_empty(target_);
    make_staging();
  } catch (const fs::filesystem_error& e) {
    refuse(named_, fmt::format("cannot be written: {}", e.code().message()));
  }
  remove_abandoned();
}

OutputDirectory::~OutputDirectory() {
  discard();
  if (lock_ >= 0) ::close(lock_);
}

bool OutputDirectory::abandon() {
  const std::lock_guard lock(mutex_);
  discard();
  return in_place_;
}

void OutputDirectory::discard() {
  std::error_code ignored;
  if (!staging_.empty()) fs::remove_all(staging_, ignored);
  // Parents made for nothing go too; fs::remove spares those in which something else appeared meanwhile.
  if (!first_made_.empty())
    for (fs::path p = target_.parent_path(); p != first_made_.parent_path(); p = p.parent_path())
      fs::remove(p, ignored);
}

void OutputDirectory::check_target() const {
  if (!fs::exists(target_)) return;
  if (!fs::is_directory(target_)) refuse(named_, "is a file, not a directory");
  if (target_ == target_.root_path() || !same_device(target_, target_.parent_path()))
    refuse(named_, "cannot be replaced as a whole (a root or a mount point): name a directory below it");
  const std::string foreign = foreign_file(target_);
  if (!foreign.empty())
    refuse(named_,
           fmt::format("holds \"{}\", which t3sim did not write: name a new or empty directory", foreign));
  if (::access(target_.c_str(), R_OK | W_OK | X_OK) != 0)
    refuse(named_, fmt::format("cannot be written: {}", std::strerror(errno)));
}

void OutputDirectory::make_staging() {
  const fs::path parent = target_.parent_path();
  const fs::path missing = first_missing(parent);
  fs::create_directories(parent);
  first_made_ = missing;
  std::string name = (parent / fmt::format(".{}.partial-XXXXXX", target_.filename().string())).string();
  if (!::mkdtemp(name.data())) refuse(named_, fmt::format("cannot be written: {}", std::strerror(errno)));
  staging_ = name;
  Descriptor lock(staging_, O_RDONLY | O_DIRECTORY);
  if (lock.get() >= 0) ::flock(lock.get(), LOCK_EX | LOCK_NB);
  lock_ = lock.release();
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::chmod(staging_.c_str(), 0777 & ~mask);  // mkdtemp makes it private
}

// Staging directories whose writer was killed: no one holds their lock. A young one may not have its lock
// yet.
void OutputDirectory::remove_abandoned() const {
  const std::string prefix = fmt::format(".{}.partial-", target_.filename().string());
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(target_.parent_path(), ignored)) {
    if (!entry.path().filename().string().starts_with(prefix) || entry.path() == staging_) continue;
    const auto age = fs::file_time_type::clock::now() - entry.last_write_time(ignored);
    if (ignored || age < std::chrono::minutes(1)) continue;
    const Descriptor other(entry.path(), O_RDONLY | O_DIRECTORY);
    if (other.get() >= 0 && ::flock(other.get(), LOCK_EX | LOCK_NB) == 0)
      fs::remove_all(entry.path(), ignored);
  }
}

void OutputDirectory::write(const std::string& name, std::string_view content) {
  const std::string path = (fs::path(named_) / name).string();  // as the user will know it
  const Descriptor file(staging_ / name, O_WRONLY | O_CREAT | O_TRUNC);
  if (file.get() < 0) fail(path, errno);
  if (!file.write_all(content) || ::fsync(file.get()) != 0) fail(path, errno);
  if (std::ranges::find(files_, name) == files_.end()) files_.push_back(name);
  sha256_[name] = sha256_hex(content);
}

void OutputDirectory::commit(nlohmann::ordered_json manifest) {
  const std::lock_guard lock(mutex_);
  manifest["program"] = kManifestProgram;
  manifest["schema"] = kManifestSchema;
  manifest["files"] = files_;
  manifest["sha256"] = sha256_;
  write(kManifest, manifest.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  sync_directory(staging_);
  check_target();  // something may have appeared there since the start
  swap_in();
  in_place_ = true;
  first_made_.clear();
  sync_directory(target_.parent_path());
}

// Afterwards staging_ is what was at target_, for the destructor to remove.
void OutputDirectory::swap_in() {
  if (!fs::exists(target_)) {
    if (::rename(staging_.c_str(), target_.c_str()) != 0) fail(named_, errno);
    staging_.clear();
    return;
  }
  if (::renameat2(AT_FDCWD, staging_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno != EINVAL && errno != ENOSYS) fail(named_, errno);
  // A file system that cannot exchange: move the old one aside first. Killed in between, both lie side by
  // side.
  const std::string unique = staging_.extension().string().substr(std::string(".partial-").size());
  const fs::path aside =
      target_.parent_path() / fmt::format(".{}.previous-{}", target_.filename().string(), unique);
  if (::rename(target_.c_str(), aside.c_str()) != 0) fail(named_, errno);
  if (::rename(staging_.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    ::rename(aside.c_str(), target_.c_str());
    fail(named_, error);
  }
  staging_ = aside;
}

}  // namespace t3sim
