// Copies between two GPUs by copy engines.
#include <fmt/format.h>

#include "validation/measured/row_cases.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kLargeCopy = 1 << 20;

CaseKind copy_kind(const PeerCopyRow& row) {
  if (row.test == "copy_2d") return CaseKind::copies_2d;
  return row.moved >= kLargeCopy ? CaseKind::copies_large : CaseKind::copies_small;
}

void add_case(CaseKind kind, const PeerCopyRow& row, const CaseSink& to) {
  MeasuredCase c;
  c.kind = kind;
  c.id = fmt::format("{} {} ways {} bytes {} pitch {} width {}", row.test, row.direction, row.ways, row.moved,
                     row.pitch, row.width);
  c.unit = "us";
  c.measured = row.seconds * 1e6;
  c.row = row;
  to.cases.push_back(std::move(c));
}

}  // namespace

// The other rows say whether GPUs see each other.
void cases_of(const CopyRow& row, const CaseSink& to) {
  if (row.test != "copy_one" && row.test != "copy_bidir") return;
  PeerCopyRow copy;
  copy.place = row.place;
  copy.test = row.test;
  copy.direction = "push";
  copy.ways = row.test == "copy_one" ? 1 : 2;
  copy.moved = row.bytes;
  copy.seconds = row.seconds;
  add_case(CaseKind::copies_p2p, copy, to);
}

void cases_of(const PeerCopyRow& row, const CaseSink& to) {
  const bool whole = row.test == "copy_1d", strided = row.test == "copy_2d" && row.pitch != 0;
  if ((!whole && !strided) || (row.direction != "push" && row.direction != "pull")) {
    ++to.left_out[fmt::format("copies: {} {}", row.test, row.direction)];
    return;
  }
  add_case(copy_kind(row), row, to);
}

}  // namespace t3sim
