// What is judged on the same machine: methods of T3, Flux, FiCCO, the fused operators and those that T3 compares itself with, on
// shapes and machines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "machine/config.h"

namespace t3sim::rivals {

enum class Pattern : std::uint8_t {
  scatter,   // GEMM, then reduce-scatter of its output
  gather,    // all-gather of A, then the GEMM
  exchange,  // GEMM, then all-to-all of its rows
};
std::string_view to_string(Pattern pattern);

struct System {
  std::string name;                    // of the machine (t3sim list machines)
  std::vector<std::string> overrides;  // "key=value": what programs need of it
  std::vector<std::string> usual;      // names of its shapes that run without --all
  // Each another candidate of T3, of "key=value": the tiles of a library's kernels, or another algorithm.
  std::vector<std::vector<std::string>> of_t3{};
  bool any_gpus = false;  // a machine on paper, of as many GPUs as a shape asks for
};
const std::vector<System>& systems();

// A layer's product before the GPUs share it: K is split for scatter, N for gather; each GPU has rows of its own for exchange.
struct Shape {
  std::string name;
  Pattern pattern = Pattern::scatter;
  std::uint64_t m = 0, n = 0, k = 0;
  std::uint64_t only_gpus = 0;  // that share it; 0: as many as the machine has

  std::uint64_t own_n(std::uint64_t gpus) const { return pattern == Pattern::gather ? n / gpus : n; }
  std::uint64_t own_k(std::uint64_t gpus) const { return pattern == Pattern::scatter ? k / gpus : k; }
  // What each GPU at least sends: its share of 2-byte sums or rows to all others, or its shard of A.
  double link_bytes(std::uint64_t gpus) const;
};
const std::vector<Shape>& shapes();
// Has the machine, with --set key=value of `overrides`, the GPUs that the shape is for?
bool fits(const System& system, const Shape& shape, const std::vector<std::string>& overrides);

// A program with parameters beside m, n and k; or a scheme of T3's stages.
struct Candidate {
  std::string program;
  std::map<std::string, std::uint64_t> parameters;
  std::vector<std::string> overrides{};  // "key=value"
};

// Of its candidates the fastest counts: a method's knobs at their best, all methods on the same budget of kMostCandidates runs.
struct Method {
  std::string name;
  std::vector<Candidate> candidates;
  bool scheme = false;                   // T3's: stages of the workload, in hardware that only T3 has
  std::vector<std::string> overrides{};  // "key=value": hardware that only this method has
  std::string missing{};                 // why t3sim cannot run it on any machine; else empty
};
inline constexpr std::size_t kMostCandidates = 5;
// The longer one of GEMM and communication, each alone: a formula over their runs.
inline constexpr std::string_view kIdealOverlap = "ideal-overlap";
// Those of a pattern on that many GPUs, `sequential` first.
std::vector<Method> methods(const Shape& shape, std::uint64_t gpus);

// What the methods are held against: the GEMM and the communication, each alone.
Method gemm_alone(std::uint64_t gpus);
Method communication_alone(const Shape& shape);

// The machine, with --set key=value of `overrides`.
Config machine_of(const System& system, const std::vector<std::string>& overrides);
// The machine with a candidate. Throws InputError where it cannot run there, or with an override that is wrong.
Config configure(const System& system, const Shape& shape, const Method& method, const Candidate& candidate,
                 const std::vector<std::string>& overrides);

}  // namespace t3sim::rivals
