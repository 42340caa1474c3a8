#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.h"

namespace t3sim {

InputFile::InputFile(const std::filesystem::path& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0)
    throw InputError(fmt::format("{}: cannot open: {}", path.string(), std::strerror(errno)));
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    throw InputError(fmt::format("{}: is not a regular file", path.string()));
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::read_at(std::uint64_t offset, std::span<std::uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw InputError(
          fmt::format("{}: byte {}: cannot read: {}", path_.string(), offset, std::strerror(errno)));
    if (got == 0) throw InputError(fmt::format("{}: byte {}: the file ends here", path_.string(), offset));
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

OutputFile::OutputFile(const std::filesystem::path& path)
    : path_(path),
      temporary_(path.string() + fmt::format(".{}.part", ::getpid())),
      file_(std::fopen(temporary_.c_str(), "wb")) {
  if (file_ == nullptr) fail("cannot be written");
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void OutputFile::write(const void* data, std::size_t bytes) {
  if (std::fwrite(data, 1, bytes, file_) != bytes) fail("cannot be written");
}

void OutputFile::commit() {
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail("cannot be written");
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) {
    std::filesystem::remove(temporary_, error);
    fail("cannot be written");
  }
}

void OutputFile::fail(const char* what) const {
  throw InputError(fmt::format("{}: {}: {}", path_.string(), what, std::strerror(errno)));
}

}  // namespace t3sim
