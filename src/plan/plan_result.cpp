#include "plan/plan_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/number.h"

namespace t3sim {
namespace {

using Held = std::vector<Contribution>;

void add(Held& sum, const Contribution& more) {
  const auto place = std::ranges::lower_bound(sum, more.gpu, {}, &Contribution::gpu);
  if (place != sum.end() && place->gpu == more.gpu)
    place->times += more.times;
  else
    sum.insert(place, more);
}

bool is_sum_of_all(const Held& held, std::uint32_t gpus) {
  return held.size() == gpus && std::ranges::all_of(held, [](const Contribution& c) { return c.times == 1; });
}

// "holds the value of GPU 1, twice that of GPU 3"
std::string text_of(const Held& held) {
  if (held.empty()) return "holds nothing";
  std::string text = "holds ";
  for (const Contribution& c : held)
    text += fmt::format("{}{}GPU {}'s", &c == held.data() ? "" : " + ",
                        c.times == 1 ? "" : fmt::format("{} x ", c.times), c.gpu);
  return text;
}

class ResultCheck {
 public:
  ResultCheck(const CollectivePlan& plan, const PlanOutcome& outcome, std::string_view blame)
      : plan_(plan), outcome_(outcome), blame_(blame), gpus_(outcome.gpus()) {}

  void reduce_scatter() const {
    for (std::uint32_t chunk = 0; chunk < plan_.chunks; ++chunk) {
      const std::vector<std::uint32_t> owners = outcome_.owners(chunk);
      if (owners.empty()) {
        const std::uint32_t nearest = nearest_to_owner(chunk);
        refuse(nearest, 0, chunk,
               fmt::format("no GPU ends with the sum of all {} GPUs, as a reduce-scatter must; this one {}",
                           gpus_, text_of(outcome_.at(nearest, 0, chunk))));
      }
      if (owners.size() > 1)
        refuse(owners[1], 0, chunk,
               fmt::format("ends with the sum of all, and GPU {} as well; a reduce-scatter leaves it on one",
                           owners[0]));
    }
  }

  void all_gather() const {
    for (std::uint32_t chunk = 0; chunk < plan_.chunks; ++chunk)
      for (std::uint32_t gpu = 0; gpu < gpus_; ++gpu) {
        const Held& first = outcome_.at(0, 0, chunk);
        const Held& held = outcome_.at(gpu, 0, chunk);
        if (held.size() != 1 || held[0].times != 1)
          refuse(gpu, 0, chunk, "an all-gather leaves one producer's value here, once; it " + text_of(held));
        if (held != first)
          refuse(gpu, 0, chunk,
                 fmt::format("an all-gather leaves the same value on all GPUs; it {}, GPU 0 {}",
                             text_of(held), text_of(first)));
      }
  }

  // Chunk c is for GPU c modulo gpus, which keeps what each GPU sends in an array of its own.
  void all_to_all() const {
    if (plan_.arrays < gpus_ || plan_.chunks % gpus_ != 0)
      throw InputError(fmt::format(
          "{}: an all-to-all of {} GPUs needs {} arrays and a multiple of {} chunks; it has {} and {}",
          blame_, gpus_, gpus_, gpus_, plan_.arrays, plan_.chunks));
    for (std::uint32_t chunk = 0; chunk < plan_.chunks; ++chunk)
      for (std::uint32_t from = 0; from < gpus_; ++from) {
        const std::uint32_t to = chunk % gpus_;
        const std::uint32_t array = receive_array(gpus_, from, to);
        const Held& held = outcome_.at(to, array, chunk);
        if (held != Held{{narrow<std::uint16_t>(from), 1}})
          refuse(to, array, chunk,
                 fmt::format("an all-to-all leaves GPU {}'s value here, once; it {}", from, text_of(held)));
      }
  }

 private:
  [[noreturn]] void refuse(std::uint32_t gpu, std::uint32_t array, std::uint32_t chunk,
                           std::string_view reason) const {
    const std::string in_array = plan_.arrays > 1 ? fmt::format("array {}, ", array) : "";
    throw InputError(fmt::format("{}: GPU {}, {}chunk {}: {}", blame_, gpu, in_array, chunk, reason));
  }
  std::uint32_t nearest_to_owner(std::uint32_t chunk) const {
    std::uint32_t best = 0;
    for (std::uint32_t gpu = 1; gpu < gpus_; ++gpu)
      if (outcome_.at(gpu, 0, chunk).size() > outcome_.at(best, 0, chunk).size()) best = gpu;
    return best;
  }

  const CollectivePlan& plan_;
  const PlanOutcome& outcome_;
  std::string_view blame_;
  std::uint32_t gpus_;
};

}  // namespace

std::vector<std::uint32_t> PlanOutcome::owners(std::uint32_t chunk) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t gpu = 0; gpu < gpus(); ++gpu)
    if (is_sum_of_all(at(gpu, 0, chunk), gpus())) found.push_back(gpu);
  return found;
}

PlanOutcome execute(const CollectivePlan& plan, const PlanGraph& graph) {
  PlanOutcome outcome{plan.arrays, plan.chunks, std::vector<Held>(graph.cells())};
  for (const std::uint32_t index : graph.order()) {
    const Cell cell = graph.cell(index);
    Held& held = outcome.held[index];
    if (plan.at(cell.gpu, cell.array, cell.chunk).present) add(held, {narrow<std::uint16_t>(cell.gpu), 1});
    for (const Writer& writer : graph.writers(index)) {
      if (writer.by != Writer::By::dma)
        add(held, {writer.gpu, 1});
      else
        for (const Contribution& c : outcome.held[graph.index(graph.source(writer, cell))]) add(held, c);
    }
  }
  return outcome;
}

void check_result(const CollectivePlan& plan, const PlanOutcome& outcome, std::string_view blame) {
  const ResultCheck check(plan, outcome, blame);
  switch (plan.kind) {
    case CollectiveKind::reduce_scatter:
      return check.reduce_scatter();
    case CollectiveKind::all_gather:
      return check.all_gather();
    case CollectiveKind::all_to_all:
      return check.all_to_all();
    case CollectiveKind::custom:
      return;
  }
}

}  // namespace t3sim
