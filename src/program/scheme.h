// A scheme: a program of stages, by which the workload of a configuration is run (docs/schemes.md).
//
// A stage has ended on all GPUs before the next one begins: kernel boundaries lie between them. What the GEMM, the
// collective and the machine are, the configuration says; a text may choose another algorithm, plan or arbitration.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "config/node.h"
#include "program/time_formula.h"

namespace t3sim::program {

// What `if` can ask, all of it of the configuration; truth is 1 or 0.
inline constexpr std::array<std::string_view, 12> kSchemeFacts = {
    "gpus",        "m", "n", "k", "split_k",
    "producer",     // the collective is of the GEMM's output,
    "consumer",     // of its input,
    "independent",  // or of another array
    "all_reduce",   // the exchange is half of it: an all-gather has to follow
    "write_zeros",  // collective.zero_init: simulated
    "following",    // an operation follows the all-reduce,
    "near_memory",  // and may be done near memory
};
using SchemeFacts = std::array<std::int64_t, kSchemeFacts.size()>;

// What a formula calls the stages: by what they do.
inline constexpr std::array<std::string_view, 8> kStageLabels = {
    "gemm", "kernel", "fused", "exchange", "all_gather", "zeros", "following", "rest"};

// One stage: a launch with what is tracked beside it, or one of the others.
struct StageText {
  config::Location where;
  config::Node condition;                       // `if`; nothing: always
  std::string name, time;                       // empty: by what it does
  std::optional<config::Node> arbitration;      // else round-robin; the configuration's key wins over both
  std::optional<config::Node> plan, algorithm;  // of the collective; else the configuration's

  enum class Launch : std::uint8_t { nothing, gemm, kernel };
  enum class Array : std::uint8_t { none, c, a, other };
  enum class Collective : std::uint8_t { nothing, exchange, all_gather };
  enum class Following : std::uint8_t { nothing, kernel, near_memory };
  Launch launch = Launch::nothing;  // kernel: whatever the workload is, its bytes unchecked
  Array tracked = Array::none;      // beside the GEMM; c: its own stores, a: workgroups wait for their rows
  Collective collective = Collective::nothing;
  bool by_dma = false;  // reduced near memory; else a kernel on the CUs
  Following following = Following::nothing;
  bool zeros = false;  // written where the next stage adds to memory

  // What a formula calls it.
  std::string_view label() const;
};

struct SchemeText {
  std::string name;  // its file's, without .yaml: what results call it
  std::string title, doc, origin;
  std::string sha256;  // of the file; empty: it is in t3sim
  std::vector<StageText> stages;
  std::string from;  // of a derived one: the scheme that has run these stages; empty: each alone
  std::optional<TimeFormula> derived;  // else the sum of the stages

  // Does nothing but launch the workload's kernel: needs no links.
  bool is_kernel_alone() const;
  // Those whose condition holds. Throws InputError for a condition that cannot be evaluated.
  std::vector<const StageText*> stages_for(const SchemeFacts& facts) const;
};

// Throws InputError, one line with file:line:column.
SchemeText read_scheme(const config::Node& root, const std::string& origin);

// The stages, a line each.
std::string explain(const SchemeText& scheme);

}  // namespace t3sim::program
