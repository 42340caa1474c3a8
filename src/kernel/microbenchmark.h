// The kernels of memory microbenchmarks, as programs: streams over arrays and a chase of dependent loads.
// They let a machine's memory be held against measurements (validation/memory) and run like any other kernel.
#pragma once

#include <cstdint>

#include "kernel/program.h"

namespace t3sim {

enum class MicrobenchmarkKind : std::uint8_t {
  none,
  stream_read,    // loads an array
  stream_write,   // stores an array
  stream_copy,    // loads one array, stores another
  stream_reduce,  // loads two arrays, stores their sum in a third
  chase,          // one wavefront; each load's address comes from the one before
};

struct MicrobenchmarkSpec {
  MicrobenchmarkKind kind = MicrobenchmarkKind::none;
  std::uint32_t blocks = 264;         // workgroups
  std::uint32_t threads = 512;        // a workgroup
  std::uint32_t bytes_per_load = 16;  // a thread
  std::uint32_t loads_in_flight = 4;  // a thread, before it waits for the first
  std::uint64_t bytes = 256 << 20;    // of each array; chase: footprint
  std::uint32_t passes = 1;           // chase: over the footprint, in random order
  std::uint64_t max_loads = 0;        // chase: stop after so many; 0: no limit

  // Bytes that a run moves: what its bandwidth counts.
  std::uint64_t moved_bytes() const;
  // Dependent loads that a chase does.
  std::uint64_t chase_loads() const;
};

class MicrobenchmarkKernel final : public KernelSource {
 public:
  MicrobenchmarkKernel(const MicrobenchmarkSpec& spec, std::uint32_t threads_per_wavefront);

  std::uint32_t workgroups() const override;
  std::uint32_t tile(std::uint32_t i) const override { return i; }
  std::unique_ptr<WorkgroupProgram> program(std::uint32_t i,
                                            std::unique_ptr<WorkgroupProgram> reuse) override;
  unsigned buffers() const override { return traits().buffers; }
  KernelTraits traits() const override;

 private:
  class Stream;
  class Chase;
  MicrobenchmarkSpec spec_;
  std::uint32_t threads_per_wavefront_;
};

}  // namespace t3sim
