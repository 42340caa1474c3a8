#include "validation/mcr_dl/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/number.h"

namespace t3sim::mcr_dl {
namespace {

using message::Kind;

constexpr double kHalf = 2, kSingle = 4;               // bytes of an element
constexpr double kTokens = 2048, kVocabulary = 50257;  // of a sequence; GPT-2's
constexpr double kOptimizer = 28;                      // bytes a parameter: as model/transformer.h
constexpr double kReached = 0.9;                       // of the memory's bandwidth (model/rates.h)
constexpr double kBucket = 5e8;                        // elements that DeepSpeed sums at a time

// A step, one operation after the other unless it says what it comes after.
class Step {
 public:
  Step(std::uint32_t gpus, double tflops, std::uint64_t percent, std::uint64_t memory_Bps)
      : flops_per_us_(tflops * 1e6 * real(percent) / 100), bytes_per_us_(kReached * real(memory_Bps) / 1e6) {
    graph_.gpus = gpus;
    all_.resize(gpus);
    std::iota(all_.begin(), all_.end(), 0U);
  }

  using After = std::vector<std::uint32_t>;
  // Products, then passes over memory.
  std::uint32_t compute(const std::string& name, double flops, double bytes, After after = {}) {
    model::Operation o;
    o.name = name;
    o.kind = "given";
    o.source = "FLOPs and bytes";
    o.flops = flops;
    o.bytes = static_cast<std::uint64_t>(bytes);
    o.time = static_cast<model::Picoseconds>(1e6 * (flops / flops_per_us_ + bytes / bytes_per_us_));
    return add(std::move(o), "main", std::move(after));
  }
  // Of `group` GPUs that lie `stride` apart; beside what computes if `stream` is another.
  std::uint32_t collective(const std::string& name, Kind kind, double bytes, std::uint32_t group,
                           std::uint32_t stride, const std::string& stream = "main", After after = {}) {
    model::Operation o;
    o.name = name;
    o.kind = fmt::format("{} of {}", to_string(kind), group);
    model::Call call;
    call.kind = kind;
    call.bytes = static_cast<std::uint64_t>(bytes);
    call.grouping = graph_.grouping(model::groups_of(all_, group, stride));
    o.bytes = call.bytes;
    o.call = call;
    return add(std::move(o), stream, std::move(after));
  }
  // In buckets as DeepSpeed's.
  void buckets(const std::string& name, Kind kind, double elements, std::uint32_t group,
               std::uint32_t stride) {
    for (double left = elements; left > 0; left -= kBucket)
      if (group > 1) collective(name, kind, kHalf * std::min(left, kBucket), group, stride);
  }
  // One of many that are ready at once.
  void tensor(const std::string& name, double elements, std::uint32_t group, std::uint32_t stride) {
    if (group < 2) return;
    const std::uint32_t number =
        collective(name, Kind::all_reduce, kHalf * elements, group, stride, "gradients", {*computed_});
    graph_.operations[number].fuse = graph_.fusion.has_value();
    tensors_.push_back(number);
  }
  void fuse(const std::optional<model::FusionRule>& rule) { graph_.fusion = rule; }
  // All that were summed so far.
  const After& tensors() const { return tensors_; }
  model::Graph graph() { return std::move(graph_); }

 private:
  std::uint32_t add(model::Operation o, const std::string& stream, After after) {
    o.set = graph_.set(all_);
    o.stream = graph_.stream(stream);
    o.after = std::move(after);
    if (last_ && graph_.operations[*last_].stream != o.stream && o.after.empty()) o.after.push_back(*last_);
    const bool computes = !o.call;
    const std::uint32_t number = graph_.add(std::move(o));
    last_ = number;
    if (computes) computed_ = number;
    return number;
  }

  double flops_per_us_, bytes_per_us_;
  model::Graph graph_;
  model::GpuSet all_;
  std::optional<std::uint32_t> last_, computed_;
  After tensors_;
};

// DS-MoE.
class Moe {
 public:
  Moe(const MoeSpec& s, std::uint32_t gpus)
      : gpus_(gpus),
        step_(gpus, s.flops, s.efficiency.value, s.memory_Bps),
        tokens_(kTokens * real(s.sequences.value)),
        room_(tokens_ * real(s.capacity.value) / 100) {}

  model::Graph build() {
    passes();
    const double matrices = 12 * kHidden * kHidden;
    const double dense = kLayers * matrices + kVocabulary * kHidden;
    double local = 0;
    step_.buckets("gradients", Kind::all_reduce, dense, gpus_, 1);
    for_experts([&](std::uint32_t parallel, double here) {
      step_.buckets("gradients of experts", Kind::all_reduce, here, gpus_ / parallel, parallel);
      local += here;
    });
    step_.compute("optimizer", 0, kOptimizer * (dense + local));
    return step_.graph();
  }

  model::Graph build_by_tensors(const std::optional<model::FusionRule>& fusion) {
    step_.fuse(fusion);
    passes();
    const double square = kHidden * kHidden;
    for (std::uint32_t l = 0; l < kLayers; ++l) {
      for (const double elements : {3 * square, square, 4 * square, 4 * square})
        step_.tensor("matrix", elements, gpus_, 1);
      for (const double width : {1, 1, 1, 1, 3, 1, 4, 1}) step_.tensor("vector", width * kHidden, gpus_, 1);
    }
    step_.tensor("embedding", kVocabulary * kHidden, gpus_, 1);
    double local = 0;
    for_experts([&](std::uint32_t parallel, double here) {
      for (double left = here; left > 0; left -= 4 * square)
        step_.tensor("expert", std::min(left, 4 * square), gpus_ / parallel, parallel);
      local += here;
    });
    step_.compute("optimizer", 0, kOptimizer * (kLayers * 12 * square + kVocabulary * kHidden + local),
                  step_.tensors());
    return step_.graph();
  }

 private:
  static constexpr std::uint32_t kLayers = 24;
  static constexpr double kHidden = 1024, kHeads = 16;

  void passes() {
    for (std::uint32_t l = 0; l < kLayers; ++l) layer("forward", l, 1);
    step_.compute("output", 3 * 2 * tokens_ * kHidden * kVocabulary, 6 * kHalf * tokens_ * kVocabulary);
    for (std::uint32_t l = kLayers; l-- > 0;) {
      layer("again", l, 1);
      layer("backward", l, 2);
    }
  }

  // Layers with 32 and with 64: f(GPUs over which they are spread, elements on each).
  template <class F>
  void for_experts(F&& f) {
    for (const auto& [layers, experts] : {std::pair{10.0, 32U}, std::pair{2.0, 64U}}) {
      const std::uint32_t parallel = std::min(experts, gpus_);
      f(parallel, layers * 8 * kHidden * kHidden * experts / parallel);
    }
  }

  // `times`: of a forward pass's products; element-wise operators move as much more.
  void layer(const std::string& pass, std::uint32_t l, double times) {
    const double wide = tokens_ * kHidden, scores = kHalf * kHeads * kTokens * tokens_;
    step_.compute(pass + " attention", times * (8 * wide * kHidden + 4 * wide * kTokens),
                  times * (6 * scores + 16 * kHalf * wide));
    step_.compute(pass + " mlp", times * 16 * wide * kHidden, times * 20 * kHalf * wide);
    if (l % 2 == 0) return;
    const double experts = l < kLayers - 4 ? 32 : 64, sent = kHalf * room_ * kHidden;
    const auto parallel = std::min(static_cast<std::uint32_t>(experts), gpus_);
    const double masks = 10 * kSingle * tokens_ * experts, dispatch = 2 * tokens_ * room_ * kHidden;
    const double mask = kHalf * tokens_ * room_;
    step_.compute(pass + " dispatch", times * (2 * wide * experts + dispatch),
                  times * (masks + mask + 2 * sent));
    step_.collective(pass + " to experts", Kind::all_to_all, sent, parallel, 1);
    step_.compute(pass + " experts", times * 16 * room_ * kHidden * kHidden, times * 12 * sent);
    step_.collective(pass + " from experts", Kind::all_to_all, sent, parallel, 1);
    step_.compute(pass + " combine", times * dispatch, times * (mask + 2 * sent));
  }

  std::uint32_t gpus_;
  Step step_;
  double tokens_, room_;
};

model::Graph dlrm(const DlrmSpec& s, std::uint32_t gpus) {
  constexpr double kWidth = 64, kBottom = 512 * 512 + 512 * 64;
  const double batch = real(s.batch.value), features = gpus + 1;
  const double top_input = kWidth + features * (features - 1) / 2;
  const double top = top_input * 1024 + 2 * 1024 * 1024 + 1024;
  const double vectors = kSingle * kWidth * batch * gpus, rows = vectors * real(s.lookups.value);
  const double interaction = 2 * features * features * kWidth * batch;
  const double activations = kSingle * batch * (512 + 512 + 64 + top_input + 3 * 1024);
  Step step(gpus, s.flops, s.efficiency.value, s.memory_Bps);
  const auto lookups = step.compute("lookups", 0, rows + vectors);
  const auto there = step.collective("vectors", Kind::all_to_all, vectors, gpus, 1, "exchange", {lookups});
  step.compute("bottom", 2 * batch * kBottom, activations / 4, {lookups});
  step.compute("interaction", interaction, 3 * vectors, {there});
  step.compute("top", 2 * batch * top, activations);
  const auto back = step.compute("top backward", 4 * batch * top, 2 * activations);
  const auto summed =
      step.collective("top gradients", Kind::all_reduce, kSingle * top, gpus, 1, "gradients", {back});
  const auto apart = step.compute("interaction backward", 2 * interaction, 4 * vectors, {back});
  const auto returned =
      step.collective("vectors back", Kind::all_to_all, vectors, gpus, 1, "exchange", {apart});
  const auto bottom = step.compute("bottom backward", 4 * batch * kBottom, activations / 2, {apart});
  const auto all = step.collective("bottom gradients", Kind::all_reduce, kSingle * kBottom, gpus, 1,
                                   "gradients", {bottom});
  step.compute("update", 0, 2 * rows + 3 * kSingle * (top + kBottom), {returned, summed, all});
  return step.graph();
}

model::Graph dense(const DenseSpec& s, std::uint32_t gpus) {
  constexpr std::uint32_t kShared = 2, kLayers = 32;
  constexpr double kHidden = 4096, kHeads = 32;
  const double tokens = kTokens * real(s.sequences.value), wide = tokens * kHidden;
  const double parameters = (kLayers * 12 * kHidden * kHidden + kVocabulary * kHidden) / kShared;
  const double scores = kHalf * kHeads / kShared * kTokens * tokens;
  Step step(gpus, s.flops, s.efficiency.value, s.memory_Bps);
  const auto layer = [&](const std::string& pass, double times) {
    step.compute(pass + " attention", times * (8 * wide * kHidden + 4 * wide * kTokens) / kShared,
                 times * (6 * scores + 16 * kHalf * wide));
    step.collective(pass + " attention sum", Kind::all_reduce, kHalf * wide, kShared, 1);
    step.compute(pass + " mlp", times * 16 * wide * kHidden / kShared, times * 14 * kHalf * wide);
    step.collective(pass + " mlp sum", Kind::all_reduce, kHalf * wide, kShared, 1);
  };
  for (std::uint64_t m = 0; m < s.steps.value; ++m) {
    for (std::uint32_t l = 0; l < kLayers; ++l) layer("forward", 1);
    step.compute("output", 3 * 2 * wide * kVocabulary / kShared, 6 * kHalf * tokens * kVocabulary / kShared);
    for (std::uint32_t l = 0; l < kLayers; ++l) {
      layer("again", 1);  // checkpoints, as all of 40 GB is needed
      layer("backward", 2);
    }
    step.buckets("gradients", Kind::reduce_scatter, parameters, gpus / kShared, kShared);
  }
  step.compute("optimizer", 0, kOptimizer * parameters * kShared / gpus);
  step.buckets("weights", Kind::all_gather, parameters, gpus / kShared, kShared);
  return step.graph();
}

}  // namespace

std::string_view name_of(Model model) {
  constexpr std::string_view kNames[] = {"moe", "dlrm", "dense"};
  return kNames[static_cast<std::size_t>(model)];
}

std::string_view cluster_of(Model model) { return model == Model::moe ? "lassen" : "thetagpu"; }

std::vector<std::uint32_t> scales_of(Model model) {
  if (model == Model::moe) return {16, 32, 64, 128, 256};
  return {8, 16, 32};
}

std::vector<std::string> backends_of(Model model) {
  if (model == Model::dense) return {"mpi-gdr", "sccl"};
  return {"mpi-gdr", "nccl"};
}

model::Graph moe_by_tensors(const Study& study, std::uint32_t gpus,
                            const std::optional<model::FusionRule>& fusion) {
  return Moe(study.moe, gpus).build_by_tensors(fusion);
}

model::Graph graph_of(const Study& study, Model model, std::uint32_t gpus) {
  model::Graph graph = model == Model::moe    ? Moe(study.moe, gpus).build()
                       : model == Model::dlrm ? dlrm(study.dlrm, gpus)
                                              : dense(study.dense, gpus);
  graph.name = fmt::format("{} on {}", name_of(model), gpus);
  return graph;
}

}  // namespace t3sim::mcr_dl
