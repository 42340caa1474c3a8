// Writes a kernel as a trace file, workgroup by workgroup, in bounded memory.
#pragma once

#include <filesystem>

#include "trace/chunk_file.h"
#include "trace/group_codec.h"
#include "trace/trace_header.h"

namespace t3sim {

class TraceWriter {
 public:
  // Throws InputError when the file cannot be written or the header is not valid.
  TraceWriter(const std::filesystem::path& path, const TraceHeader& header);

  void begin_workgroup(std::uint32_t tile);
  void add(const Group& group);
  // Makes the file appear. Throws InputError when the number of workgroups is not the header's.
  void finish();

 private:
  void end_workgroup();

  TraceHeader header_;
  std::filesystem::path path_;
  OutputFile file_;
  ChunkWriter data_;
  Bytes index_;
  GroupEncoder encoder_;
  std::uint64_t workgroup_begin_ = 0;
  std::uint32_t workgroups_ = 0;
  std::uint32_t previous_tile_ = 0;
};

// The whole kernel. `header.workgroups` and `header.traits` are taken from it.
void write_trace(const std::filesystem::path& path, TraceHeader header, KernelSource& kernel);

}  // namespace t3sim
