#include "model/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/number.h"

namespace t3sim::model {
namespace {

template <class T>
std::uint32_t number_of(std::vector<T>& all, const T& wanted) {
  const auto found = std::ranges::find(all, wanted);
  if (found != all.end()) return narrow<std::uint32_t>(found - all.begin());
  all.push_back(wanted);
  return narrow<std::uint32_t>(all.size() - 1);
}

// Follows what still waits from one operation to the next until one comes up again.
std::string circle(const Graph& graph, const std::vector<std::uint32_t>& left) {
  std::uint32_t at = 0;
  while (left[at] == 0) ++at;
  std::vector<std::uint32_t> way;
  while (std::ranges::find(way, at) == way.end()) {
    way.push_back(at);
    const auto& after = graph.operations[at].after;
    at = *std::ranges::find_if(after, [&](std::uint32_t a) { return left[a] != 0; });
  }
  std::vector<std::string> names;
  for (auto i = std::ranges::find(way, at); i != way.end(); ++i)
    names.push_back("\"" + graph.operations[*i].name + "\"");
  names.push_back("\"" + graph.operations[at].name + "\"");
  return fmt::format("{}", fmt::join(names, " after "));
}

}  // namespace

std::uint32_t Graph::set(const GpuSet& gpus_of_it) { return number_of(sets, gpus_of_it); }
std::uint32_t Graph::grouping(const Grouping& groups) { return number_of(groupings, groups); }
std::uint32_t Graph::stream(const std::string& stream_name) { return number_of(streams, stream_name); }
std::uint32_t Graph::add(Operation operation) {
  operations.push_back(std::move(operation));
  return narrow<std::uint32_t>(operations.size() - 1);
}

Picoseconds FusionRule::copies(std::uint64_t all_bytes, std::size_t tensors) const {
  return tensors < 2 ? 0 : static_cast<Picoseconds>(4 * real(all_bytes) / copy_Bps * 1e12);
}

Grouping groups_of(const GpuSet& set, std::uint32_t size, std::uint32_t stride) {
  const std::uint32_t block = size * stride;
  if (size == 0 || stride == 0 || set.size() % block != 0)
    throw InputError(fmt::format("{} GPUs cannot be divided into groups of {} that lie {} apart", set.size(),
                                 size, stride));
  Grouping groups;
  for (std::uint32_t from = 0; from < set.size(); from += block)
    for (std::uint32_t i = 0; i < stride; ++i) {
      GpuSet group;
      for (std::uint32_t rank = 0; rank < size; ++rank) group.push_back(set[from + i + rank * stride]);
      groups.push_back(std::move(group));
    }
  return groups;
}

void check_order(const Graph& graph) {
  std::vector<std::uint32_t> left(graph.operations.size()), ready;
  std::vector<std::vector<std::uint32_t>> next(graph.operations.size());
  for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
    left[i] = narrow<std::uint32_t>(graph.operations[i].after.size());
    for (const std::uint32_t a : graph.operations[i].after) next[a].push_back(i);
    if (left[i] == 0) ready.push_back(i);
  }
  std::size_t done = 0;
  for (; done < ready.size(); ++done)
    for (const std::uint32_t n : next[ready[done]])
      if (--left[n] == 0) ready.push_back(n);
  if (done != left.size()) throw InputError("operations wait for each other: " + circle(graph, left));
}

}  // namespace t3sim::model
