// What Flux's evaluation runs (section 5.1), as programs on machines from data sheets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "machine/config.h"

namespace t3sim::flux {

// Eight GPUs share a layer of GPT-3 175B; (n, k) before they share it are (49152, 12288) and (12288, 49152).
enum class Pattern : std::uint8_t { gather, scatter };  // all-gather + GEMM, GEMM + reduce-scatter
inline constexpr Pattern kPatterns[] = {Pattern::gather, Pattern::scatter};
std::string_view to_string(Pattern pattern);

enum class Method : std::uint8_t {
  gemm,        // alone, on one GPU: all do the same
  collective,  // the library's, alone
  fused,  // Flux: pulls, tiles in the order of arrival; stores into owners, beside the GEMM on Hopper, tiles shifted by rank
  naive,  // the same with tiles in the same order on all GPUs
  push,   // gather only: copies are pushed
  medium,  // what Flux is compared with: TransformerEngine 1.4, as its source has it, with its default settings and a margin of CUs
  pairs,   // gather only: the same with two shards a GEMM
  ring,    // the method in general: a GEMM a shard, shards or partial sums around the ring by copy engine
  two_streams,  // scatter only: the GEMM beside the library's reduce-scatter of another array
};
std::string_view to_string(Method method);

struct Case {
  std::string machine;  // its name: "h800-x8"
  Pattern pattern = Pattern::gather;
  std::uint32_t m = 0;
  bool operator==(const Case&) const = default;
};

// The machine with the program of a method.
Config configure(const Case& c, Method method);

struct Run {
  Case of;
  Method method;
};
// The bounded part: A800 and H800 at m = 4096, fused, and H800 at 1024, fused and medium-grained. `all`: the paper's four machines and all m.
std::vector<Run> runs_of_evaluation(bool all);

}  // namespace t3sim::flux
