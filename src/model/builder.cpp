#include "model/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/number.h"
#include "run/check_config.h"

namespace t3sim::model {
namespace {

constexpr double kPsPerUs = 1e6, kPsPerSecond = 1e12, kMostSeconds = 1e6;

// Throws InputError beyond a million seconds, far below where picoseconds end.
Picoseconds from_us(double us) {
  if (us * kPsPerUs > kMostSeconds * kPsPerSecond)
    throw InputError(fmt::format("takes {:.3g} s; at most {:.0f} s", us / 1e6, kMostSeconds));
  return static_cast<Picoseconds>(std::llround(us * kPsPerUs));
}

double flops_of(const Product& p) { return 2.0 * p.shape[0] * p.shape[1] * p.shape[2] * p.count; }

// Of both operands and the result.
std::uint64_t bytes_of(const Product& p) {
  const auto [m, n, k] = p.shape;
  return std::uint64_t{p.count} * static_cast<std::uint64_t>(kElement) *
         (std::uint64_t{m} * k + std::uint64_t{n} * k + std::uint64_t{m} * n);
}

std::string text_of(const Product& p) {
  const std::string shape = fmt::format("gemm {}x{}x{}", p.shape[0], p.shape[1], p.shape[2]);
  return p.count == 1 ? shape : fmt::format("{} x {}", p.count, shape);
}

}  // namespace

void Builder::at(const GpuSet& gpus, const std::string& stream) {
  set_ = graph_.set(gpus);
  stream_ = graph_.stream(stream);
}

std::uint32_t Builder::add(Operation o, After after) {
  o.set = set_;
  o.stream = stream_;
  o.after = std::move(after);
  return graph_.add(std::move(o));
}

std::uint32_t Builder::given(const std::string& name, Picoseconds time, After after) {
  Operation o;
  o.name = name;
  o.kind = "given";
  o.source = "given";
  o.time = time;
  return add(std::move(o), std::move(after));
}

std::uint32_t Builder::given_us(const std::string& name, double us, After after) {
  return given(name, from_us(us), std::move(after));
}

std::uint32_t Builder::product(const std::string& name, const Product& product, After after) {
  Operation o;
  o.name = name;
  o.kind = text_of(product);
  o.flops = flops_of(product);
  o.bytes = bytes_of(product);
  const bool runs = products_ == Products::cycle && product.count == 1;
  const auto [m, n, k] = product.shape;
  o.source = runs ? "cycle level" : "estimate";
  if (!runs) o.time = from_us(rates().gemm_us(m, n, k, product.count));
  const std::uint32_t number = add(std::move(o), std::move(after));
  if (runs) pending_.push_back({number, point(product, 2, shipped::kernel), shipped::kernel});
  return number;
}

std::uint32_t Builder::pass(const std::string& name, double bytes, After after) {
  Operation o;
  o.name = name;
  o.kind = "pass";
  o.source = "estimate";
  o.bytes = static_cast<std::uint64_t>(bytes);
  o.time = from_us(rates().pass_us(bytes));
  return add(std::move(o), std::move(after));
}

std::uint32_t Builder::work(const std::string& name, double flops, double bytes, After after) {
  Operation o;
  o.name = name;
  o.kind = "work";
  o.source = "estimate";
  o.flops = flops;
  o.bytes = static_cast<std::uint64_t>(bytes);
  o.time = from_us(rates().work_us(flops, bytes));
  return add(std::move(o), std::move(after));
}

std::uint32_t Builder::collective(const std::string& name, Call call, const Grouping& groups, After after) {
  Operation o;
  o.name = name;
  o.kind = fmt::format("{} of {}{}", to_string(call.kind), groups.front().size(),
                       call.backend.empty() ? "" : " by " + call.backend);
  call.grouping = graph_.grouping(groups);
  o.bytes = call.bytes;
  o.call = call;
  return add(std::move(o), std::move(after));
}

std::uint32_t Builder::coder_kernel(const std::string& name, std::uint64_t bytes, std::uint32_t ratio,
                                    std::uint64_t Bps, After after) {
  Operation o;
  o.name = name;
  o.kind = fmt::format("coder, {} to one", ratio);
  o.source = "the coder's rate";
  o.bytes = bytes + bytes / ratio;
  o.time = from_us(real(bytes) / real(Bps) * 1e6);
  return add(std::move(o), std::move(after));
}

std::uint32_t Builder::compressed(const std::string& name, Call call, const Grouping& groups,
                                  const Coder& coder, After after) {
  using enum message::Kind;
  if (call.kind == all_reduce || call.kind == reduce_scatter)
    throw InputError(
        fmt::format("{} adds up what comes, and what is encoded cannot be added", to_string(call.kind)));
  const std::uint64_t gpus = groups.front().size(), whole = call.bytes, block = whole / gpus;
  const bool joins = call.kind == all_gather || call.kind == gather;
  const std::uint32_t encoded =
      coder_kernel(name + " encoded", joins ? block : whole, coder.ratio, coder.encode_Bps, std::move(after));
  call.bytes = (whole + coder.ratio * gpus - 1) / (coder.ratio * gpus) * gpus;
  const std::uint32_t sent = collective(name + " sent", call, groups, {encoded});
  return coder_kernel(name, call.kind == scatter ? block : whole, coder.ratio, coder.decode_Bps, {sent});
}

std::uint32_t Builder::sub_layer(const std::string& name, const Product& product, std::uint32_t gpus,
                                 const std::string& scheme, After after) {
  Operation o;
  o.name = name;
  o.kind = fmt::format("{} and all-reduce of {}", text_of(product), gpus);
  o.source = "cycle level, " + scheme;
  o.flops = flops_of(product);
  o.bytes = bytes_of(product);
  const std::uint32_t number = add(std::move(o), std::move(after));
  pending_.push_back({number, point(product, gpus, scheme), scheme});
  return number;
}

const Rates& Builder::rates() {
  if (!rates_ && (machine_.gpu.cus == 0 || machine_.gpu.matrix_flops_per_cycle == 0))
    throw InputError("this machine says nothing of its GPUs: operations need a given time");
  return rates_ ? *rates_ : rates_.emplace(machine_);
}

PointId Builder::point(const Product& product, std::uint32_t gpus, const std::string& scheme) {
  const auto [at, fresh] = known_.try_emplace({product.shape, product.layout, gpus, scheme}, PointId{0});
  if (!fresh) return at->second;
  Config config = machine_;
  config.workload.name = fmt::format("{}{}", text_of(product), gpus > 1 ? fmt::format(" on {}", gpus) : "");
  config.workload.m = product.shape[0];
  config.workload.n = product.shape[1];
  config.workload.k = product.shape[2];
  config.workload.layout = product.layout;
  config.gpus.count = gpus;
  config.gpus.choice = config.gpus.model = GpuModel::mirror;
  config.schemes = {scheme};
  if (scheme == shipped::kernel) config.topology.kind = TopologyKind::switched;  // it has no use of links
  config.message = {};
  check_config(config, config::Sources(config.workload.name));
  return at->second = points_.add(config);
}

void Builder::find_times(const PointOptions& options) {
  if (points_.size() != 0) points_.run(options);
  for (const Pending& p : pending_)
    graph_.operations[p.operation].time = from_us(points_[p.point].time_us(p.scheme));
  costs_ = std::make_unique<CollectiveCosts>(machine_);
  backend_costs_ = std::make_unique<BackendCosts>(machine_);
  shares_.assign(graph_.operations.size(), nullptr);
  calls_.assign(graph_.operations.size(), nullptr);
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    Operation& o = graph_.operations[i];
    if (!o.call) continue;
    const CollectiveCost& cost = known(*o.call);
    o.time = cost.time;
    o.source = cost.source;
    shares_[i] = &cost.shares;
    calls_[i] = &cost;
  }
}

const CollectiveCost& Builder::known(const Call& call) {
  const auto found = std::ranges::find(made_, call, [](const auto& made) { return made.first; });
  if (found != made_.end()) return *found->second;
  const Grouping& groups = graph_.groupings[call.grouping];
  const CollectiveCost& cost = call.backend.empty()
                                   ? costs_->of(call, groups)
                                   : backend_costs_->of(backends_.at(call.backend), call, groups);
  const auto size = narrow<std::uint32_t>(groups.front().size());
  const std::uint64_t message = message::message_bytes(call.kind, call.bytes, size);
  return *made_.emplace_back(call, std::make_unique<CollectiveCost>(overhead_.over(cost, message))).second;
}

const CollectiveCost& Builder::of_fused(const Call& call, std::size_t tensors) {
  const CollectiveCost& alone = known(call);
  const Picoseconds copies = graph_.fusion->copies(call.bytes, tensors);
  if (copies == 0) return alone;
  const auto [at, fresh] = copied_.try_emplace(&alone, alone);
  if (fresh) at->second.add(copies);
  return at->second;
}

}  // namespace t3sim::model
