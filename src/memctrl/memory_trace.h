// Memory traces: lines `cycle 0xADDRESS R|W|U`, each a request of 64 bytes, plain or gzip (DESIGN: contract).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/request.h"

namespace t3sim {

struct TraceRequest {
  std::uint64_t cycle = 0;
  std::uint64_t address = 0;
  Op op = Op::read;
};
inline constexpr std::uint32_t kTraceRequestBytes = 64;

// Reads a whole trace. Throws InputError "file:line:column: what is wrong; what is allowed". Empty lines and
// lines that start with # are skipped; cycles must not fall.
std::vector<TraceRequest> read_memory_trace(const std::string& path);

}  // namespace t3sim
