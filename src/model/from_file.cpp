#include "model/from_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/error.h"
#include "base/nearest.h"
#include "base/number.h"
#include "config/units.h"
#include "model/backend_table.h"
#include "model/transformer.h"

namespace t3sim::model {
namespace {

GpuSet first(std::uint32_t gpus) {
  GpuSet set(gpus);
  std::iota(set.begin(), set.end(), 0U);
  return set;
}

class Operations {
 public:
  Operations(Builder& builder, const GraphFile& file, const Config& machine)
      : builder_(builder), file_(file), machine_(machine) {}

  void add() {
    const auto& all = file_.spec.operations;
    check_fusion();
    last_.reserve(all.size());
    std::uint32_t each = 0;
    for (const OperationSpec& o : all) last_.push_back((each += o.compress.ratio > 1 ? kCompressed : 1) - 1);
    for (std::uint32_t round = 0; round < file_.spec.repeat; ++round)
      for (std::uint32_t i = 0; i < all.size(); ++i) add(i, each * round);
  }

 private:
  static constexpr std::uint32_t kCompressed = 3;  // operations of a call that is compressed

  InputError error(std::uint32_t i, const std::string& key, const std::string& what) const {
    return file_.sources.error(fmt::format("operations.{}{}{}", i, key.empty() ? "" : ".", key), what);
  }

  std::vector<std::uint32_t> after(std::uint32_t i, std::uint32_t begin) const {
    std::vector<std::uint32_t> numbers;
    const auto& all = file_.spec.operations;
    for (const std::string& name : all[i].after) {
      const auto found = std::ranges::find(all, name, &OperationSpec::name);
      if (found == all.end()) throw error(i, "after", unknown(name));
      if (std::find_if(found + 1, all.end(), [&](const OperationSpec& o) { return o.name == name; }) !=
          all.end())
        throw error(i, "after", fmt::format("there is more than one operation \"{}\": which?", name));
      numbers.push_back(begin + last_[static_cast<std::size_t>(found - all.begin())]);
    }
    return numbers;
  }
  std::string unknown(const std::string& name) const {
    std::vector<std::string> names;
    for (const OperationSpec& o : file_.spec.operations) names.push_back(o.name);
    const std::string near = nearest(name, names);
    return fmt::format("there is no operation \"{}\"{}", name,
                       near.empty() ? "" : "; did you mean " + near + "?");
  }

  GpuSet gpus(std::uint32_t i) const {
    GpuSet set = file_.spec.operations[i].gpus;
    if (set.empty()) return first(machine_.gpus.count);
    std::ranges::sort(set);
    if (set.back() >= machine_.gpus.count)
      throw error(i, "gpus", fmt::format("GPU {}: the machine has {}", set.back(), machine_.gpus.count));
    if (std::ranges::adjacent_find(set) != set.end()) throw error(i, "gpus", "names a GPU twice");
    return set;
  }

  void add(std::uint32_t i, std::uint32_t begin) {
    const OperationSpec& o = file_.spec.operations[i];
    const bool product = o.gemm[0] != 0;
    const int said = o.time_ps.has_value() + o.moves.has_value() + (product || o.collective);
    if (o.name.empty()) throw error(i, "", "has no name");
    if (said != 1)
      throw error(i, "", "needs one of time, moves, gemm and collective (gemm and collective: a sub-layer)");
    if ((o.fuse || o.compress.ratio > 1) && (product || !o.collective))
      throw error(i, o.fuse ? "fuse" : "compress", "is of collectives");
    check_keys(i);
    const GpuSet set = gpus(i);
    builder_.at(set, o.stream);
    if (o.time_ps)
      builder_.given(o.name, *o.time_ps, after(i, begin));
    else if (!o.collective)
      add_kernel(i, begin);
    else if (product)
      add_sub_layer(i, begin, set);
    else
      add_collective(i, begin, set);
  }

  // Keys of other operations than this one would have no effect.
  void check_keys(std::uint32_t i) const {
    const OperationSpec& o = file_.spec.operations[i];
    const bool product = o.gemm[0] != 0, call = o.collective && !product;
    const auto of = [&](bool one, std::initializer_list<const char*> keys, const char* what) {
      for (const char* key : keys)
        if (!one && file_.sources.said(fmt::format("operations.{}.{}", i, key)))
          throw error(i, key, fmt::format("is of {}", what));
    };
    of(product, {"layout"}, "gemm");
    of(product && !o.collective, {"count"}, "gemm without a collective");
    of(product && o.collective, {"scheme"}, "gemm and collective together");
    of(o.collective.has_value(), {"group"}, "a collective");
    of(call, {"stride", "bytes", "algorithm", "protocol", "channels", "backend"},
       product ? "a collective without gemm" : "a collective");
    if (o.gpus.empty() && file_.sources.said(fmt::format("operations.{}.gpus", i)))
      throw error(i, "gpus", "is empty: leave it out for all GPUs");
  }

  void add_kernel(std::uint32_t i, std::uint32_t begin) {
    const OperationSpec& o = file_.spec.operations[i];
    Builder::After waits = after(i, begin);
    try {
      if (o.moves)
        builder_.pass(o.name, real(*o.moves), std::move(waits));
      else
        builder_.product(o.name, {o.gemm, o.count, o.layout}, std::move(waits));
    } catch (const InputError& e) {
      throw error(i, o.moves ? "moves" : "gemm", e.what());
    }
  }

  void add_sub_layer(std::uint32_t i, std::uint32_t begin, const GpuSet& set) {
    const OperationSpec& o = file_.spec.operations[i];
    if (*o.collective != message::Kind::all_reduce) throw error(i, "collective", "with gemm: all-reduce");
    const std::uint32_t gpus = o.group != 0 ? o.group : narrow<std::uint32_t>(set.size());
    Builder::After waits = after(i, begin);
    try {
      builder_.sub_layer(o.name, {o.gemm, o.count, o.layout}, gpus, o.scheme, std::move(waits));
    } catch (const InputError& e) {
      throw error(i, "gemm", e.what());
    }
  }

  void add_collective(std::uint32_t i, std::uint32_t begin, const GpuSet& set) {
    const OperationSpec& o = file_.spec.operations[i];
    if (o.bytes == 0) throw error(i, "bytes", "a collective needs bytes: of the full array on each GPU");
    Call call;
    call.kind = *o.collective;
    call.algorithm = o.algorithm;
    call.protocol = o.protocol;
    call.channels = o.channels;
    call.bytes = o.bytes;
    const Grouping of = groups(i, set);
    if (!o.backend.empty()) call.backend = backend(i, of);
    if (o.compress.ratio > 1) return add_compressed(i, begin, call, of);
    const std::uint32_t number = builder_.collective(o.name, call, of, after(i, begin));
    builder_.graph().operations[number].fuse = o.fuse;
  }

  void add_compressed(std::uint32_t i, std::uint32_t begin, const Call& call, const Grouping& of) {
    const CompressSpec& c = file_.spec.operations[i].compress;
    if (c.encode_Bps == 0 || c.decode_Bps == 0)
      throw error(i, "compress", "needs encode and decode, the rates of the coder's kernels");
    if (file_.spec.operations[i].fuse) throw error(i, "compress", "fuse or compress, not both");
    try {
      builder_.compressed(file_.spec.operations[i].name, call, of, {c.ratio, c.encode_Bps, c.decode_Bps},
                          after(i, begin));
    } catch (const InputError& e) {
      throw error(i, "compress", e.what());
    }
  }

  void check_fusion() const {
    const GraphSpec& g = file_.spec;
    const auto first = std::ranges::find(g.operations, true, &OperationSpec::fuse);
    if (first == g.operations.end()) return;
    const auto i = narrow<std::uint32_t>(first - g.operations.begin());
    if (g.fusion.bytes == 0 || g.fusion.wait_ps == 0 || g.fusion.copy_Bps == 0)
      throw error(i, "fuse", "needs bytes, wait and copy of fusion at the top of the file");
    builder_.graph().fusion =
        FusionRule{g.fusion.bytes, g.fusion.wait_ps, g.fusion.overlap, real(g.fusion.copy_Bps)};
  }
  // Its name, after it has been made known to the builder.
  std::string backend(std::uint32_t i, const Grouping& of) {
    const OperationSpec& o = file_.spec.operations[i];
    if (o.algorithm || o.channels || o.protocol != message::ProtocolName::simple)
      throw error(i, "backend", "chooses algorithm, protocol and channels: say none of them");
    try {
      const auto size = narrow<std::uint32_t>(of.front().size());
      const std::string name = o.backend == "auto" ? from_table(o, size) : o.backend;
      message::Backend found = message::backend_named(name);
      found.ways_of(*o.collective, message::message_bytes(*o.collective, o.bytes, size));
      builder_.add_backend(name, std::move(found));
      return name;
    } catch (const InputError& e) {
      throw error(i, "backend", e.what());
    }
  }
  std::string from_table(const OperationSpec& o, std::uint32_t gpus) {
    if (!table_ && file_.spec.table.empty()) throw InputError("auto needs a table (t3sim tune backends)");
    if (!table_) table_ = BackendTable::read(file_.spec.table);
    if (table_->machine() != network_hash(machine_))
      throw InputError(
          "the table of backends is of another machine, or of an earlier state of this one: tune it");
    // What is fused goes by buffers.
    const std::uint64_t bytes = o.fuse ? std::max(o.bytes, file_.spec.fusion.bytes) : o.bytes;
    return table_->best(*o.collective, gpus, bytes, file_.spec.extrapolate);
  }
  Grouping groups(std::uint32_t i, const GpuSet& set) const {
    const OperationSpec& o = file_.spec.operations[i];
    try {
      return groups_of(set, o.group != 0 ? o.group : narrow<std::uint32_t>(set.size()), o.stride);
    } catch (const InputError& e) {
      throw error(i, "group", e.what());
    }
  }

  Builder& builder_;
  const GraphFile& file_;
  const Config& machine_;
  std::optional<BackendTable> table_;
  std::vector<std::uint32_t> last_;  // by operation of the file: the number of its last one, in a round
};

// What the graph says of the GPUs' memory goes before what the machine does.
void check_memory(const GraphFile& file, const Config& machine, double needed, const std::string& key,
                  const std::string& of) {
  const auto& said = file.spec.gpu_memory ? file.spec.gpu_memory : machine.gpus.memory_bytes;
  if (!said || needed <= real(*said)) return;
  throw file.sources.error(
      key, fmt::format("needs {:.1f} GB on a GPU{}, which has {:.1f} ({})", needed / 1e9, of,
                       real(*said) / 1e9, file.spec.gpu_memory ? "gpu_memory" : "the machine's gpus.memory"));
}

void add_model(Builder& builder, const GraphFile& file, const Config& machine) {
  const TransformerSpec& t = file.spec.transformer;
  const std::uint32_t gpus = t.tp * t.pp * t.dp;
  if (gpus > machine.gpus.count)
    throw file.sources.error(
        "transformer", fmt::format("needs {} GPUs (tp {} x pp {} x dp {}); the machine has {}", gpus, t.tp,
                                   t.pp, t.dp, machine.gpus.count));
  if (t.sequence == 0) throw file.sources.error("transformer", "does not say sequence");
  std::string fault;
  try {
    fault = split_fault(t);
    if (fault.empty()) add_transformer(builder, t);
  } catch (const InputError& e) {
    throw file.sources.error("transformer.model", e.what());
  }
  if (!fault.empty()) throw file.sources.error("transformer.tp", fault);
  const Footprint f = transformer_footprint(t);
  check_memory(file, machine, f.bytes(), "transformer.model",
               fmt::format(" (weights {:.1f}, gradients {:.1f}, optimiser {:.1f}, activations {:.1f})",
                           f.weights / 1e9, f.gradients / 1e9, f.optimizer / 1e9, f.activations / 1e9));
}

}  // namespace

// Keys of the other kind of graph would have no effect.
static void check_sections(const GraphFile& file, bool model) {
  const auto& all = file.spec.operations;
  const bool automatic = std::ranges::find(all, "auto", &OperationSpec::backend) != all.end();
  const bool fuses = std::ranges::find(all, true, &OperationSpec::fuse) != all.end();
  const std::tuple<const char*, bool, const char*> keys[] = {
      {"transformer", model, "a model: there are operations"},
      {"repeat", !model, "operations; of a model, micro_batches says how often"},
      {"table", automatic, "operations with backend: auto, and there is none"},
      {"extrapolate", automatic, "operations with backend: auto, and there is none"},
      {"fusion", fuses, "operations that say fuse, and there is none"}};
  for (const auto& [key, used, what] : keys)
    if (!used && file.sources.said(key)) throw file.sources.error(key, fmt::format("is of {}", what));
}

void add_graph(Builder& builder, const GraphFile& file, const Config& machine) {
  const bool model = !file.spec.transformer.model.empty();
  if (model == !file.spec.operations.empty())
    throw file.sources.error("operations", "needs operations, or a transformer, and not both");
  check_sections(file, model);
  builder.graph().name = file.spec.name;
  builder.graph().gpus = machine.gpus.count;
  builder.set_overhead({real(file.spec.framework.small), real(file.spec.framework.large)});
  if (model)
    add_model(builder, file, machine);
  else
    Operations(builder, file, machine).add();
  if (file.spec.memory) check_memory(file, machine, real(*file.spec.memory), "memory", "");
  try {
    check_order(builder.graph());
  } catch (const InputError& e) {
    throw file.sources.error("operations", e.what());
  }
}

}  // namespace t3sim::model
