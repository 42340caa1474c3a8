// Chakra traces as graphs: a GPU's nodes are operations, a collective of all GPUs and a send with its receive are one.
#include "model/from_chakra.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "base/error.h"
#include "base/number.h"
#include "model/chakra_trace.h"

namespace t3sim::model {
namespace {

// By the numbers of CollectiveCommType; those without a kind are not known here.
struct CommType {
  const char* name;
  std::optional<message::Kind> kind;
};
constexpr CommType kCommTypes[] = {{"ALL_REDUCE", message::Kind::all_reduce},
                                   {"REDUCE", std::nullopt},
                                   {"ALL_GATHER", message::Kind::all_gather},
                                   {"GATHER", message::Kind::gather},
                                   {"SCATTER", message::Kind::scatter},
                                   {"BROADCAST", message::Kind::broadcast},
                                   {"ALL_TO_ALL", message::Kind::all_to_all},
                                   {"REDUCE_SCATTER", message::Kind::reduce_scatter},
                                   {"REDUCE_SCATTER_BLOCK", message::Kind::reduce_scatter},
                                   {"BARRIER", std::nullopt}};

class Traces {
 public:
  Traces(Builder& builder, std::uint32_t gpus) : builder_(builder), gpus_(gpus) {}

  // What the GPUs of a set do, each the same.
  void add(const std::string& path, const GpuSet& set) {
    path_ = path;
    set_ = set;
    std::unordered_map<std::uint64_t, std::uint32_t> operation_of;
    std::size_t collectives = 0;
    const std::vector<ChakraNode> nodes = read_chakra(path);
    any_ |= !nodes.empty();
    for (const ChakraNode& node : nodes) {
      const bool fresh = operation_of.emplace(node.id, operation(node, collectives)).second;
      if (!fresh) fail(node, "has the id of another node");
    }
    for (const ChakraNode& node : nodes)
      for (const std::uint64_t before : node.after) {
        const auto at = operation_of.find(before);
        if (at == operation_of.end())
          fail(node, fmt::format("comes after node {}, which is not there", before));
        builder_.graph().operations[operation_of[node.id]].after.push_back(at->second);
      }
    if (started_ && collectives != collectives_.size())
      throw InputError(fmt::format("{}: {} collectives, where the first GPU has {}", path, collectives,
                                   collectives_.size()));
    started_ = true;
  }

  void check_pairs() const {
    if (!any_) throw InputError(path_ + ": has no node");
    for (const auto& [way, pair] : pairs_)
      for (const auto& [numbers, done, what] : {std::tuple{&pair.numbers, pair.received, "received"},
                                                std::tuple{&pair.numbers, pair.sent, "sent"}})
        if (done != numbers->size())
          throw InputError(fmt::format("GPU {} to GPU {}, tag {}: {} messages, {} of them {}",
                                       std::get<0>(way), std::get<1>(way), std::get<2>(way), numbers->size(),
                                       done, what));
  }

 private:
  // From, to, tag.
  using Way = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
  struct Pair {
    std::vector<std::uint32_t> numbers;
    std::size_t sent = 0, received = 0;
  };

  [[noreturn]] void fail(const ChakraNode& node, const std::string& what) const {
    throw InputError(fmt::format("{}: node {} \"{}\": {}", path_, node.id, node.name, what));
  }

  std::uint32_t operation(const ChakraNode& node, std::size_t& collectives) {
    const auto type = static_cast<ChakraType>(node.type);
    if (node.type == 0 || node.type > ordinal(ChakraType::collective))
      fail(node, fmt::format("type {} is not known; known: METADATA, MEM_LOAD, MEM_STORE, COMP, COMM_SEND, "
                             "COMM_RECV, COMM_COLL",
                             node.type));
    if (type == ChakraType::metadata || (node.host && !(type == ChakraType::collective && node.comm_type))) {
      builder_.at(set_, "host");
      return builder_.given(node.name, 0);
    }
    if (type == ChakraType::collective) return collective(node, collectives++);
    if (type == ChakraType::send || type == ChakraType::receive)
      return transfer(node, type == ChakraType::send);
    builder_.at(set_, type == ChakraType::compute ? "compute" : "memory");
    try {
      if (node.duration_us != 0 || (node.flops == 0 && node.tensor_bytes == 0))
        return builder_.given_us(node.name, real(node.duration_us));
      return builder_.work(node.name, real(node.flops), real(node.tensor_bytes));
    } catch (const InputError& e) {
      fail(node, e.what());
    }
  }

  void check_bytes(const ChakraNode& node) const {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 44;  // as graphs have it
    if (node.comm_bytes == 0) fail(node, "has no comm_size, or 0 bytes");
    if (node.comm_bytes > kMost)
      fail(node, fmt::format("comm_size {}: at most {} bytes", node.comm_bytes, kMost));
  }

  std::uint32_t collective(const ChakraNode& node, std::size_t place) {
    const std::uint64_t type = node.comm_type.value_or(~std::uint64_t{0});
    if (type >= std::size(kCommTypes)) fail(node, "has no comm_type that is known");
    if (!kCommTypes[type].kind) fail(node, fmt::format("collective {} is not known", kCommTypes[type].name));
    check_bytes(node);
    if (node.some_dimensions) fail(node, "involves some dimensions of a network only, which is not known");
    Call call;
    call.kind = *kCommTypes[type].kind;
    const bool gathers = call.kind == message::Kind::all_gather || call.kind == message::Kind::gather;
    call.bytes = node.comm_bytes * (gathers ? gpus_ : 1);
    if (started_) return same_as_first(node, call, place);
    GpuSet all(gpus_);
    std::iota(all.begin(), all.end(), 0U);
    builder_.at(all, "collectives");
    collectives_.push_back(builder_.collective(node.name, call, {all}));
    return collectives_.back();
  }
  std::uint32_t same_as_first(const ChakraNode& node, const Call& call, std::size_t place) const {
    if (place >= collectives_.size()) fail(node, "is a collective that the first GPU does not have");
    const Call& first = *builder_.graph().operations[collectives_[place]].call;
    if (first.kind != call.kind || first.bytes != call.bytes)
      fail(node, fmt::format("{} of {} bytes, where the first GPU has {} of {}", to_string(call.kind),
                             call.bytes, to_string(first.kind), first.bytes));
    return collectives_[place];
  }

  std::uint32_t transfer(const ChakraNode& node, bool sends) {
    if (set_.size() != 1)
      fail(node, "a send or receive needs a trace for each GPU (PREFIX.0.et, PREFIX.1.et, ...)");
    if (node.source >= gpus_ || node.destination >= gpus_ || node.source == node.destination)
      fail(node, fmt::format("from GPU {} to GPU {}, of {}", node.source, node.destination, gpus_));
    check_bytes(node);
    Pair& pair = pairs_[{node.source, node.destination, node.tag}];
    const std::size_t place = sends ? pair.sent++ : pair.received++;
    if (place < pair.numbers.size()) return pair.numbers[place];
    const auto from = narrow<std::uint32_t>(node.source), to = narrow<std::uint32_t>(node.destination);
    builder_.at({std::min(from, to), std::max(from, to)}, fmt::format("{} to {}", from, to));
    Call call;
    call.kind = message::Kind::send_receive;
    call.bytes = node.comm_bytes;
    pair.numbers.push_back(builder_.collective(node.name, call, {{from, to}}));
    return pair.numbers.back();
  }

  Builder& builder_;
  std::uint32_t gpus_;
  std::string path_;
  GpuSet set_;
  bool started_ = false, any_ = false;
  std::vector<std::uint32_t> collectives_;
  std::map<Way, Pair> pairs_;
};

}  // namespace

std::vector<std::string> chakra_files(const std::string& path, std::uint32_t gpus) {
  if (std::filesystem::is_regular_file(path)) return {path};
  std::vector<std::string> files;
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) files.push_back(fmt::format("{}.{}.et", path, gpu));
  return files;
}

void add_chakra(Builder& builder, const std::string& path, std::uint32_t gpus) {
  builder.graph().name = std::filesystem::path(path).filename().string();
  builder.graph().gpus = gpus;
  builder.graph().in_order = false;
  Traces traces(builder, gpus);
  GpuSet all(gpus);
  std::iota(all.begin(), all.end(), 0U);
  const std::vector<std::string> files = chakra_files(path, gpus);
  for (std::uint32_t i = 0; i < files.size(); ++i) traces.add(files[i], files[i] == path ? all : GpuSet{i});
  traces.check_pairs();
  try {
    check_order(builder.graph());
  } catch (const InputError& e) {
    throw InputError(path + ": " + e.what());
  }
}

}  // namespace t3sim::model
