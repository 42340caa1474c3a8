#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "validation/measured/row_cases.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kLargeBytes = 4 << 20;

std::optional<CollectiveOp> op_of(std::string_view name) {
  if (name == "all_gather") return CollectiveOp::all_gather;
  if (name == "reduce_scatter") return CollectiveOp::reduce_scatter;
  if (name == "all_reduce") return CollectiveOp::all_reduce;
  if (name == "all_to_all") return CollectiveOp::all_to_all;
  return std::nullopt;
}

// Channels that a tag allows, 0 for any number; none for a tag that is not ring and simple.
std::optional<std::uint32_t> channels_of(std::string_view tag) {
  constexpr std::string_view kRing = "ring_simple", kLimited = "_ch";
  if (!tag.starts_with(kRing)) return std::nullopt;
  tag.remove_prefix(kRing.size());
  if (tag.empty()) return 0;
  if (!tag.starts_with(kLimited)) return std::nullopt;
  tag.remove_prefix(kLimited.size());
  std::uint32_t channels = 0;
  const auto [end, error] = std::from_chars(tag.data(), tag.data() + tag.size(), channels);
  if (error != std::errc{} || end != tag.data() + tag.size() || channels == 0 || channels > 1024)
    return std::nullopt;
  return channels;
}

}  // namespace

void cases_of(const CollectiveRow& row, const CaseSink& to) {
  const std::optional<CollectiveOp> op = op_of(row.op);
  if (!op || !channels_of(row.tag)) {
    ++to.left_out[op ? fmt::format("collectives tagged {}", row.tag) : fmt::format("collective {}", row.op)];
    return;
  }
  MeasuredCase c;
  c.kind = *op == CollectiveOp::all_to_all ? CaseKind::all_to_all
           : row.bytes >= kLargeBytes      ? CaseKind::ring_collectives_large
                                           : CaseKind::ring_collectives_small;
  c.id = fmt::format("{} {} world {} bytes {}", row.tag, row.op, row.world, row.bytes);
  c.unit = "us";
  c.measured = row.seconds * 1e6;
  c.row = row;
  to.cases.push_back(std::move(c));
}

}  // namespace t3sim
