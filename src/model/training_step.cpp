// A step of a Transformer over stages, replicas and micro-batches.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/number.h"
#include "model/from_file.h"
#include "model/transformer.h"

namespace t3sim::model {
namespace {

constexpr std::uint32_t kNone = ~0U;

// A pass of a micro-batch through a stage.
struct Turn {
  bool backward;
  std::uint32_t batch;
};

// One forward, one backward in turn, after as many forward passes as there are stages behind.
std::vector<Turn> turns_of(const TransformerSpec& spec, std::uint32_t stage) {
  const std::uint32_t batches = spec.micro_batches;
  std::vector<Turn> turns;
  if (spec.phase == Phase::prompt) {
    for (std::uint32_t b = 0; b < batches; ++b) turns.push_back({false, b});
    return turns;
  }
  const std::uint32_t ahead = std::min(spec.pp - 1 - stage, batches);
  for (std::uint32_t b = 0; b < ahead; ++b) turns.push_back({false, b});
  for (std::uint32_t b = 0; b < batches; ++b) {
    if (ahead + b < batches) turns.push_back({false, ahead + b});
    turns.push_back({true, b});
  }
  return turns;
}

class Step {
 public:
  Step(Builder& builder, const TransformerSpec& spec)
      : builder_(builder), spec_(spec), layers_(sizes_of(spec).blocks / spec.pp) {
    const std::uint32_t gpus = spec.tp * spec.dp;
    for (std::uint32_t s = 0; s < spec.pp; ++s) {
      GpuSet set;
      for (std::uint32_t i = 0; i < gpus; ++i) set.push_back(s * gpus + i);
      tensor_.push_back(groups_of(set, spec.tp, 1));
      data_.push_back(groups_of(set, spec.dp, spec.tp));
      exchange_.push_back(groups_of(set, spec.ep, spec.tp));
      expert_data_.push_back(groups_of(set, spec.dp / spec.ep, spec.tp * spec.ep));
      sets_.push_back(std::move(set));
      turns_.push_back(turns_of(spec, s));
    }
    for (std::uint32_t s = 0; s < spec.pp; ++s) layer_.emplace_back(builder, spec, tensor_[s], exchange_[s]);
    arrived_[0].assign(spec.pp, std::vector<std::uint32_t>(spec.micro_batches, kNone));
    arrived_[1] = arrived_[0];
  }

  // Each stage takes its next turn as soon as what comes before it is there: so operations are in an order in which all of
  // them can run.
  void add() {
    std::vector<std::size_t> next(spec_.pp, 0);
    for (bool more = true; more;) {
      more = false;
      for (std::uint32_t s = 0; s < spec_.pp; ++s) {
        if (next[s] == turns_[s].size() || !may(s, turns_[s][next[s]])) continue;
        take(s, turns_[s][next[s]]);
        ++next[s];
        more = true;
      }
    }
    if (spec_.phase == Phase::training)
      for (std::uint32_t s = 0; s < spec_.pp; ++s) update(s);
  }

 private:
  bool first_in(std::uint32_t s, bool backward) const { return backward ? s + 1 == spec_.pp : s == 0; }
  bool last_in(std::uint32_t s, bool backward) const { return first_in(s, !backward); }
  bool may(std::uint32_t s, const Turn& turn) const {
    return first_in(s, turn.backward) || arrived_[turn.backward][s][turn.batch] != kNone;
  }

  void take(std::uint32_t s, const Turn& turn) {
    Builder::After after;
    if (!first_in(s, turn.backward)) after.push_back(arrived_[turn.backward][s][turn.batch]);
    const bool output = spec_.vocabulary && s + 1 == spec_.pp;
    std::uint32_t last = kNone;
    builder_.at(sets_[s]);
    if (output && turn.backward) after = {layer_[s].output_layer(true, std::move(after))};
    for (std::uint32_t l = 0; l < layers_; ++l) last = pass(s, l, turn, l == 0 ? after : Builder::After{});
    if (output && !turn.backward) last = layer_[s].output_layer(false, {});
    if (!last_in(s, turn.backward)) send(s, turn, last);
  }

  std::uint32_t pass(std::uint32_t s, std::uint32_t l, const Turn& turn, Builder::After after) {
    if (spec_.zero == 3 && spec_.dp > 1) after.push_back(gather(s, ""));
    builder_.at(sets_[s]);
    const std::uint32_t last =
        turn.backward ? layer_[s].backward(std::move(after)) : layer_[s].forward(std::move(after));
    if (!turn.backward) return last;
    const bool at_end = turn.batch + 1 == spec_.micro_batches;
    if (spec_.dp > 1 && (at_end || spec_.zero >= 2)) reduce(s, l, last);
    return last;
  }

  // Over all replicas. ZeRO from 1 on: each keeps its part of the sums.
  void reduce(std::uint32_t s, std::uint32_t l, std::uint32_t after) {
    builder_.at(sets_[s], "gradients");
    const auto kind = spec_.zero == 0 ? message::Kind::all_reduce : message::Kind::reduce_scatter;
    reduced_.resize(spec_.pp, std::vector<std::uint32_t>(layers_, kNone));
    reduced_[s][l] = among_replicas(s, kind, "gradients", {after});
    builder_.at(sets_[s]);
  }
  std::uint32_t gather(std::uint32_t s, const std::string& which, Builder::After after = {}) {
    builder_.at(sets_[s], "weights");
    return among_replicas(s, message::Kind::all_gather, which + "weights", std::move(after));
  }
  // Of a layer's weights, and of its experts among the replicas that have the same. Gives the last one.
  std::uint32_t among_replicas(std::uint32_t s, message::Kind kind, const std::string& name,
                               Builder::After after) {
    Call call;
    call.kind = kind;
    call.bytes = static_cast<std::uint64_t>(layer_[s].weight_bytes());
    const std::uint32_t last = builder_.collective(name, call, data_[s], after);
    if (spec_.dp == spec_.ep || layer_[s].expert_bytes() == 0) return last;
    call.bytes = static_cast<std::uint64_t>(layer_[s].expert_bytes());
    return builder_.collective(name + " of experts", call, expert_data_[s], std::move(after));
  }

  // Every GPU to that with its place in the next stage. Neighbouring pairs of stages have streams of their own.
  void send(std::uint32_t s, const Turn& turn, std::uint32_t after) {
    const std::uint32_t to = turn.backward ? s - 1 : s + 1;
    Grouping pairs;
    GpuSet both = sets_[std::min(s, to)];
    both.insert(both.end(), sets_[std::max(s, to)].begin(), sets_[std::max(s, to)].end());
    for (std::size_t i = 0; i < sets_[s].size(); ++i) pairs.push_back({sets_[s][i], sets_[to][i]});
    builder_.at(both, fmt::format("{} {}", turn.backward ? "send back" : "send on", std::min(s, to) % 2));
    Call call;
    call.kind = message::Kind::send_receive;
    call.bytes = static_cast<std::uint64_t>(layer_[s].activation_bytes());
    arrived_[turn.backward][to][turn.batch] =
        builder_.collective(turn.backward ? "send back" : "send on", call, pairs, {after});
  }

  void update(std::uint32_t s) {
    for (std::uint32_t l = 0; l < layers_; ++l) {
      Builder::After after;
      if (spec_.dp > 1) after.push_back(reduced_[s][l]);
      builder_.at(sets_[s]);
      const double all = spec_.zero >= 1 ? spec_.dp : 1, experts = spec_.zero >= 1 ? spec_.dp / spec_.ep : 1;
      const std::uint32_t done = layer_[s].optimizer(1 / all, 1 / experts, std::move(after));
      if (spec_.dp > 1 && (spec_.zero == 1 || spec_.zero == 2)) gather(s, "new ", {done});
    }
  }

  Builder& builder_;
  const TransformerSpec& spec_;
  std::uint32_t layers_;  // of a stage
  std::vector<GpuSet> sets_;
  std::vector<Grouping> tensor_, data_, exchange_, expert_data_;
  std::vector<std::vector<Turn>> turns_;
  std::vector<Layer> layer_;
  std::vector<std::vector<std::uint32_t>> arrived_[2];  // by direction, stage, batch: what brings it
  std::vector<std::vector<std::uint32_t>> reduced_;     // by stage, layer: the last reduction
};

}  // namespace

void add_transformer(Builder& builder, const TransformerSpec& spec) { Step(builder, spec).add(); }

Footprint transformer_footprint(const TransformerSpec& spec) {
  const Sizes sizes = sizes_of(spec);
  const double output = spec.vocabulary ? real(*spec.vocabulary) * sizes.hidden : 0;
  const double parameters = (sizes.parameters() * sizes.blocks / spec.pp + output) / spec.tp;
  const double experts = sizes.expert_parameters() * sizes.blocks / spec.pp / spec.tp / spec.ep;
  // Of each GPU, of what replicas share from a stage of ZeRO on.
  const auto held = [&](std::uint32_t from) {
    return spec.zero >= from ? parameters / spec.dp + experts * spec.ep / spec.dp : parameters + experts;
  };
  const double tokens = real(spec.sequence) * spec.micro_batch, whole = tokens * sizes.hidden;
  Footprint f;
  f.weights = 2 * held(3);
  if (spec.phase == Phase::prompt) {
    f.activations = 4 * 2 * whole;
    return f;
  }
  f.gradients = 2 * held(2);
  f.optimizer = 12 * held(1);
  const double scores = spec.attention == Attention::unfused
                            ? 5 * sizes.heads * real(spec.sequence) / sizes.hidden / spec.tp
                            : 0;
  const double inside = 8 + 16 * std::max(sizes.chosen, 1.0);  // attention, and an MLP or several experts
  const double of_layer = whole * (10 + inside / spec.tp + scores);
  f.activations = of_layer * sizes.blocks / spec.pp * std::min(spec.pp, spec.micro_batches);
  return f;
}

}  // namespace t3sim::model
