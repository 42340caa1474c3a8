// How many tables two short runs of persistent workgroups have, so that the line through them is that of many tables.
#pragma once

#include <cstdint>
#include <utility>

namespace t3sim::fused_operators {

// Of tables of `batch` bags each, which `workgroups` walk in rounds: fewer and more tables, whose rounds, the last one counted as
// full, differ by what the bags between them fill. Within 2 %, at the least cost; else as near as the cost allows.
std::pair<std::uint64_t, std::uint64_t> tables_of_full_rounds(std::uint64_t batch, std::uint64_t workgroups);

// By how much the line's slope is off, as a share of it, where every round takes as long as a full one.
double slope_error(std::uint64_t batch, std::uint64_t workgroups, std::uint64_t fewer, std::uint64_t more);

}  // namespace t3sim::fused_operators
