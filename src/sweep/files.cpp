#include "sweep/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/descriptor.h"

namespace t3sim::sweep {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw StorageError(fmt::format("{}: cannot be written: {}", path, std::strerror(error)));
}

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

bool locks_unknown(int error) { return error == ENOLCK || error == ENOSYS || error == EOPNOTSUPP; }

}  // namespace

std::string process_name() {
  char host[256] = "host";
  ::gethostname(host, sizeof host - 1);
  return fmt::format("{} {}", host, ::getpid());
}

std::string partial_name(const std::string& path) {
  static std::atomic<unsigned> number{0};
  std::string who = process_name();
  who[who.find(' ')] = '-';
  return fmt::format("{}.partial-{}-{}", path, who, ++number);
}

void write_whole(const std::string& path, std::string_view content) {
  const std::string partial = partial_name(path);
  {
    const Descriptor file(partial, O_WRONLY | O_CREAT | O_TRUNC);
    if (file.get() < 0) fail(path, errno);
    if (!file.write_all(content)) {
      const int error = errno;
      ::unlink(partial.c_str());
      fail(path, error);
    }
  }
  put_in_place(partial, path);
}

void put_in_place(const std::string& partial, const std::string& path) {
  const Descriptor file(partial, O_RDONLY);
  if (file.get() < 0 || ::fsync(file.get()) != 0 || ::rename(partial.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(partial.c_str());
    fail(path, error);
  }
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void make_directories(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail(path, error.value());
}

// Open file description locks: they belong to this open file, work over NFS, and end with the process.
std::optional<FileLock> FileLock::take(const std::string& path, bool wait, const std::string& note) {
  Descriptor file(path, O_RDWR | O_CREAT);
  if (file.get() < 0) fail(path, errno);
  struct flock lock = whole_file(F_WRLCK);
  int result = 0;
  do result = ::fcntl(file.get(), wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock);
  while (result != 0 && errno == EINTR);
  if (result != 0 && !locks_unknown(errno)) {
    if (errno == EAGAIN || errno == EACCES) return std::nullopt;
    fail(path, errno);
  }
  // Only for people to read: a full disk must not matter here.
  if (::ftruncate(file.get(), 0) == 0) static_cast<void>(file.write_all(note));
  return FileLock(file.release(), path);
}

std::optional<std::string> FileLock::holder(const std::string& path) {
  const Descriptor file(path, O_RDWR);
  if (file.get() < 0) return std::nullopt;
  struct flock lock = whole_file(F_WRLCK);
  if (::fcntl(file.get(), F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return std::nullopt;
  return read_file(path).value_or("");
}

FileLock::FileLock(FileLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

void FileLock::remove() {
  ::unlink(path_.c_str());
  ::close(std::exchange(fd_, -1));
}

}  // namespace t3sim::sweep
