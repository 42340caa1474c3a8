#include "trace/import/accelsim/declared_gemm.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/number.h"

namespace t3sim::accelsim {

std::uint32_t DeclaredGemm::begin_workgroup(std::uint32_t workgroup,
                                            std::optional<std::uint64_t> first_store) {
  workgroup_ = workgroup;
  stored_sectors_ = 0;
  if (!first_store) fail("stores nothing");
  const Element element = element_at(*first_store);
  return tile_ = c_.grid.at(element.row, element.column).tile;
}

DeclaredGemm::Element DeclaredGemm::element_at(std::uint64_t address) const {
  const MatrixLayout& layout = c_.layout;
  const std::uint64_t offset = address - layout.base();
  const std::uint64_t row = offset % layout.pitch_bytes() / layout.element_bytes();
  const std::uint64_t column = offset / layout.pitch_bytes();
  if (address < layout.base() || column >= layout.columns() || row >= layout.rows())
    fail(fmt::format("stores to {:#x}, which is outside the output", address));
  return {narrow<std::uint32_t>(row), narrow<std::uint32_t>(column)};
}

void DeclaredGemm::claim(Group& group) {
  group.tile = tile_;
  claimed_.clear();
  for (const Run& run : group.stores) claim_run(run);
  group.stores.swap(claimed_);
}

// A run may reach over several wavefront tiles: sector by sector it goes to the one that holds it.
void DeclaredGemm::claim_run(const Run& run) {
  Run part = run;
  part.bytes = 0;
  for (std::uint64_t at = run.address; at < run.address + run.bytes; at += kSectorBytes) {
    const Element element = element_at(at);
    const WavefrontTile place = c_.grid.at(element.row, element.column);
    if (place.tile != tile_) fail(fmt::format("stores to tile {} and to tile {}", tile_, place.tile));
    if (part.bytes > 0 && part.wavefront != place.wavefront) {
      claimed_.push_back(part);
      part = run;
      part.address = at;
      part.bytes = 0;
    }
    part.wavefront = narrow<std::uint8_t>(place.wavefront);
    part.bytes += kSectorBytes;
    ++stored_sectors_;
  }
  claimed_.push_back(part);
}

void DeclaredGemm::end_workgroup() const {
  if (const std::uint64_t sectors = c_.tile_sectors(tile_); stored_sectors_ != sectors)
    fail(fmt::format("stores {} sectors to tile {}, which has {}", stored_sectors_, tile_, sectors));
}

void DeclaredGemm::fail(const std::string& what) const {
  throw InputError(
      fmt::format("the kernel is not the GEMM it was said to be: workgroup {} {}", workgroup_, what));
}

}  // namespace t3sim::accelsim
