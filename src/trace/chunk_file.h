// The body of a trace file: zlib-compressed chunks, each readable on its own (traces/FORMAT.md, "Chunks").
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/files.h"

namespace t3sim {

inline constexpr std::size_t kChunkBytes = 64 * 1024;  // of data in a chunk, before compression

enum class ChunkKind : char { data = 'D', index = 'I', end = 'E' };

using Bytes = std::vector<std::uint8_t>;

// Cuts a stream of bytes of one kind into chunks.
class ChunkWriter {
 public:
  ChunkWriter(OutputFile& file, ChunkKind kind) : file_(file), kind_(kind) {}

  // Where callers append. Call drain() now and then.
  Bytes& buffer() { return buffer_; }
  std::uint64_t position() const { return written_ + buffer_.size(); }
  // Writes the whole chunks of the buffer.
  void drain();
  // Writes what is left.
  void finish();

 private:
  void write_chunk(std::size_t from, std::size_t bytes);

  OutputFile& file_;
  ChunkKind kind_;
  Bytes buffer_;
  Bytes packed_;
  std::uint64_t written_ = 0;  // bytes of the stream in chunks already written
};

// The chunks of a file, found without unpacking them. Throws InputError, with file and byte, for anything
// that is not as it should be.
class ChunkReader {
 public:
  // The body begins at `offset`.
  ChunkReader(const InputFile& file, std::uint64_t offset);

  std::size_t count(ChunkKind kind) const { return of(kind).size(); }
  // Bytes of the whole stream of this kind.
  std::uint64_t stream_bytes(ChunkKind kind) const;
  // Byte of the file at which the i-th chunk of this kind begins.
  std::uint64_t offset(ChunkKind kind, std::size_t i) const { return of(kind)[i].offset; }
  Bytes unpack(ChunkKind kind, std::size_t i) const;
  [[noreturn]] void fail(std::uint64_t offset, std::string_view what) const;

 private:
  struct Chunk {
    std::uint64_t offset;  // of its head
    std::uint32_t bytes, packed_bytes;
  };
  const std::vector<Chunk>& of(ChunkKind kind) const {
    return kind == ChunkKind::data ? data_ : kind == ChunkKind::index ? index_ : end_;
  }
  // Adds the chunk at `offset`; returns where the next one begins.
  std::uint64_t scan(std::uint64_t offset);

  const InputFile& file_;
  std::vector<Chunk> data_, index_, end_;
};

}  // namespace t3sim
