#include "message/collective.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "config/units.h"

namespace t3sim::message {
namespace {

constexpr std::uint32_t kMostGpus = 4096;

// What each kind can be done by.
bool has(Kind kind, Algorithm a) {
  using enum Algorithm;
  switch (kind) {
    case Kind::all_reduce:
      return a == ring || a == tree || a == direct || a == recursive_doubling || a == hierarchical;
    case Kind::reduce_scatter:
      return a == ring || a == direct || a == pairwise || a == recursive_doubling;
    case Kind::all_gather:
      return a == ring || a == direct || a == pairwise || a == bruck || a == recursive_doubling;
    case Kind::all_to_all:
      return a == direct || a == pairwise || a == bruck || a == ring;
    case Kind::broadcast:
      return a == ring || a == tree || a == direct;
    case Kind::gather:
    case Kind::scatter:
      return a == tree || a == direct;
    case Kind::send_receive:
      return a == direct;
  }
  return false;
}

bool equal_blocks(Kind kind) {
  return kind != Kind::all_reduce && kind != Kind::broadcast && kind != Kind::send_receive;
}

[[noreturn]] void refuse(const Collective& c, const std::string& why) {
  throw InputError(fmt::format("{} by {}: {}", to_string(c.kind), to_string(c.algorithm), why));
}

// Every block goes through all GPUs on its way, so rings are no longer than need be.
void check_rings(const Collective& c) {
  constexpr std::uint32_t kLongest = 128;
  const std::uint32_t across = c.node_size < 2 ? c.gpus : std::min(c.node_size, c.gpus);
  if (c.gpus % across != 0) refuse(c, fmt::format("{} GPUs are not rings of {} (node_size)", c.gpus, across));
  if (std::max(across, c.gpus / across) > kLongest)
    refuse(c, fmt::format("a ring of {} GPUs; allowed: to {}, in two dimensions (node_size)",
                          std::max(across, c.gpus / across), kLongest));
}

void check_algorithm(const Collective& c) {
  if (!has(c.kind, c.algorithm)) {
    std::vector<std::string_view> names;
    for (const Algorithm a : algorithms_of(c.kind)) names.push_back(to_string(a));
    refuse(c, fmt::format("there is none; allowed: {}", fmt::join(names, ", ")));
  }
  if (c.algorithm == Algorithm::recursive_doubling && !std::has_single_bit(c.gpus))
    refuse(c, fmt::format("needs a power of two of GPUs, not {}", c.gpus));
  if (c.kind == Kind::all_to_all && c.algorithm == Algorithm::ring) check_rings(c);
  if (c.algorithm != Algorithm::hierarchical) return;
  if (c.node_size < 2 || c.gpus % c.node_size != 0 || c.gpus == c.node_size)
    refuse(c, fmt::format("needs two nodes at least, of two GPUs at least: {} GPUs in nodes of {} are not",
                          c.gpus, c.node_size));
}

void check_counts(const Collective& c) {
  if (c.counts.empty()) {
    if (equal_blocks(c.kind) && c.bytes % c.gpus != 0)
      refuse(c, fmt::format("{} bytes are not the same for each of {} GPUs: take a multiple, or say counts",
                            c.bytes, c.gpus));
    return;
  }
  if (!equal_blocks(c.kind)) refuse(c, "has no counts: every GPU brings as much");
  const std::size_t wanted = c.kind == Kind::all_to_all ? std::size_t{c.gpus} * c.gpus : c.gpus;
  if (c.counts.size() != wanted)
    refuse(c, fmt::format("{} counts; {} GPUs need {}", c.counts.size(), c.gpus, wanted));
  if (c.kind == Kind::all_to_all && (c.algorithm == Algorithm::bruck || c.algorithm == Algorithm::ring))
    refuse(c, "moves blocks of others along, so all are as long: counts need direct or pairwise");
}

}  // namespace

std::vector<Algorithm> algorithms_of(Kind kind) {
  std::vector<Algorithm> found;
  for (const auto& named : names_of(Algorithm{}))
    if (has(kind, named.value)) found.push_back(named.value);
  // The first is the default, which no library's all-to-all is by rings.
  if (kind == Kind::all_to_all) std::ranges::rotate(found, found.begin() + 1);
  return found;
}

std::uint64_t block_bytes(const Collective& c, std::uint32_t from, std::uint32_t to) {
  if (!c.counts.empty()) return c.counts[c.kind == Kind::all_to_all ? std::size_t{from} * c.gpus + to : to];
  if (equal_blocks(c.kind)) return c.bytes / c.gpus;
  // Of an array that is cut into blocks for the algorithm's sake: whole lines.
  constexpr std::uint64_t kLine = 128;
  const std::uint64_t share = ((c.bytes + c.gpus - 1) / c.gpus + kLine - 1) / kLine * kLine;
  return std::min(c.bytes, (to + 1) * share) - std::min(c.bytes, to * share);
}

std::string describe(const Collective& c) {
  return fmt::format("{} by {}, {} GPUs, {}", to_string(c.kind), to_string(c.algorithm), c.gpus,
                     config::format_quantity(config::kSize, c.bytes));
}

void check(const Collective& c) {
  if (c.gpus < 2 || c.gpus > kMostGpus)
    refuse(c, fmt::format("{} GPUs; allowed: 2 to {}", c.gpus, kMostGpus));
  if (c.root >= c.gpus) refuse(c, fmt::format("root {}; allowed: 0 to {}", c.root, c.gpus - 1));
  if (c.kind == Kind::send_receive && (c.peer >= c.gpus || c.peer == c.root))
    refuse(c, fmt::format("from GPU {} to GPU {}; allowed: two of 0 to {}", c.root, c.peer, c.gpus - 1));
  check_algorithm(c);
  check_counts(c);
}

}  // namespace t3sim::message
