#include "kernel/gemm_kernel.h"

#include "base/number.h"

namespace t3sim {
namespace {

constexpr std::uint32_t kMatrixInstructionK =
    16;  // the matrix unit's step along K: a shorter rest is padded to it

GemmSpec checked(const GemmSpec& spec) {
  spec.check();
  return spec;
}

}  // namespace

// Walks the works of a workgroup step by step.
class GemmKernel::Program final : public WorkgroupProgram {
 public:
  Program(GemmKernel& kernel, std::uint32_t workgroup) { restart(kernel, workgroup); }

  void restart(GemmKernel& kernel, std::uint32_t workgroup) {
    kernel_ = &kernel;
    workgroup_ = workgroup;
    works_done_ = 0;
    prologue_ = kernel.spec_.prologue_cycles;
    begin(workgroup);
  }

  bool next(Group& group) override {
    if (prologue_ != 0) {
      group.clear();
      group.delay_cycles = prologue_;
      prologue_ = 0;
      return true;
    }
    while (!fill(group))
      if (!next_work()) return false;
    return true;
  }

 private:
  void begin(std::uint32_t position) {
    work_ = kernel_->work(position);
    step_ = work_.first_step;
    piece_ = before_ = after_ = 0;
  }
  // The next group of the tile; false: it is done.
  bool fill(Group& group) {
    if (work_.tile == kNoTile) return fill_beyond(group);
    const TileSteps* const steps = kernel_->steps_;
    if (steps && step_ == work_.first_step && steps->before(work_.tile, before_, group)) {
      ++before_;
      return true;
    }
    if (step_ != work_.last_step) {
      kernel_->fill_step(work_.tile, step_++, group);
      if (step_ == work_.last_step && !kernel_->has_epilogue()) kernel_->add_tile(work_, group);
      return true;
    }
    if (piece_ != kernel_->pieces()) {
      kernel_->fill_piece(work_, piece_++, group);
      return true;
    }
    return steps && steps->after(work_.tile, after_++, group);
  }
  // Beyond C there is nothing to load and to store, but a member that takes what its cluster takes keeps step with it.
  bool fill_beyond(Group& group) {
    if (kernel_->taken_.empty() || step_ == work_.last_step) return false;
    kernel_->fill_empty_step(work_, step_++, group);
    return true;
  }
  bool next_work() {
    const std::uint32_t position = kernel_->position_after(workgroup_, ++works_done_);
    if (position >= kernel_->works()) return false;
    begin(position);
    return true;
  }

  GemmKernel* kernel_ = nullptr;
  std::uint32_t workgroup_ = 0, works_done_ = 0;
  Work work_{};
  std::uint32_t step_ = 0, piece_ = 0;
  std::uint32_t before_ = 0, after_ = 0;  // TileSteps done
  std::uint32_t prologue_ = 0;            // that is still to come
};

GemmKernel::GemmKernel(const GemmSpec& spec, const std::vector<std::uint32_t>& order, const TileSteps* steps)
    : GemmKernel(spec) {
  steps_ = steps;
  for (const std::uint32_t tile : order) {
    std::uint32_t row = c_.grid.tile_row(tile), column = c_.grid.tile_col(tile);
    std::uint32_t& along = spec_.cluster_along_n ? column : row;
    if (along % spec_.cluster != 0) continue;
    along /= spec_.cluster;
    order_.push_back(clusters_.index(row, column));
  }
}

GemmKernel::GemmKernel(const GemmSpec& spec)
    : spec_(checked(spec)),
      a_(spec.a()),
      b_(spec.b()),
      c_(spec.c()),
      clusters_(spec.shape.m, spec.shape.n,
                {spec.tile.m * (spec.cluster_along_n ? 1 : spec.cluster),
                 spec.tile.n * (spec.cluster_along_n ? spec.cluster : 1), spec.wavefronts,
                 spec.element_bytes(), spec.row_major_output}),
      a_m_contiguous_(spec.layout == GemmLayout::nn || spec.layout == GemmLayout::nt),
      b_k_contiguous_(spec.layout == GemmLayout::nn || spec.layout == GemmLayout::tn),
      workgroups_(spec.persistent == 0 ? works() : std::min(spec.persistent, works())) {
  if (!spec.takes_next || spec.persistent == 0) return;
  next_taken_ = ceil_div(workgroups_, spec.cluster);
  taken_.resize(next_taken_);
}

// Members of a cluster take the same, the first that asks for both.
std::uint32_t GemmKernel::position_after(std::uint32_t i, std::uint32_t done) {
  if (taken_.empty()) return i + done * workgroups_;
  std::vector<std::uint32_t>& taken = taken_[i / spec_.cluster];
  if (taken.size() < done) taken.push_back(next_taken_++);
  return taken[done - 1] * spec_.cluster + i % spec_.cluster;
}

std::unique_ptr<WorkgroupProgram> GemmKernel::program(std::uint32_t i,
                                                      std::unique_ptr<WorkgroupProgram> reuse) {
  if (auto* mine = dynamic_cast<Program*>(reuse.get())) {
    mine->restart(*this, i);
    return reuse;
  }
  return std::make_unique<Program>(*this, i);
}

KernelTraits GemmKernel::traits() const {
  return {.wavefronts = spec_.wavefronts,
          .buffers = spec_.buffers,
          .epilogue = spec_.accumulate ? 0 : pieces(),
          .lds_bytes = lds_bytes(spec_),
          .register_bytes = register_bytes(spec_),
          .issue_efficiency = spec_.issue_efficiency};
}

std::uint32_t GemmKernel::tile_of(std::uint32_t cluster, std::uint32_t member) const {
  std::uint32_t row = clusters_.tile_row(cluster), column = clusters_.tile_col(cluster);
  std::uint32_t& along = spec_.cluster_along_n ? column : row;
  along = along * spec_.cluster + member;
  return row < c_.grid.tile_rows() && column < c_.grid.tile_cols() ? c_.grid.index(row, column) : kNoTile;
}

// The workgroups of a cluster follow one another, and then those that share their tiles, or the other tiles.
GemmKernel::Work GemmKernel::work(std::uint32_t position) const {
  const std::uint32_t member = position % spec_.cluster;
  const auto [cluster, part] = place_of(position / spec_.cluster);
  const auto step_at = [&](std::uint32_t p) {
    return narrow<std::uint32_t>(std::uint64_t{spec_.k_steps()} * p / spec_.split_k);
  };
  const std::uint32_t at = cluster_at(cluster);
  return {tile_of(at, member), tile_of(at, 0), step_at(part), step_at(part + 1), part};
}

// What a workgroup of a tile loads: of the panel that its cluster shares its part, in whole sectors.
Block GemmKernel::loaded_part(std::uint32_t tile, const Block& block) const {
  if (spec_.cluster == 1) return block;
  const bool n = spec_.cluster_along_n;  // A is shared
  const std::uint32_t at = n ? c_.grid.tile_col(tile) : c_.grid.tile_row(tile);
  const std::uint32_t tiles = n ? c_.grid.tile_cols() : c_.grid.tile_rows();
  const std::uint32_t members = std::min(spec_.cluster, tiles - at / spec_.cluster * spec_.cluster);
  const std::uint32_t length = n ? block.rows : block.columns;
  const std::uint32_t granule = kSectorBytes / spec_.element_bytes();
  const auto share = static_cast<std::uint32_t>(align_up(ceil_div(length, members), granule));
  const std::uint32_t from = std::min(at % spec_.cluster * share, length);
  Block part = block;
  (n ? part.row : part.column) += from;
  (n ? part.rows : part.columns) = std::min(share, length - from);
  return part;
}

// Each piece of the epilogue brings the output of some wavefronts from the registers to memory.
void GemmKernel::fill_piece(const Work& work, std::uint32_t piece, Group& group) const {
  group.clear();
  group.tile = work.tile;
  for (std::uint32_t w = spec_.wavefronts * piece / pieces(); w < spec_.wavefronts * (piece + 1) / pieces();
       ++w)
    add_stores({work.tile, w}, group);
  redirect_parts(work, group);
  if (spec_.accumulate) group.loads = group.stores;
  if (spec_.store_bytes_per_cycle == 0) return;
  std::uint64_t bytes = 0;
  for (const Run& run : group.stores) bytes += run.bytes;
  group.cycles = static_cast<std::uint32_t>(static_cast<double>(bytes) / spec_.store_bytes_per_cycle + 0.5);
}

void GemmKernel::add_tile(const Work& work, Group& group) const {
  for (std::uint32_t w = 0; w < spec_.wavefronts; ++w) add_stores({work.tile, w}, group);
  redirect_parts(work, group);
}

// Parts are FP32, in an array for each part: behind C, or where the workspace is.
void GemmKernel::redirect_parts(const Work& work, Group& group) const {
  if (spec_.workspace_bytes() == 0) return;
  const std::uint64_t scale = 4 / spec_.element_bytes();
  const std::uint64_t size = align_up(c_.layout.footprint_bytes(), kLineBytes);
  const std::uint64_t parts = spec_.workspace_address != 0 ? spec_.workspace_address : spec_.c_address + size;
  for (Run& run : group.stores) {
    run.address = parts + work.part * size * scale + (run.address - spec_.c_address) * scale;
    run.bytes = static_cast<std::uint32_t>(run.bytes * scale);
    run.update = false;
  }
}

std::uint64_t GemmKernel::step_flops(std::uint32_t k_count) const {
  const std::uint64_t k_padded =
      std::min<std::uint64_t>(align_up(k_count, kMatrixInstructionK), spec_.tile.k);
  return 2 * std::uint64_t{spec_.tile.m} * spec_.tile.n * k_padded;
}

void GemmKernel::fill_empty_step(const Work& work, std::uint32_t step, Group& group) const {
  group.clear();
  group.tile = work.beside;
  group.matrix_flops = step_flops(std::min(spec_.tile.k, spec_.shape.k - step * spec_.tile.k));
}

void GemmKernel::fill_step(std::uint32_t tile_index, std::uint32_t step, Group& group) const {
  const Block tile = c_.grid.block(tile_index);
  const std::uint32_t k = step * spec_.tile.k;
  const std::uint32_t k_count = std::min(spec_.tile.k, spec_.shape.k - k);
  group.clear();
  group.tile = tile_index;
  const Block part = loaded_part(tile_index, tile);
  const Block& a = spec_.cluster_along_n ? part : tile;
  const Block& b = spec_.cluster_along_n ? tile : part;
  add_loads(a_, a_m_contiguous_ ? Block{a.row, k, a.rows, k_count} : Block{k, a.row, k_count, a.rows}, group);
  add_loads(b_,
            b_k_contiguous_ ? Block{k, b.column, k_count, b.columns} : Block{b.column, k, b.columns, k_count},
            group);
  group.matrix_flops = step_flops(k_count);
  group.useful_flops = 2 * tile.elements() * k_count;
}

// The columns of a slice are dealt to the wavefronts in equal consecutive shares.
void GemmKernel::add_loads(const MatrixLayout& matrix, const Block& block, Group& group) const {
  const std::uint32_t share = ceil_div(block.columns, spec_.wavefronts);
  std::uint8_t wavefront = 0;
  std::uint32_t left = share;
  matrix.for_each_run(block, [&](std::uint64_t address, std::uint32_t bytes) {
    if (left == 0) {
      ++wavefront;
      left = share;
    }
    --left;
    group.loads.push_back(
        {.address = address, .bytes = bytes, .wavefront = wavefront, .streaming = spec_.bypass_l1});
  });
}

void GemmKernel::add_stores(const WavefrontTile& tile, Group& group) const {
  const bool adds = spec_.split_k > 1;
  c_.for_each_run(tile, [&](std::uint64_t address, std::uint32_t bytes) {
    group.stores.push_back({.address = address,
                            .bytes = bytes,
                            .wavefront = narrow<std::uint8_t>(tile.wavefront),
                            .update = adds});
  });
}

}  // namespace t3sim
