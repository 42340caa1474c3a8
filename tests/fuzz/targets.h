// What the fuzzers feed: one function a reader. Each takes any bytes and must come back, having read them or
// found an InputError. They are the bodies of the libFuzzer programs (fuzz_*.cpp) and of the test that
// replays the kept corpus.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/error.h"
#include "trace/group_codec.h"
#include "trace/import/accelsim/block_builder.h"
#include "trace/import/accelsim/kernel_reader.h"
#include "trace/import/timeline/timeline_kernel.h"
#include "trace/trace_kernel.h"

namespace t3sim::fuzz {

using Input = std::span<const std::uint8_t>;

// A file in memory that holds the input.
class MemoryFile {
 public:
  explicit MemoryFile(Input input) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    for (std::size_t done = 0; done < input.size();) {
      const ssize_t written = ::write(descriptor_, input.data() + done, input.size() - done);
      if (written <= 0) break;
      done += static_cast<std::size_t>(written);
    }
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// A few bytes may say "a million runs", again and again: enough of a kernel is enough.
inline constexpr std::uint64_t kMostRuns = 4'000'000;

template <class F>
void ignoring_input_errors(F&& action) {
  try {
    action();
  } catch (const InputError&) {
  }
}

inline void walk(KernelSource& kernel) {
  Group group;
  std::unique_ptr<WorkgroupProgram> program;
  std::uint64_t runs = 0;
  for (std::uint32_t i = 0; i < kernel.workgroups() && runs < kMostRuns; ++i) {
    program = kernel.program(i, std::move(program));
    while (runs < kMostRuns && program->next(group)) runs += group.loads.size() + group.stores.size() + 1;
  }
}

// A trace file as it is.
inline void trace_file(Input input) {
  const MemoryFile file(input);
  ignoring_input_errors([&] {
    TraceKernel kernel(file.path());
    walk(kernel);
  });
}

// The groups of a workgroup, without head, chunks and checksums in the way. What can be read must survive
// being written and read again.
class ByteSource {
 public:
  explicit ByteSource(Input input) : rest_(input) {}
  bool at_end() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) fail("the end");
    const std::uint8_t byte = rest_.front();
    rest_ = rest_.subspan(1);
    return byte;
  }
  [[noreturn]] static void fail(std::string_view what) { throw InputError(std::string(what)); }

 private:
  Input rest_;
};

inline void groups(Input input) {
  ByteSource source(input);
  GroupDecoder<ByteSource> decoder, second_decoder;
  GroupEncoder encoder;
  Group group, again;
  std::uint64_t runs = 0;
  ignoring_input_errors([&] {
    while (!source.at_end() && runs < kMostRuns) {
      decoder.decode(source, group);
      runs += group.loads.size() + group.stores.size();
      Bytes bytes;
      encoder.encode(group, bytes);
      ByteSource copy(bytes);
      second_decoder.decode(copy, again);
      if (!copy.at_end() || !(again == group)) std::abort();
    }
  });
}

// An Accel-Sim kernel trace: plain, gzip or xz.
inline void accelsim_kernel(Input input) {
  const MemoryFile file(input);
  ignoring_input_errors([&] {
    accelsim::KernelReader reader(file.path());
    accelsim::BlockBuilder builder(reader.header(), accelsim::IssueModel(), reader.source());
    GroupEncoder encoder;
    Bytes bytes;
    for (builder.begin_block(); reader.next_block(builder); builder.begin_block()) {
      encoder.begin_workgroup();
      builder.finish(0, [&](const Group& group) { encoder.encode(group, bytes); });
      bytes.clear();
    }
  });
}

// A timeline of a GEMM of 2 x 2 tiles.
inline void timeline(Input input) {
  const MemoryFile file(input);
  GemmSpec spec;
  spec.shape = {200, 200, 64};
  spec.place(0);
  for (const TimelineUse use : {TimelineUse::stores, TimelineUse::compute})
    ignoring_input_errors([&] {
      TimelineKernel kernel(spec, read_timeline(file.path(), ""), use);
      walk(kernel);
    });
}

}  // namespace t3sim::fuzz
