#include "runtime/body_values.h"

#include "base/error.h"
#include "base/number.h"

namespace t3sim {
namespace {

std::size_t values_of(const std::vector<Run>& runs) {
  std::size_t values = 0;
  for (const Run& run : runs) values += run.bytes / kElementBytes;
  return values;
}

// Polls of words, signals, prologues: no data.
bool is_data(const Group& group) { return !group.wait && group.tile != kNoTile && group.tile < kFirstMark; }

}  // namespace

void SumValues::compute(std::uint32_t workgroup, const Group& group, std::vector<std::int32_t>& stored) {
  stored.assign(values_of(group.stores), kNoValue);
  if (!is_data(group)) return;
  std::vector<std::int32_t>& sum = sums_[workgroup];
  for (const Run& load : group.loads) {
    if (sum.size() < load.bytes / kElementBytes) sum.resize(load.bytes / kElementBytes);
    for (std::uint32_t i = 0; i < load.bytes / kElementBytes; ++i)
      sum[i] = wrapped_sum(sum[i], memory_.element(load.address + std::uint64_t{i} * kElementBytes));
  }
  if (group.stores.empty()) return;
  auto out = stored.begin();
  for (const Run& store : group.stores)
    for (std::uint32_t i = 0; i < store.bytes / kElementBytes; ++i) *out++ = i < sum.size() ? sum[i] : 0;
  sum.clear();
}

GemmValues::GemmValues(const GemmKernel& kernel, const FunctionalMemory& memory)
    : kernel_(kernel),
      spec_(kernel.spec()),
      a_(spec_.a()),
      b_(spec_.b()),
      c_(spec_.c().layout),
      memory_(memory) {
  if (spec_.element_bytes() < kElementBytes)
    throw InputError("run.functional: elements of one byte carry no numbers");
  if (spec_.split_k > 1 && (spec_.split_workspace || spec_.persistent != 0 || spec_.accumulate))
    throw InputError(
        "run.functional: nobody adds up the parts that split-K leaves in a workspace; say a tile");
}

void GemmValues::compute(std::uint32_t workgroup, const Group& group, std::vector<std::int32_t>& stored) {
  stored.assign(values_of(group.stores), kNoValue);
  if (!is_data(group)) return;
  Tile& tile = tiles_[workgroup];
  if (tile.number != group.tile) begin(tile, workgroup, group.tile);
  if (group.matrix_flops != 0) multiply(tile);
  auto out = stored.begin();
  for (const Run& store : group.stores)
    for (std::uint32_t byte = 0; byte < store.bytes; byte += kElementBytes)
      *out++ = value(tile, store.address + byte);
}

void GemmValues::begin(Tile& tile, std::uint32_t workgroup, std::uint32_t number) const {
  tile.number = number;
  const std::uint32_t part = spec_.split_k > 1 ? kernel_.part(workgroup) : 0;
  tile.step = narrow<std::uint32_t>(std::uint64_t{spec_.k_steps()} * part / spec_.split_k);
  tile.block = kernel_.output().grid.block(number);
  tile.sums.assign(std::size_t{tile.block.rows} * tile.block.columns, 0);
}

// The next K step, with what is in memory now.
void GemmValues::multiply(Tile& tile) const {
  const bool m_contiguous = spec_.layout == GemmLayout::nn || spec_.layout == GemmLayout::nt;
  const bool k_contiguous = spec_.layout == GemmLayout::nn || spec_.layout == GemmLayout::tn;
  const std::uint32_t first = tile.step++ * spec_.tile.k;
  const std::uint32_t end = std::min(first + spec_.tile.k, spec_.shape.k);
  std::vector<std::int32_t> row(tile.block.columns);
  for (std::uint32_t k = first; k < end; ++k) {
    for (std::uint32_t j = 0; j < tile.block.columns; ++j) {
      const std::uint32_t n = tile.block.column + j;
      row[j] = memory_.element(k_contiguous ? b_.address(k, n) : b_.address(n, k));
    }
    for (std::uint32_t i = 0; i < tile.block.rows; ++i) {
      const std::uint32_t m = tile.block.row + i;
      const std::int32_t a = memory_.element(m_contiguous ? a_.address(m, k) : a_.address(k, m));
      std::int32_t* const sums = &tile.sums[std::size_t{i} * tile.block.columns];
      for (std::uint32_t j = 0; j < tile.block.columns; ++j)
        sums[j] = wrapped_sum(sums[j], wrapped_product(a, row[j]));
    }
  }
}

// Of the element of C there; stores are of whole sectors, also at the edge of a tile. An element of more than 2 bytes
// has its value in the first 2.
std::int32_t GemmValues::value(const Tile& tile, std::uint64_t address) const {
  const std::uint64_t offset = address - spec_.c_address;
  const std::uint64_t along_bytes = offset % c_.pitch_bytes();
  if (along_bytes % spec_.element_bytes() != 0) return 0;
  const auto along = narrow<std::uint32_t>(along_bytes / spec_.element_bytes());
  const auto across = narrow<std::uint32_t>(offset / c_.pitch_bytes());
  const std::uint32_t i = (spec_.row_major_output ? across : along) - tile.block.row;
  const std::uint32_t j = (spec_.row_major_output ? along : across) - tile.block.column;
  if (i >= tile.block.rows || j >= tile.block.columns) return kNoValue;
  const std::int32_t sum = tile.sums[std::size_t{i} * tile.block.columns + j];
  return spec_.accumulate ? wrapped_sum(sum, memory_.element(address)) : sum;
}

void GemvValues::compute(std::uint32_t workgroup, const Group& group, std::vector<std::int32_t>& stored) {
  stored.assign(values_of(group.stores), 0);
  if (!is_data(group)) return stored.assign(stored.size(), kNoValue);
  Tile& tile = tiles_[workgroup];
  if (tile.number != group.tile) tile = {group.tile, 0, std::vector<std::int32_t>(kernel_.tile_rows())};
  multiply(tile);
  const std::size_t width =
      kernel_.spec().element_bytes / kElementBytes;  // values of an element, the first one counts
  for (std::size_t i = 0; i * width < stored.size(); ++i) stored[i * width] = tile.sums[i];
}

void PhasedValues::compute(std::uint32_t workgroup, const Group& group, std::vector<std::int32_t>& stored) {
  if (!is_data(group)) return parts_[0].values->compute(workgroup, group, stored);
  auto part = parts_.rbegin();
  while (part->first_tile > group.tile) ++part;
  Group own = group;
  own.tile -= part->first_tile;
  part->values->compute(workgroup, own, stored);
}

void GemvValues::multiply(Tile& tile) const {
  const GemvSpec& spec = kernel_.spec();
  const std::uint64_t from = tile.step++ * kernel_.step_bytes();
  const std::uint64_t end = std::min(from + kernel_.step_bytes(), spec.w.row_bytes);
  for (std::uint32_t i = 0; i < kernel_.tile_rows(); ++i) {
    const std::uint64_t row = std::uint64_t{tile.number} * kernel_.tile_rows() + i;
    if (row >= spec.w.rows) break;
    for (std::uint64_t byte = from; byte < end; byte += spec.element_bytes)
      tile.sums[i] = wrapped_sum(
          tile.sums[i], wrapped_product(memory_.element(spec.w.address + row * spec.w.pitch_bytes + byte),
                                        memory_.element(spec.x.address + byte)));
  }
}

}  // namespace t3sim
