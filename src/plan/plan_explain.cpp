// Plans as text: what --explain prints.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/number.h"
#include "plan/plan.h"
#include "plan/plan_graph.h"

namespace t3sim {
namespace {

using Producer = ChunkPlan::Producer;
using Lines = std::vector<std::string>;

constexpr std::uint32_t kMostColumns = 8;

const char* sign(Op op) { return op == Op::update ? "+=" : "="; }
const char* name_of(Op op) { return op == Op::update ? "update" : "store"; }

// "GPU 1-3, 5"
std::string gpu_list(std::vector<std::uint32_t> gpus) {
  std::ranges::sort(gpus);
  std::string text = "GPU ";
  for (std::size_t i = 0, end = 0; i < gpus.size(); i = end) {
    for (end = i + 1; end < gpus.size() && gpus[end] == gpus[end - 1] + 1; ++end) {
    }
    text += fmt::format("{}{}", i == 0 ? "" : ", ", gpus[i]);
    if (end - i > 1) text += fmt::format("{}{}", end - i > 2 ? "-" : ", ", gpus[end - 1]);
  }
  return text;
}

// One table: a row a step, a column a GPU, as in Figure 7.
class StepTable {
 public:
  StepTable(const CollectivePlan& plan, std::uint32_t columns)
      : plan_(plan), graph_(plan), columns_(columns), steps_(graph_.cells()) {
    for (const GpuPlan& gpu : plan.gpus) {
      std::vector<std::uint32_t>& places = places_.emplace_back(plan.chunks, 0);
      for (std::uint32_t i = 0; i < gpu.order.size(); ++i) places[gpu.order[i]] = i;
    }
    for (const std::uint32_t index : graph_.order()) place(graph_.cell(index));
  }

  std::string text() const {
    std::vector<std::size_t> widths;
    for (std::uint32_t gpu = 0; gpu < columns_; ++gpu) widths.push_back(width(gpu));
    std::string text = row(
        "step", [](std::uint32_t gpu) { return fmt::format("GPU {}", gpu); }, widths);
    for (std::uint32_t step = 0; step <= last_; ++step) text += rows(step, widths);
    return text;
  }

 private:
  // A chunk belongs to the step in which the kernel produces it, or a later one if something comes later.
  // What DMA sends comes a step after it was complete.
  void place(const Cell& cell) {
    const ChunkPlan& chunk = plan_.at(cell.gpu, cell.array, cell.chunk);
    const std::uint32_t own = cell.array == 0 ? places_[cell.gpu][cell.chunk] : 0;
    if (chunk.producer == Producer::remote) add(own, cell, remote_lines(cell, chunk));
    std::uint32_t step = own;
    for (const Writer& w : graph_.writers(cell)) step = std::max(step, arrival(w, cell));
    steps_[graph_.index(cell)] = step;
    if (chunk.present || !graph_.writers(cell).empty()) add(step, cell, lines(cell, chunk));
  }
  std::uint32_t arrival(const Writer& w, const Cell& cell) const {
    return w.by == Writer::By::dma ? steps_[graph_.index(graph_.source(w, cell))] + 1
                                   : places_[w.gpu][cell.chunk];
  }
  void add(std::uint32_t step, const Cell& cell, const Lines& lines) {
    if (cell.gpu >= columns_) return;
    last_ = std::max(last_, step);
    Lines& all = cells_[{step, cell.gpu}];
    all.insert(all.end(), lines.begin(), lines.end());
  }

  static std::string title(const Cell& cell) {
    return cell.array == 0 ? fmt::format("chunk {}", cell.chunk)
                           : fmt::format("chunk {}, array {}", cell.chunk, cell.array);
  }
  static Lines remote_lines(const Cell& cell, const ChunkPlan& chunk) {
    const std::string array = chunk.remote.array == 0 ? "" : fmt::format(" array {}", chunk.remote.array);
    return {title(cell), fmt::format(" stores {} GPU {}{}", sign(chunk.remote.op), chunk.remote.gpu, array)};
  }
  Lines lines(const Cell& cell, const ChunkPlan& chunk) const {
    Lines all = {title(cell)};
    if (chunk.present) all.emplace_back(" present");
    if (chunk.producer == Producer::local) all.push_back(fmt::format(" {} own stores", sign(chunk.op)));
    for (const auto& [by, what] : {std::pair(Writer::By::remote_stores, "stores"), {Writer::By::dma, "DMA"}})
      for (const Op op : {Op::write, Op::update}) {
        std::vector<std::uint32_t> from;
        for (const Writer& w : graph_.writers(cell))
          if (w.by == by && w.op == op) from.push_back(w.gpu);
        if (!from.empty()) all.push_back(fmt::format(" {} {} of {}", sign(op), what, gpu_list(from)));
      }
    for (const auto& [where, to] : targets(chunk))
      all.push_back(fmt::format(" DMA {} {}{}", sign(where.first), gpu_list(to),
                                where.second == 0 ? "" : fmt::format(" array {}", where.second)));
    if (chunk.dma.empty()) all.emplace_back(" kept");
    return all;
  }
  static std::map<std::pair<Op, unsigned>, std::vector<std::uint32_t>> targets(const ChunkPlan& chunk) {
    std::map<std::pair<Op, unsigned>, std::vector<std::uint32_t>> all;
    for (const Transfer& t : chunk.dma) all[{t.op, t.array}].push_back(t.gpu);
    return all;
  }

  std::size_t width(std::uint32_t gpu) const {
    std::size_t widest = 6;
    for (const auto& [place, lines] : cells_)
      if (place.second == gpu)
        for (const std::string& line : lines) widest = std::max(widest, line.size());
    return widest + 2;
  }
  std::string rows(std::uint32_t step, const std::vector<std::size_t>& widths) const {
    std::size_t height = 0;
    for (std::uint32_t gpu = 0; gpu < columns_; ++gpu)
      if (const auto it = cells_.find({step, gpu}); it != cells_.end())
        height = std::max(height, it->second.size());
    std::string text;
    for (std::size_t line = 0; line < height; ++line)
      text += row(
          line == 0 ? std::to_string(step + 1) : "",
          [&](std::uint32_t gpu) {
            const auto it = cells_.find({step, gpu});
            return it == cells_.end() || line >= it->second.size() ? std::string() : it->second[line];
          },
          widths);
    return text;
  }
  template <class F>
  std::string row(const std::string& first, F&& cell_of, const std::vector<std::size_t>& widths) const {
    std::string text = fmt::format("{:<6}", first);
    for (std::uint32_t gpu = 0; gpu < columns_; ++gpu)
      text += fmt::format("{:<{}}", cell_of(gpu), widths[gpu]);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  }

  const CollectivePlan& plan_;
  PlanGraph graph_;
  std::uint32_t columns_;
  std::uint32_t last_ = 0;
  std::vector<std::uint32_t> steps_;                                // by cell: in which it is complete
  std::vector<std::vector<std::uint32_t>> places_;                  // by GPU and chunk: place in the order
  std::map<std::pair<std::uint32_t, std::uint32_t>, Lines> cells_;  // by step and GPU
};

// "after 1 local + 1 remote"
std::string trigger(const ChunkPlan& chunk) {
  const unsigned local = chunk.producer == Producer::local;
  const unsigned remote = chunk.stores_in + chunk.dma_in;
  if (local + remote == 0) return "at once";
  return fmt::format("after {} local + {} remote", local, remote);
}

std::string configuration(const CollectivePlan& plan, std::uint32_t gpu, std::uint32_t array,
                          std::uint32_t c) {
  const ChunkPlan& chunk = plan.at(gpu, array, c);
  const auto place = [&](unsigned a) {
    return a == 0 ? fmt::format("output[{}]", c) : fmt::format("array{}[{}]", a, c);
  };
  const std::string here = place(array);
  std::string text;
  if (chunk.present) text += fmt::format("  present({})\n", here);
  if (chunk.producer == Producer::local)
    text += fmt::format("  local_map({}, {})\n", here, name_of(chunk.op));
  if (chunk.producer == Producer::remote)
    text += fmt::format("  remote_map({}, GPU {} {}, {})\n", here, chunk.remote.gpu,
                        place(chunk.remote.array), name_of(chunk.remote.op));
  const std::string block =
      plan.tiles_per_block == 0 ? "" : fmt::format(", {} tiles a block", plan.tiles_per_block);
  for (const Transfer& t : chunk.dma)
    text += fmt::format("  dma_map({}, GPU {} {}, {}, {}{})\n", here, t.gpu, place(t.array), name_of(t.op),
                        trigger(chunk), block);
  if (chunk.dma.empty() && chunk.updates(1) != 0)
    text += fmt::format("  keep({}, {})\n", here, trigger(chunk));
  return text;
}

}  // namespace

std::string describe_gpu(const CollectivePlan& plan, std::uint32_t gpu) {
  const std::vector<std::uint32_t>& order = plan.gpus[gpu].order;
  std::string text = fmt::format("GPU {}:\n", gpu);
  if (!order.empty()) text += fmt::format("  order({})\n", fmt::join(order, ", "));
  for (const std::uint32_t c : order) text += configuration(plan, gpu, 0, c);
  for (std::uint32_t array = 0; array < plan.arrays; ++array)
    for (std::uint32_t c = 0; c < plan.chunks; ++c)
      if (array > 0 || std::ranges::find(order, c) == order.end()) text += configuration(plan, gpu, array, c);
  return text;
}

std::string describe(const CollectivePlan& plan) {
  const auto gpus = narrow<std::uint32_t>(plan.gpus.size());
  const bool alike = rotation_invariant(plan);
  const std::uint32_t shown = gpus <= kMostColumns ? gpus : alike ? 1 : kMostColumns;
  std::string text = fmt::format("{}, {} GPUs, {} chunks", plan.name, gpus, plan.chunks);
  if (plan.arrays > 1) text += fmt::format(", {} arrays", plan.arrays);
  text += "; += updates, = stores; DMA starts when all that is above it has come\n\n";
  text += StepTable(plan, shown).text();
  if (shown == 1)
    text += fmt::format(
        "GPU r does with chunk c + r what GPU 0 does with chunk c{}, and sends to GPU g + r where "
        "GPU 0 sends to GPU g (modulo {}).\n",
        plan.chunks == gpus ? "" : fmt::format(", in each group of {} chunks", gpus), gpus);
  else if (shown < gpus)
    text += fmt::format("GPUs {} to {} are not shown.\n", shown, gpus - 1);
  text += "\nOutput address space configuration:\n";
  for (std::uint32_t gpu = 0; gpu < shown; ++gpu) text += describe_gpu(plan, gpu);
  return text;
}

}  // namespace t3sim
