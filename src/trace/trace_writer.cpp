#include "trace/trace_writer.h"

#include <fmt/format.h>

#include "base/error.h"

namespace t3sim {

TraceWriter::TraceWriter(const std::filesystem::path& path, const TraceHeader& header)
    : header_(header), path_(path), file_(path), data_(file_, ChunkKind::data) {
  const std::string text = format_trace_header(header);
  std::size_t bytes = 0;
  parse_trace_header(text, bytes);  // what it would not read back is not written
  file_.write(text.data(), text.size());
}

void TraceWriter::begin_workgroup(std::uint32_t tile) {
  if (workgroups_++ > 0) end_workgroup();
  put_varint(index_, zigzag(std::int64_t{tile} - std::int64_t{previous_tile_}));
  previous_tile_ = tile;
  workgroup_begin_ = data_.position();
  encoder_.begin_workgroup();
}

void TraceWriter::end_workgroup() { put_varint(index_, data_.position() - workgroup_begin_); }

void TraceWriter::add(const Group& group) {
  encoder_.encode(group, data_.buffer());
  if (data_.buffer().size() >= kChunkBytes) data_.drain();
}

void TraceWriter::finish() {
  if (workgroups_ != header_.workgroups)
    throw InputError(fmt::format("{}: the kernel has {} workgroups, but its head says {}", path_.string(),
                                 workgroups_, header_.workgroups));
  end_workgroup();
  data_.finish();
  ChunkWriter index(file_, ChunkKind::index);
  index.buffer() = std::move(index_);
  index.finish();
  ChunkWriter end(file_, ChunkKind::end);
  put_varint(end.buffer(), data_.position());
  put_varint(end.buffer(), workgroups_);
  end.finish();
  file_.commit();
}

void write_trace(const std::filesystem::path& path, TraceHeader header, KernelSource& kernel) {
  header.workgroups = kernel.workgroups();
  header.traits = kernel.traits();
  TraceWriter writer(path, header);
  Group group;
  std::unique_ptr<WorkgroupProgram> program;
  for (std::uint32_t i = 0; i < header.workgroups; ++i) {
    writer.begin_workgroup(kernel.tile(i));
    program = kernel.program(i, std::move(program));
    while (program->next(group)) writer.add(group);
  }
  writer.finish();
}

}  // namespace t3sim
