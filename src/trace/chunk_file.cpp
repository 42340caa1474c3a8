#include "trace/chunk_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <string_view>

#include "base/error.h"
#include "base/number.h"

namespace t3sim {
namespace {

constexpr std::size_t kHeadBytes = 9;  // kind, bytes, packed bytes

void put_u32(std::uint8_t* at, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) at[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

std::uint32_t get_u32(const std::uint8_t* at) {
  return at[0] | at[1] << 8 | at[2] << 16 | narrow<std::uint32_t>(at[3]) << 24;
}

}  // namespace

void ChunkWriter::drain() {
  std::size_t from = 0;
  for (; buffer_.size() - from >= kChunkBytes; from += kChunkBytes) write_chunk(from, kChunkBytes);
  buffer_.erase(buffer_.begin(), buffer_.begin() + narrow<std::ptrdiff_t>(from));
}

void ChunkWriter::finish() {
  drain();
  if (!buffer_.empty()) write_chunk(0, buffer_.size());
  buffer_.clear();
}

void ChunkWriter::write_chunk(std::size_t from, std::size_t bytes) {
  uLongf packed_bytes = compressBound(static_cast<uLong>(bytes));
  packed_.resize(packed_bytes);
  if (compress2(packed_.data(), &packed_bytes, buffer_.data() + from, static_cast<uLong>(bytes), 9) != Z_OK)
    throw CheckError("zlib cannot compress a chunk of a trace");
  std::array<std::uint8_t, kHeadBytes> head{static_cast<std::uint8_t>(kind_)};
  put_u32(&head[1], narrow<std::uint32_t>(bytes));
  put_u32(&head[5], narrow<std::uint32_t>(packed_bytes));
  file_.write(head.data(), head.size());
  file_.write(packed_.data(), packed_bytes);
  written_ += bytes;
}

ChunkReader::ChunkReader(const InputFile& file, std::uint64_t offset) : file_(file) {
  while (end_.empty()) offset = scan(offset);
  if (offset != file_.size()) fail(offset, "there is something behind the end of the trace");
}

std::uint64_t ChunkReader::scan(std::uint64_t offset) {
  if (file_.size() - offset < kHeadBytes) fail(file_.size(), "the trace is truncated: its end is missing");
  std::array<std::uint8_t, kHeadBytes> head{};
  file_.read_at(offset, head);
  const Chunk chunk{offset, get_u32(&head[1]), get_u32(&head[5])};
  if (chunk.bytes == 0 || chunk.bytes > kChunkBytes)
    fail(offset, fmt::format("a chunk of {} bytes", chunk.bytes));
  const std::uint64_t next = offset + kHeadBytes + chunk.packed_bytes;
  if (next > file_.size())
    fail(file_.size(), fmt::format("the trace is truncated: a chunk reaches to byte {}", next));
  std::vector<Chunk>* list = head[0] == static_cast<std::uint8_t>(ChunkKind::data) && index_.empty() ? &data_
                             : head[0] == static_cast<std::uint8_t>(ChunkKind::index)                ? &index_
                             : head[0] == static_cast<std::uint8_t>(ChunkKind::end)                  ? &end_
                                                                                    : nullptr;
  if (list == nullptr) fail(offset, fmt::format("no chunk of kind {:#04x} may be here", head[0]));
  if (!list->empty() && list->back().bytes != kChunkBytes)
    fail(list->back().offset, "a chunk that is not full is not the last of its kind");
  list->push_back(chunk);
  return next;
}

std::uint64_t ChunkReader::stream_bytes(ChunkKind kind) const {
  std::uint64_t sum = 0;
  for (const Chunk& chunk : of(kind)) sum += chunk.bytes;
  return sum;
}

Bytes ChunkReader::unpack(ChunkKind kind, std::size_t i) const {
  const Chunk& chunk = of(kind)[i];
  Bytes packed(chunk.packed_bytes);
  file_.read_at(chunk.offset + kHeadBytes, packed);
  Bytes bytes(chunk.bytes);
  uLongf got = static_cast<uLongf>(bytes.size());
  const int status = uncompress(bytes.data(), &got, packed.data(), static_cast<uLong>(packed.size()));
  if (status != Z_OK || got != bytes.size()) fail(chunk.offset, "the chunk that begins here is corrupt");
  return bytes;
}

void ChunkReader::fail(std::uint64_t offset, std::string_view what) const {
  throw InputError(fmt::format("{}: byte {}: {}", file_.path().string(), offset, what));
}

}  // namespace t3sim
