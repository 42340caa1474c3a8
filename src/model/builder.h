// Makes a graph's operations with their times: given, of the machine's rates, of runs at cycle level, of messages.
#pragma once

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/backend_costs.h"
#include "model/call_overhead.h"
#include "model/collective_costs.h"
#include "model/fusion.h"
#include "model/graph.h"
#include "model/points.h"
#include "model/rates.h"
#include "model/spec.h"

namespace t3sim::model {

struct Product {
  std::array<std::uint32_t, 3> shape{};  // M, N, K
  std::uint32_t count = 1;
  GemmLayout layout = GemmLayout::tn;
};

// A fixed rate of compression, and its kernels: bytes a second of what is not compressed.
struct Coder {
  std::uint32_t ratio = 1;
  std::uint64_t encode_Bps = 0, decode_Bps = 0;
};

class Builder : public FusedCosts {
 public:
  // All outlive it. Machines without a GPU have no rates: times must be given there.
  Builder(const Config& machine, Products products) : machine_(machine), products_(products) {}

  // Where the next operations run: all GPUs of a set, in a stream.
  void at(const GpuSet& gpus, const std::string& stream = "main");

  // Each gives its number. `after`: beside what the stream says.
  using After = std::vector<std::uint32_t>;
  std::uint32_t given(const std::string& name, Picoseconds time, After after = {});
  std::uint32_t given_us(const std::string& name, double us, After after = {});
  std::uint32_t product(const std::string& name, const Product& product, After after = {});
  std::uint32_t pass(const std::string& name, double bytes, After after = {});
  std::uint32_t work(const std::string& name, double flops, double bytes, After after = {});
  std::uint32_t collective(const std::string& name, Call call, const Grouping& groups, After after = {});
  // Three operations: encoded, sent, decoded; the number is the last one's. Throws InputError for a kind that adds up.
  std::uint32_t compressed(const std::string& name, Call call, const Grouping& groups, const Coder& coder,
                           After after = {});
  // A product and its all-reduce over so many GPUs, in a scheme.
  std::uint32_t sub_layer(const std::string& name, const Product& product, std::uint32_t gpus,
                          const std::string& scheme, After after = {});

  // By the name that calls have it by.
  void add_backend(const std::string& name, message::Backend backend) {
    backends_.insert_or_assign(name, std::move(backend));
  }

  // Of every call.
  void set_overhead(const CallOverhead& overhead) { overhead_ = overhead; }

  Graph& graph() { return graph_; }
  const Graph& graph() const { return graph_; }
  // Runs what is to be run at cycle level and what the collectives take. Throws what these throw.
  void find_times(const PointOptions& options);
  const std::vector<const LinkShares*>& shares() const { return shares_; }
  // By operation, null for what is no call.
  const std::vector<const CollectiveCost*>& calls() const { return calls_; }
  const CollectiveCosts& costs() const { return *costs_; }
  const CollectiveCost& of_fused(const Call& call, std::size_t tensors) override;

 private:
  struct Pending {
    std::uint32_t operation;
    PointId point;
    std::string scheme;
  };
  std::uint32_t add(Operation operation, After after);
  std::uint32_t coder_kernel(const std::string& name, std::uint64_t bytes, std::uint32_t ratio,
                             std::uint64_t Bps, After after);
  const CollectiveCost& known(const Call& call);
  const Rates& rates();
  PointId point(const Product& product, std::uint32_t gpus, const std::string& scheme);

  const Config& machine_;
  Products products_;
  Graph graph_;
  std::uint32_t set_ = 0, stream_ = 0;
  Points points_;
  std::map<std::tuple<std::array<std::uint32_t, 3>, GemmLayout, std::uint32_t, std::string>, PointId> known_;
  std::vector<Pending> pending_;
  std::optional<Rates> rates_;
  std::map<std::string, message::Backend> backends_;
  std::unique_ptr<CollectiveCosts> costs_;
  std::unique_ptr<BackendCosts> backend_costs_;
  CallOverhead overhead_;
  std::vector<std::pair<Call, std::unique_ptr<CollectiveCost>>> made_;
  std::map<const CollectiveCost*, CollectiveCost> copied_;  // of fused calls
  std::vector<const LinkShares*> shares_;
  std::vector<const CollectiveCost*> calls_;
};

}  // namespace t3sim::model
