#include "trace/trace_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/number.h"
#include "trace/group_codec.h"

namespace t3sim {
namespace {

constexpr std::size_t kMaxHeadBytes = 16 * 1024;

// All chunks of one kind as a stream of bytes; for the short streams.
class WholeStream {
 public:
  WholeStream(const ChunkReader& chunks, ChunkKind kind) : chunks_(chunks), kind_(kind) {}

  bool at_end() { return at_ == bytes_.size() && next_ == chunks_.count(kind_); }
  std::uint8_t byte() {
    if (at_ == bytes_.size()) refill();
    return bytes_[at_++];
  }
  [[noreturn]] void fail(std::string_view what) const {
    chunks_.fail(next_ > 0 ? chunks_.offset(kind_, next_ - 1) : 0, what);
  }

 private:
  void refill() {
    if (next_ == chunks_.count(kind_)) fail("the chunk that begins here ends too early");
    bytes_ = chunks_.unpack(kind_, next_++);
    at_ = 0;
  }

  const ChunkReader& chunks_;
  ChunkKind kind_;
  Bytes bytes_;
  std::size_t at_ = 0, next_ = 0;
};

}  // namespace

// Reads the bytes [begin, end) of the stream of data as groups.
class TraceKernel::Program final : public WorkgroupProgram {
 public:
  void restart(TraceKernel& kernel, std::uint32_t workgroup) {
    kernel_ = &kernel;
    workgroup_ = workgroup;
    end_ = kernel.end_of(workgroup);
    seek(kernel.workgroups_[workgroup].begin);
    decoder_.begin_workgroup();
  }

  bool next(Group& group) override {
    if (position() == end_) return false;
    decoder_.decode(*this, group);
    if (position() > end_) fail("its last group is longer than the index says");
    for (std::vector<Run>* runs : {&group.loads, &group.stores})
      for (Run& run : *runs) run.address &= kernel_->address_mask_;
    return true;
  }

  // The source of bytes of GroupDecoder.
  std::uint8_t byte() {
    if (at_ == limit_) refill();
    return *at_++;
  }
  [[noreturn]] void fail(std::string_view what) const {
    const auto chunk = narrow<std::size_t>(std::max<std::uint64_t>(position(), 1) - 1) / kChunkBytes;
    kernel_->chunks_->fail(kernel_->chunks_->offset(ChunkKind::data, chunk),
                           fmt::format("workgroup {}: {}", workgroup_, what));
  }

 private:
  std::uint64_t position() const { return chunk_begin_ + narrow<std::uint64_t>(at_ - first_); }

  void seek(std::uint64_t position) {
    const std::uint64_t chunk = position / kChunkBytes;
    chunk_begin_ = chunk * kChunkBytes;
    bytes_ = chunk < kernel_->chunks_->count(ChunkKind::data) ? kernel_->chunk(chunk) : nullptr;
    first_ = bytes_ ? bytes_->data() : nullptr;
    limit_ = first_ + (bytes_ ? bytes_->size() : 0);
    at_ = first_ + (bytes_ ? position - chunk_begin_ : 0);
  }
  void refill() {
    if (position() >= end_) fail("the data ends inside a group");
    seek(position());
  }

  TraceKernel* kernel_ = nullptr;
  std::uint32_t workgroup_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t chunk_begin_ = 0;
  SharedBytes bytes_;
  const std::uint8_t *first_ = nullptr, *at_ = nullptr, *limit_ = nullptr;
  GroupDecoder<Program> decoder_;
};

TraceKernel::TraceKernel(const std::filesystem::path& path, std::uint64_t address_space)
    : file_(path), address_mask_(address_space - 1) {
  read_head();
  chunks_ = std::make_unique<ChunkReader>(file_, body_);
  check_end();
  read_index();
  unpacked_.resize(chunks_->count(ChunkKind::data));
}

void TraceKernel::read_head() {
  std::string text(std::min<std::uint64_t>(file_.size(), kMaxHeadBytes), '\0');
  file_.read_at(0, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
  try {
    header_ = parse_trace_header(text, body_);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file_.path().string(), error.what()));
  }
}

void TraceKernel::check_end() const {
  WholeStream end(*chunks_, ChunkKind::end);
  if (get_varint(end) != chunks_->stream_bytes(ChunkKind::data)) end.fail("chunks of data are missing");
  if (get_varint(end) != header_.workgroups) end.fail("the number of workgroups is not that of the head");
}

void TraceKernel::read_index() {
  WholeStream index(*chunks_, ChunkKind::index);
  const std::uint64_t bytes = chunks_->stream_bytes(ChunkKind::data);
  std::uint64_t begin = 0;
  std::int64_t tile = 0;
  // No reserve(): the head may claim any number, memory follows what is really there.
  while (!index.at_end() && workgroups_.size() < header_.workgroups) {
    const std::int64_t step = unzigzag(get_varint(index));
    if (step < -tile || step > std::int64_t{kNoTile} - tile) index.fail("a tile out of range");
    tile += step;
    workgroups_.push_back({begin, narrow<std::uint32_t>(tile)});
    const std::uint64_t length = get_varint(index);
    if (length > bytes - begin) index.fail("a workgroup reaches beyond the data");
    begin += length;
  }
  if (workgroups_.size() != header_.workgroups || !index.at_end() || begin != bytes)
    index.fail("the index does not fit the data");
}

TraceKernel::SharedBytes TraceKernel::chunk(std::size_t i) {
  if (SharedBytes bytes = unpacked_[i].lock()) return bytes;
  auto bytes = std::make_shared<const Bytes>(chunks_->unpack(ChunkKind::data, i));
  unpacked_[i] = bytes;
  recent_[next_recent_++ % recent_.size()] = bytes;
  return bytes;
}

std::unique_ptr<WorkgroupProgram> TraceKernel::program(std::uint32_t i,
                                                       std::unique_ptr<WorkgroupProgram> reuse) {
  recycled_as<Program>(reuse).restart(*this, i);
  return reuse;
}

}  // namespace t3sim
