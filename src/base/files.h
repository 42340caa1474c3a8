// Files as traces need them: read at a place, written whole or not at all.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>

namespace t3sim {

// A file open for reading at any place.
class InputFile {
 public:
  // Throws InputError when it cannot be opened or is no regular file.
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  // Fills `bytes` from `offset` on. Throws InputError when the file has fewer.
  void read_at(std::uint64_t offset, std::span<std::uint8_t> bytes) const;

 private:
  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

// A file that appears under its name when commit() is called, and leaves no trace otherwise.
class OutputFile {
 public:
  // Throws InputError when the place cannot be written.
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_, temporary_;
  std::FILE* file_;
};

}  // namespace t3sim
