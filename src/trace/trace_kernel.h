// A trace file as a kernel: workgroup programs are unpacked chunk by chunk as they are asked for.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <vector>

#include "trace/chunk_file.h"
#include "trace/trace_header.h"

namespace t3sim {

// Not thread-safe: open the file once for each GPU that runs on a thread of its own. Memory is bounded by the
// programs alive: one chunk each at most, and workgroups that are near one another share them.
class TraceKernel final : public KernelSource {
 public:
  // Throws InputError, here and while programs are read, that says where the file is truncated, corrupt or
  // newer.
  // Addresses are taken modulo `address_space` bytes, a power of two: recorded ones are virtual and may lie beyond a
  // machine's memory. 0: as they are in the file.
  explicit TraceKernel(const std::filesystem::path& path, std::uint64_t address_space = 0);

  const TraceHeader& header() const { return header_; }
  std::uint64_t file_bytes() const { return file_.size(); }

  std::uint32_t workgroups() const override { return header_.workgroups; }
  std::uint32_t tile(std::uint32_t i) const override { return workgroups_[i].tile; }
  std::unique_ptr<WorkgroupProgram> program(std::uint32_t i,
                                            std::unique_ptr<WorkgroupProgram> reuse) override;
  // Workgroups that share a tile are taken to follow one another.
  std::uint32_t part(std::uint32_t i) const override {
    std::uint32_t part = 0;
    while (part < i && tile(i - part - 1) == tile(i)) ++part;
    return part;
  }
  unsigned buffers() const override { return header_.traits.buffers; }
  KernelTraits traits() const override { return header_.traits; }

 private:
  class Program;
  using SharedBytes = std::shared_ptr<const Bytes>;
  struct Workgroup {
    std::uint64_t begin;  // in the stream of data
    std::uint32_t tile;
  };

  void read_head();
  void read_index();
  void check_end() const;
  std::uint64_t end_of(std::uint32_t i) const {
    return i + 1 < workgroups_.size() ? workgroups_[i + 1].begin : chunks_->stream_bytes(ChunkKind::data);
  }
  SharedBytes chunk(std::size_t i);

  InputFile file_;
  std::uint64_t address_mask_;
  TraceHeader header_;
  std::uint64_t body_ = 0;
  std::unique_ptr<ChunkReader> chunks_;
  std::vector<Workgroup> workgroups_;
  std::vector<std::weak_ptr<const Bytes>> unpacked_;  // by chunk
  std::array<SharedBytes, 4> recent_;                 // kept although no program reads them
  std::size_t next_recent_ = 0;
};

}  // namespace t3sim
