// The readable head of a trace file: what the kernel is and where the trace comes from (traces/FORMAT.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernel/gemm.h"
#include "kernel/program.h"

namespace t3sim {

inline constexpr unsigned kTraceVersion = 1;

struct TraceHeader {
  std::string name;
  std::string source;  // how it was made: a command, a measured file
  std::string date;
  KernelTraits traits;
  std::uint32_t workgroups = 0;
  std::optional<GemmSpec> gemm;  // the GEMM whose tiles and matrices it works on; none for other kernels

  bool operator==(const TraceHeader&) const = default;
};

// The head as text, from the line that names the format to the empty line that ends it.
std::string format_trace_header(const TraceHeader& header);

// The head of `text`, which begins with it; `bytes` becomes its length. Throws InputError that names line and
// key; the caller adds the file.
TraceHeader parse_trace_header(std::string_view text, std::size_t& bytes);

}  // namespace t3sim
