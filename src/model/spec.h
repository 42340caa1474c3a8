// A graph as a file says it (docs/models.md): its operations one by one, or a model and how it is spread over GPUs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/names.h"
#include "config/config.h"
#include "kernel/gemm.h"
#include "message/config.h"

namespace t3sim::model {

// Where the time of a product of matrices comes from, unless it is given.
enum class Products : std::uint8_t {
  estimate,  // the machine's rates (model/rates.h)
  cycle,     // a run at cycle level
};
constexpr auto names_of(Products) {
  return std::array{Named{"estimate", Products::estimate}, Named{"cycle", Products::cycle}};
}

// At a fixed rate, as zfp has it: what `ratio` bytes say is sent as one.
struct CompressSpec {
  std::uint32_t ratio = 1;                       // 1: as it is
  std::uint64_t encode_Bps = 0, decode_Bps = 0;  // of the coder's kernels, of what is not compressed
};

struct FusionSpec {
  std::uint64_t bytes = 0;  // 0: nothing is fused
  std::uint64_t wait_ps = 0;
  bool overlap = true;
  std::uint64_t copy_Bps = 0;  // of the memory, in which tensors go into the buffer and out
};

// Percent (call_overhead.h).
struct FrameworkSpec {
  std::uint32_t small = 0, large = 0;
};

struct OperationSpec {
  std::string name;
  std::string stream = "main";
  std::vector<std::string> after;
  std::vector<std::uint32_t> gpus;  // empty: all
  // One of these.
  std::optional<std::uint64_t> time_ps;
  std::optional<std::uint64_t> moves;   // bytes of memory
  std::array<std::uint32_t, 3> gemm{};  // with `collective`: a sub-layer at cycle level
  std::optional<message::Kind> collective;
  std::uint32_t count = 1;  // products
  GemmLayout layout = GemmLayout::tn;
  std::string scheme = "sequential";  // of a sub-layer
  // Of a collective.
  std::uint64_t bytes = 0;
  std::uint32_t group = 0, stride = 1;  // 0: all of its GPUs
  std::optional<message::Algorithm> algorithm;
  message::ProtocolName protocol = message::ProtocolName::simple;
  std::optional<std::uint64_t> channels;
  std::string backend;  // a name, a file, or `auto`
  bool fuse = false;
  CompressSpec compress;
};

enum class Phase : std::uint8_t {
  training,  // forward, backward, optimiser
  prompt     // forward
};
constexpr auto names_of(Phase) {
  return std::array{Named{"training", Phase::training}, Named{"prompt", Phase::prompt}};
}

enum class Attention : std::uint8_t {
  fused,   // one kernel, whose scores never go to memory
  unfused  // a kernel each: scale and mask, softmax, dropout
};
constexpr auto names_of(Attention) {
  return std::array{Named{"fused", Attention::fused}, Named{"unfused", Attention::unfused}};
}

struct TransformerSpec {
  std::string model;  // of configs/models
  Phase phase = Phase::training;
  std::uint32_t sequence = 0, micro_batch = 1, micro_batches = 1;  // of a replica
  std::uint32_t tp = 1, pp = 1, dp = 1, zero = 0;
  std::uint32_t ep = 1;  // replicas over which the experts of each layer are spread
  // Sub-layers with an all-reduce: a scheme that is run at cycle level, or `message`: a product, then messages.
  std::string scheme = "message";
  Attention attention = Attention::fused;
  std::optional<std::uint32_t> heads, blocks, vocabulary;  // instead of the model's
};

struct GraphSpec {
  std::string name = "unnamed";
  std::uint32_t repeat = 1;
  Products products = Products::estimate;
  std::optional<std::uint64_t> gpu_memory;  // of each GPU
  std::optional<std::uint64_t> memory;      // that a GPU needs at its fullest, unless the model says it
  std::string table;                        // of backends, for `auto`
  bool extrapolate = false;                 // beyond its sizes
  FrameworkSpec framework;
  FusionSpec fusion;
  std::vector<OperationSpec> operations;
  TransformerSpec transformer;
};

void describe(config::Visitor& v, OperationSpec& o);
void describe(config::Visitor& v, TransformerSpec& t);
void describe(config::Visitor& v, GraphSpec& g);

struct GraphFile {
  GraphSpec spec;
  config::Sources sources;
  std::vector<config::InputFile> files;
};
// Throws InputError.
GraphFile read_graph_file(const std::string& path);
GraphFile read_graph(const config::Node& root);

}  // namespace t3sim::model
