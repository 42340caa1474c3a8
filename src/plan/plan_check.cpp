#include "plan/plan_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/number.h"
#include "plan/plan_graph.h"
#include "plan/plan_result.h"

namespace t3sim {
namespace {

using Producer = ChunkPlan::Producer;

std::string name_of(const Writer& writer) {
  switch (writer.by) {
    case Writer::By::own_stores:
      return "its own kernel's stores";
    case Writer::By::remote_stores:
      return fmt::format("stores of GPU {}", writer.gpu);
    case Writer::By::dma:
      return fmt::format("DMA of GPU {}", writer.gpu);
  }
  return "";
}

class Checker {
 public:
  Checker(const CollectivePlan& plan, std::string_view blame) : plan_(plan), blame_(blame) {}

  PlanOutcome run() {
    check_sizes();
    for_each_cell([&](const Cell& cell, const ChunkPlan& chunk) { check_chunk(cell, chunk); });
    for (std::uint32_t gpu = 0; gpu < gpus(); ++gpu) check_order(gpu);
    const PlanGraph graph(plan_);
    for_each_cell([&](const Cell& cell, const ChunkPlan& chunk) {
      check_counts(cell, chunk, graph.writers(cell));
      check_writers(cell, chunk, graph.writers(cell));
      check_completes(cell, chunk);
    });
    if (graph.order().size() < graph.cells()) refuse_cycle(graph);
    PlanOutcome outcome = execute(plan_, graph);
    check_result(plan_, outcome, blame_);
    return outcome;
  }

 private:
  std::uint32_t gpus() const { return narrow<std::uint32_t>(plan_.gpus.size()); }

  template <class F>
  void for_each_cell(F&& f) const {
    for (std::uint32_t gpu = 0; gpu < gpus(); ++gpu)
      for (std::uint32_t array = 0; array < plan_.arrays; ++array)
        for (std::uint32_t chunk = 0; chunk < plan_.chunks; ++chunk)
          f(Cell{gpu, array, chunk}, plan_.at(gpu, array, chunk));
  }

  [[noreturn]] void refuse(const Cell& cell, std::string_view reason) const {
    const std::string array = plan_.arrays > 1 ? fmt::format("array {}, ", cell.array) : "";
    throw InputError(fmt::format("{}: GPU {}, {}chunk {}: {}", blame_, cell.gpu, array, cell.chunk, reason));
  }

  void check_sizes() const {
    if (plan_.gpus.empty() || plan_.chunks == 0 || plan_.arrays == 0)
      throw InputError(fmt::format("{}: needs at least a GPU, an array and a chunk", blame_));
    for (std::uint32_t gpu = 0; gpu < gpus(); ++gpu)
      if (plan_.gpus[gpu].chunks.size() != std::size_t{plan_.arrays} * plan_.chunks)
        throw InputError(fmt::format("{}: GPU {}: {} chunks are described, expected {} in each of {} arrays",
                                     blame_, gpu, plan_.gpus[gpu].chunks.size(), plan_.chunks, plan_.arrays));
  }

  void check_chunk(const Cell& cell, const ChunkPlan& chunk) const {
    if (chunk.producer != Producer::none && cell.array != 0)
      refuse(cell, "kernels produce chunks of array 0 only");
    if (chunk.present && cell.array != 0) refuse(cell, "only chunks of array 0 can be present");
    if (chunk.producer == Producer::local && chunk.op == Op::read)
      refuse(cell, "stores cannot read; allowed: store, update");
    if (chunk.producer == Producer::remote) check_transfer(cell, chunk.remote, "remote_map");
    for (const Transfer& t : chunk.dma) check_transfer(cell, t, "dma_map");
    if (chunk.present && chunk.producer != Producer::none)
      refuse(cell, "is present, and the kernel produces it as well: its memory holds stale data");
  }
  void check_transfer(const Cell& cell, const Transfer& t, std::string_view what) const {
    if (t.gpu >= gpus()) refuse(cell, fmt::format("{} to GPU {}; allowed: 0 to {}", what, t.gpu, gpus() - 1));
    if (t.array >= plan_.arrays)
      refuse(cell, fmt::format("{} to array {}; allowed: 0 to {}", what, t.array, plan_.arrays - 1));
    if (t.gpu == cell.gpu) refuse(cell, fmt::format("{} to the GPU itself", what));
    if (t.op == Op::read) refuse(cell, fmt::format("{} cannot read; allowed: store, update", what));
  }

  void check_order(std::uint32_t gpu) const {
    std::vector<bool> listed(plan_.chunks);
    for (const std::uint32_t chunk : plan_.gpus[gpu].order) {
      const Cell cell{gpu, 0, chunk};
      if (chunk >= plan_.chunks)
        refuse(cell, fmt::format("is in the order; allowed: 0 to {}", plan_.chunks - 1));
      if (listed[chunk]) refuse(cell, "is twice in the order");
      listed[chunk] = true;
      const ChunkPlan& own = plan_.at(gpu, 0, chunk);
      if (own.producer == Producer::none && !own.present)
        refuse(cell, "is in the order, but no rule says where its stores go, nor that it is present");
    }
    for (std::uint32_t chunk = 0; chunk < plan_.chunks; ++chunk)
      if (plan_.at(gpu, 0, chunk).producer != Producer::none && !listed[chunk])
        refuse({gpu, 0, chunk}, "a rule says where its stores go, but it is not in the order");
  }

  // A plan made in C++ may have forgotten count_arrivals(), or lie.
  void check_counts(const Cell& cell, const ChunkPlan& chunk, const std::vector<Writer>& writers) const {
    const auto count = [&](Writer::By by) { return std::ranges::count(writers, by, &Writer::by); };
    const auto compare = [&](std::uint32_t expected, std::int64_t coming, std::string_view what) {
      if (expected > coming)
        refuse(cell,
               fmt::format("waits for {} {} an element, but only {} will come", expected, what, coming));
      if (expected < coming)
        refuse(cell,
               fmt::format("is complete after {} {} an element, but {} will come: it would be forwarded "
                           "before it has changed for the last time",
                           expected, what, coming));
    };
    compare(chunk.stores_in, count(Writer::By::remote_stores), "remote stores");
    compare(chunk.dma_in, count(Writer::By::dma), "DMA updates");
  }

  // The result must not depend on who comes first: one store alone, or updates that add up.
  void check_writers(const Cell& cell, const ChunkPlan& chunk, const std::vector<Writer>& writers) const {
    const auto store = std::ranges::find(writers, Op::write, &Writer::op);
    if (store == writers.end()) {
      if (!writers.empty() && !chunk.present && cell.array == 0 && !zeroed())
        refuse(cell,
               fmt::format("{} would add to stale data: the chunk is not present, and no kernel of this "
                           "plan begins with a zeroed output",
                           name_of(writers[0])));
      return;
    }
    if (chunk.present) refuse(cell, fmt::format("is present, but {} would overwrite it", name_of(*store)));
    for (auto other = writers.begin(); other != writers.end(); ++other) {
      if (other == store) continue;
      if (other->op == Op::write)
        refuse(cell, fmt::format("two writers store to it: {} and {}", name_of(*store), name_of(*other)));
      refuse(cell, fmt::format("{} store to it and {} update it: the result depends on who is first",
                               name_of(*store), name_of(*other)));
    }
  }
  bool zeroed() const {
    return std::ranges::any_of(plan_.gpus, [](const GpuPlan& gpu) {
      return std::ranges::any_of(gpu.chunks,
                                 [](const ChunkPlan& chunk) { return chunk.producer != Producer::none; });
    });
  }

  void check_completes(const Cell& cell, const ChunkPlan& chunk) const {
    if (!chunk.dma.empty() && !chunk.present && chunk.updates(1) == 0)
      refuse(cell, fmt::format("dma_map to GPU {} would never start: nobody writes the chunk, and it is not "
                               "present",
                               chunk.dma[0].gpu));
  }

  // Some cell is missing in the graph's order: from it, back along DMA, until a cell comes again.
  [[noreturn]] void refuse_cycle(const PlanGraph& graph) const {
    std::vector<bool> sorted(graph.cells());
    for (const std::uint32_t index : graph.order()) sorted[index] = true;
    const auto first = std::ranges::find(sorted, false) - sorted.begin();
    std::vector<Cell> path{graph.cell(narrow<std::uint32_t>(first))};
    auto again = path.end();
    do {
      const Cell waiting = path.back();
      for (const Writer& w : graph.writers(waiting))
        if (w.by == Writer::By::dma && !sorted[graph.index(graph.source(w, waiting))]) {
          path.push_back(graph.source(w, waiting));
          break;
        }
      again = std::find(path.begin(), path.end() - 1, path.back());
    } while (again == path.end() - 1);
    std::string text = fmt::format("a cycle of waiting: GPU {}", again->gpu);
    for (auto cell = again + 1; cell != path.end(); ++cell)
      text += fmt::format("{} waits for the DMA of GPU {}", cell == again + 1 ? "" : ", which", cell->gpu);
    refuse(*again, text);
  }

  const CollectivePlan& plan_;
  std::string_view blame_;
};

}  // namespace

PlanOutcome check_plan(const CollectivePlan& plan, std::string_view blame) {
  return Checker(plan, blame).run();
}

}  // namespace t3sim
