// The keys of a microbenchmark.
#include "config/schema.h"
#include "kernel/microbenchmark.h"

namespace t3sim {

void describe(config::Visitor& v, MicrobenchmarkSpec& c) {
  v.choice("kind", c.kind,
           {{"none", MicrobenchmarkKind::none},
            {"stream-read", MicrobenchmarkKind::stream_read},
            {"stream-write", MicrobenchmarkKind::stream_write},
            {"stream-copy", MicrobenchmarkKind::stream_copy},
            {"stream-reduce", MicrobenchmarkKind::stream_reduce},
            {"chase", MicrobenchmarkKind::chase}},
           "what to run instead of a GEMM, under the scheme kernel");
  v.count("blocks", c.blocks, {1, 1 << 20}, "workgroups of a stream");
  v.count("threads", c.threads, {32, 2048}, "threads a workgroup");
  v.count("bytes_per_load", c.bytes_per_load, {1, 64}, "that a thread loads or stores at a time");
  v.count("loads_in_flight", c.loads_in_flight, {1, 8}, "of a thread, before it waits for the first");
  v.size("bytes", c.bytes, {4096, 1ULL << 36}, "of each array, or footprint of a chase");
  v.count("passes", c.passes, {1, 1000}, "of a chase over its footprint");
  v.count("max_loads", c.max_loads, {0, 1ULL << 40}, "that a chase does; 0: no limit");
}

}  // namespace t3sim
