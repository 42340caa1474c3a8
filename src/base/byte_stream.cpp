// Plain, gzip and xz files as streams of bytes.
#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>

#include <array>
#include <cstring>

#include "base/error.h"
#include "base/files.h"
#include "base/text_source.h"

namespace t3sim {
namespace {

constexpr std::size_t kInputBytes = 64 * 1024;
constexpr std::uint64_t kXzMemoryBytes = 128 << 20;  // the decoder's dictionary; `xz -9` needs 65 MiB

class PlainStream : public ByteStream {
 public:
  explicit PlainStream(const std::filesystem::path& path) : file_(path) {}

  std::size_t read(char* to, std::size_t bytes) override {
    const std::size_t count = std::min<std::uint64_t>(bytes, file_.size() - consumed_);
    file_.read_at(consumed_, {reinterpret_cast<std::uint8_t*>(to), count});
    consumed_ += count;
    return count;
  }
  std::uint64_t consumed() const override { return consumed_; }
  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(fmt::format("{}: byte {}: {}", file_.path().string(), consumed_, what));
  }

 private:
  InputFile file_;
  std::uint64_t consumed_ = 0;
};

// What gzip and xz have in common: compressed input, taken from the file piece by piece.
class PackedStream : public ByteStream {
 public:
  explicit PackedStream(const std::filesystem::path& path) : file_(path), input_(kInputBytes) {}
  std::uint64_t consumed() const override { return file_.consumed(); }

 protected:
  // More compressed bytes in `input_`; 0 at the end of the file.
  std::size_t refill() { return file_.read(reinterpret_cast<char*>(input_.data()), input_.size()); }
  std::uint8_t* input() { return input_.data(); }
  [[noreturn]] void fail(std::string_view what) const { file_.fail(what); }

 private:
  PlainStream file_;
  std::vector<std::uint8_t> input_;
};

class GzipStream final : public PackedStream {
 public:
  explicit GzipStream(const std::filesystem::path& path) : PackedStream(path) {
    if (inflateInit2(&zlib_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzipStream() override { inflateEnd(&zlib_); }

  std::size_t read(char* to, std::size_t bytes) override {
    zlib_.next_out = reinterpret_cast<Bytef*>(to);
    zlib_.avail_out = static_cast<uInt>(bytes);
    while (zlib_.avail_out > 0) {
      if (zlib_.avail_in == 0 && !more_input()) break;
      if (between_members_) start_member();
      const int status = inflate(&zlib_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        between_members_ = true;
      } else if (status != Z_OK) {
        fail("the gzip data is corrupt");
      }
    }
    return bytes - zlib_.avail_out;
  }

 private:
  bool more_input() {
    zlib_.next_in = input();
    zlib_.avail_in = static_cast<uInt>(refill());
    if (zlib_.avail_in == 0 && !between_members_) fail("the gzip data is truncated");
    return zlib_.avail_in > 0;
  }
  // A gzip file may be several, one after the other.
  void start_member() {
    inflateReset(&zlib_);
    between_members_ = false;
  }

  z_stream zlib_{};
  bool between_members_ = false;
};

class XzStream final : public PackedStream {
 public:
  explicit XzStream(const std::filesystem::path& path) : PackedStream(path) {
    if (lzma_stream_decoder(&lzma_, kXzMemoryBytes, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  }
  ~XzStream() override { lzma_end(&lzma_); }

  std::size_t read(char* to, std::size_t bytes) override {
    lzma_.next_out = reinterpret_cast<std::uint8_t*>(to);
    lzma_.avail_out = bytes;
    while (lzma_.avail_out > 0 && !ended_) {
      if (lzma_.avail_in == 0) {
        lzma_.next_in = input();
        lzma_.avail_in = refill();
      }
      check(lzma_code(&lzma_, lzma_.avail_in == 0 ? LZMA_FINISH : LZMA_RUN));
    }
    return bytes - lzma_.avail_out;
  }

 private:
  void check(lzma_ret status) {
    switch (status) {
      case LZMA_OK:
        return;
      case LZMA_STREAM_END:
        ended_ = true;
        return;
      case LZMA_MEM_ERROR:
        throw std::bad_alloc();
      case LZMA_MEMLIMIT_ERROR:
        fail("the xz data needs more than 128 MiB to decompress");
      case LZMA_BUF_ERROR:
        fail("the xz data is truncated");
      default:
        fail("the xz data is corrupt");
    }
  }

  lzma_stream lzma_ = LZMA_STREAM_INIT;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> open_byte_stream(const std::filesystem::path& path) {
  constexpr std::string_view kGzip = "\x1f\x8b";
  constexpr std::string_view kXz(
      "\xFD"
      "7zXZ\0",
      6);
  std::array<char, 6> first{};
  const std::string_view magic(first.data(), PlainStream(path).read(first.data(), first.size()));
  if (magic.starts_with(kGzip)) return std::make_unique<GzipStream>(path);
  if (magic.starts_with(kXz)) return std::make_unique<XzStream>(path);
  return std::make_unique<PlainStream>(path);
}

}  // namespace t3sim
