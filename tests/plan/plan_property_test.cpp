// Random plans: check_plan() must accept exactly those that, played through with real counters in many random
// orders of events, always end, always with the same sums, and never lose anything.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "plan/plan_check.h"
#include "plan/plan_graph.h"
#include "plan_text.h"

namespace t3sim {
namespace {

using Random = std::mt19937;
using Values = std::vector<unsigned>;  // by GPU, then stale data

unsigned below(Random& random, std::size_t end) { return static_cast<unsigned>(random() % end); }
bool one_in(Random& random, unsigned times) { return random() % times == 0; }

// Plans of a chunk or two with transfers at random, most of them along some order of the GPUs, most with
// the same operation throughout: so that a good part is right.
class RandomPlan {
 public:
  explicit RandomPlan(Random& random) : random_(random) {}

  CollectivePlan make() {
    plan_.name = "random";
    gpus_ = 2 + below(random_, 3);
    plan_.chunks = 1 + one_in(random_, 3);
    plan_.arrays = 1 + one_in(random_, 3);
    for (std::uint32_t g = 0; g < gpus_; ++g) {
      plan_.gpus.emplace_back().chunks.resize(std::size_t{plan_.arrays} * plan_.chunks);
      along_.push_back(g);
    }
    const bool kernel = !one_in(random_, 4);
    for (std::uint32_t c = 0; c < plan_.chunks; ++c) {
      std::ranges::shuffle(along_, random_);
      usual_ = one_in(random_, 4) ? Op::write : Op::update;
      for (std::uint32_t i = 0; i < gpus_; ++i)
        for (std::uint32_t a = 0; a < plan_.arrays; ++a) fill(i, a, c, kernel);
    }
    count_arrivals(plan_);
    if (one_in(random_, 8)) miscount();
    return std::move(plan_);
  }

 private:
  void fill(std::uint32_t i, std::uint32_t a, std::uint32_t c, bool kernel) {
    const std::uint32_t g = along_[i];
    ChunkPlan& chunk = plan_.at(g, a, c);
    const unsigned part = below(random_, 4);
    if (a == 0 && kernel && part != 0) {
      chunk.producer = part == 1 ? ChunkPlan::Producer::remote : ChunkPlan::Producer::local;
      chunk.op = op();
      if (part == 1) chunk.remote = transfer(i);
      plan_.gpus[g].order.push_back(c);
    } else {
      chunk.present = a == 0 && one_in(random_, kernel ? 4 : 2);
    }
    for (unsigned transfers = below(random_, 3); transfers > 0; --transfers)
      if (i + 1 < gpus_ || one_in(random_, 4)) chunk.dma.push_back(transfer(i));
  }
  Op op() { return one_in(random_, 16) ? (one_in(random_, 2) ? Op::write : Op::update) : usual_; }
  Transfer transfer(std::uint32_t i) {
    const bool onwards = i + 1 < gpus_ && !one_in(random_, 12);
    std::uint32_t to = onwards ? i + 1 + below(random_, gpus_ - i - 1) : below(random_, gpus_ - 1);
    if (!onwards && to >= i) ++to;
    return {static_cast<std::uint16_t>(along_[to]), static_cast<std::uint8_t>(below(random_, plan_.arrays)),
            op()};
  }
  void miscount() {
    ChunkPlan& chunk = plan_.gpus[below(random_, gpus_)].chunks[0];
    std::uint16_t& count = one_in(random_, 2) ? chunk.stores_in : chunk.dma_in;
    if (count > 0 && one_in(random_, 2))
      --count;
    else
      ++count;
  }

  Random& random_;
  CollectivePlan plan_;
  std::uint32_t gpus_ = 0;
  std::vector<std::uint32_t> along_;
  Op usual_ = Op::update;
};

// Everything that can happen next lies in a pool; what happens is drawn from it.
class Played {
 public:
  Played(const CollectivePlan& plan, Random& random)
      : plan_(plan), graph_(plan), memory_(graph_.cells()), arrived_(graph_.cells()), random_(random) {
    for (std::uint32_t i = 0; i < graph_.cells(); ++i) begin(i);
    while (!pool_.empty()) take();
    for (std::uint32_t i = 0; i < graph_.cells(); ++i) {
      const ChunkPlan& chunk = chunk_of(i);
      if (arrived_[i] != chunk.updates(1)) wrong = true;  // waits, or had too many
      if (!chunk.dma.empty() && !chunk.present && chunk.updates(1) == 0) wrong = true;  // never begins
      if (arrived_[i] > 0 && memory_[i].back() > 0) wrong = true;  // stale data in the sum
    }
  }

  bool wrong = false;
  const Values& at(std::uint32_t cell) const { return memory_[cell]; }
  const std::vector<Values>& memory() const { return memory_; }

 private:
  struct Event {
    std::uint32_t from;
    Transfer to;
    std::optional<Values> values;  // none yet: DMA has to read them
  };

  std::uint32_t gpus() const { return static_cast<std::uint32_t>(plan_.gpus.size()); }
  const ChunkPlan& chunk_of(std::uint32_t index) const {
    const Cell cell = graph_.cell(index);
    return plan_.at(cell.gpu, cell.array, cell.chunk);
  }
  Values only(std::uint32_t gpu) const {
    Values values(gpus() + 1);
    values[gpu] = 1;
    return values;
  }

  void begin(std::uint32_t index) {
    const Cell cell = graph_.cell(index);
    const ChunkPlan& chunk = chunk_of(index);
    const bool kernel = std::ranges::any_of(plan_.gpus, [](const GpuPlan& g) {
      return std::ranges::any_of(g.chunks,
                                 [](const auto& c) { return c.producer != ChunkPlan::Producer::none; });
    });
    const bool stale = cell.array == 0 && !kernel && !chunk.present;
    memory_[index] = chunk.present ? only(cell.gpu) : stale ? only(gpus()) : Values(gpus() + 1);
    if (chunk.producer == ChunkPlan::Producer::local)
      pool_.push_back(
          {index,
           {static_cast<std::uint16_t>(cell.gpu), static_cast<std::uint8_t>(cell.array), chunk.op},
           only(cell.gpu)});
    if (chunk.producer == ChunkPlan::Producer::remote) pool_.push_back({index, chunk.remote, only(cell.gpu)});
    if (chunk.present && chunk.updates(1) == 0) complete(index);
  }
  void complete(std::uint32_t index) {
    for (const Transfer& t : chunk_of(index).dma) pool_.push_back({index, t, std::nullopt});
  }
  void take() {
    std::swap(pool_[below(random_, pool_.size())], pool_.back());
    Event& event = pool_.back();
    if (!event.values) {
      event.values = memory_[event.from];
      return;
    }
    const Event arrives = event;
    pool_.pop_back();
    write(graph_.index({arrives.to.gpu, arrives.to.array, graph_.cell(arrives.from).chunk}), arrives);
  }
  void write(std::uint32_t index, const Event& event) {
    Values& here = memory_[index];
    if (event.to.op == Op::write) {
      if (arrived_[index] > 0 || chunk_of(index).present) wrong = true;  // something is lost
      here.assign(here.size(), 0);
    }
    for (std::size_t i = 0; i < here.size(); ++i) here[i] += (*event.values)[i];
    if (++arrived_[index] == chunk_of(index).updates(1)) complete(index);
  }

  const CollectivePlan& plan_;
  PlanGraph graph_;
  std::vector<Values> memory_;
  std::vector<unsigned> arrived_;
  std::vector<Event> pool_;
  Random& random_;
};

// Is the plan right in every one of many orders?
bool always_right(const CollectivePlan& plan, const PlanOutcome* outcome, Random& random) {
  std::optional<std::vector<Values>> first;
  for (int order = 0; order < 100; ++order) {
    const Played played(plan, random);
    if (played.wrong) return false;
    if (!first) first = played.memory();
    if (played.memory() != *first) return false;
  }
  for (std::size_t cell = 0; outcome && cell < outcome->held.size(); ++cell) {
    if (outcome->held[cell].empty()) continue;
    Values sum(plan.gpus.size() + 1);
    for (const Contribution& c : outcome->held[cell]) sum[c.gpu] = c.times;
    EXPECT_EQ((*first)[cell], sum);
  }
  return true;
}

TEST(RandomPlans, AreAcceptedExactlyIfEveryOrderOfEventsIsRight) {
  Random random(5);
  std::map<std::string, unsigned> seen{{"a cycle of waiting", 0},
                                       {"two writers store", 0},
                                       {"depends on who is first", 0},
                                       {"would never start", 0},
                                       {"would add to stale data", 0},
                                       {"would overwrite it", 0},
                                       {"will come: it would be", 0},
                                       {"waits for", 0},
                                       {"(accepted)", 0}};
  for (int i = 0; i < 4000; ++i) {
    const CollectivePlan plan = RandomPlan(random).make();
    PlanOutcome outcome;
    const std::string answer = refusal_of([&] { outcome = check_plan(plan); });
    const bool accepted = answer == "(accepted)";
    ASSERT_EQ(accepted, always_right(plan, accepted ? &outcome : nullptr, random))
        << i << ": " << answer << "\n";
    for (auto& [reason, times] : seen) times += answer.find(reason) != answer.npos;
  }
  for (const auto& [reason, times] : seen) EXPECT_GT(times, 25U) << reason;
}

}  // namespace
}  // namespace t3sim
