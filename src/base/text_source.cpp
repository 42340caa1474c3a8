#include "base/text_source.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"

namespace t3sim {
namespace {

constexpr std::size_t kBufferBytes = 64 << 10;  // to begin with: grows for longer lines
constexpr std::size_t kMaxLineBytes = 1 << 20;

}  // namespace

TextSource::TextSource(const std::filesystem::path& path)
    : path_(path), stream_(open_byte_stream(path)), buffer_(kBufferBytes) {
  std::error_code error;
  file_bytes_ = std::filesystem::file_size(path, error);
}

TextSource::TextSource(std::string_view text, std::string name)
    : path_(std::move(name)),
      stream_(byte_stream_of(text)),
      buffer_(kBufferBytes),
      file_bytes_(text.size()) {}

bool TextSource::next_line(std::string_view& line) {
  while (true) {
    const char* begin = buffer_.data() + at_;
    if (const void* newline = std::memchr(begin, '\n', end_ - at_)) {
      const auto length = static_cast<std::size_t>(static_cast<const char*>(newline) - begin);
      line = {begin, length};
      at_ += length + 1;
      break;
    }
    if (refill()) continue;
    if (at_ == end_) return false;
    line = {buffer_.data() + at_, end_ - at_};  // the last line has no end
    at_ = end_;
    break;
  }
  ++line_number_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

// Moves the unfinished line to the front and reads on behind it; false at the end of the file.
bool TextSource::refill() {
  std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
  end_ -= at_;
  at_ = 0;
  if (end_ == kMaxLineBytes) {
    ++line_number_;
    fail("a line of more than 1 MiB");
  }
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const std::size_t got = stream_->read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  text_bytes_ += got;
  return got > 0;
}

void TextSource::fail(std::string_view what) const {
  throw InputError(fmt::format("{}:{}: {}", path_.string(), line_number_, what));
}

}  // namespace t3sim
