// Lines of a text file of any size: plain, gzip or xz (told apart by their first bytes), in bounded memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace t3sim {

// Decompressed bytes, in order.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Fills at most `bytes` of `to`; 0 at the end. Throws InputError for damaged or truncated compression.
  virtual std::size_t read(char* to, std::size_t bytes) = 0;
  // Bytes of the file itself that have been read.
  virtual std::uint64_t consumed() const = 0;
};

std::unique_ptr<ByteStream> open_byte_stream(const std::filesystem::path& path);

class TextSource {
 public:
  explicit TextSource(const std::filesystem::path& path);

  // The next line, without its end; valid until the next call. False at the end of the file.
  bool next_line(std::string_view& line);

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t line_number() const { return line_number_; }  // of the last line, from 1
  std::uint64_t text_bytes() const { return text_bytes_; }    // decompressed, so far
  std::uint64_t consumed() const { return stream_->consumed(); }
  std::uint64_t file_bytes() const { return file_bytes_; }
  // Throws InputError with file and line.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  bool refill();

  std::filesystem::path path_;
  std::unique_ptr<ByteStream> stream_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, end_ = 0;
  std::uint64_t line_number_ = 0;
  std::uint64_t text_bytes_ = 0;
  std::uint64_t file_bytes_ = 0;
};

}  // namespace t3sim
