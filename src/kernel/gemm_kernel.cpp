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

// Walks the works position, position + stride, ... step by step.
class GemmKernel::Program final : public WorkgroupProgram {
 public:
  Program(const GemmKernel& kernel, std::uint32_t position) { restart(kernel, position); }

  void restart(const GemmKernel& kernel, std::uint32_t position) {
    kernel_ = &kernel;
    position_ = position;
    work_ = kernel.work(position);
    step_ = work_.first_step;
  }

  bool next(Group& group) override {
    if (step_ == work_.last_step && !next_work()) return false;
    kernel_->fill_step(work_.tile, step_++, group);
    if (step_ == work_.last_step)
      for (std::uint32_t w = 0; w < kernel_->spec_.wavefronts; ++w)
        kernel_->add_stores({work_.tile, w}, group);
    return true;
  }

 private:
  bool next_work() {
    if (position_ + kernel_->workgroups_ >= kernel_->works()) return false;
    restart(*kernel_, position_ + kernel_->workgroups_);
    return true;
  }

  const GemmKernel* kernel_ = nullptr;
  std::uint32_t position_ = 0;
  Work work_{};
  std::uint32_t step_ = 0;
};

GemmKernel::GemmKernel(const GemmSpec& spec)
    : spec_(checked(spec)),
      a_(spec.a()),
      b_(spec.b()),
      c_(spec.c()),
      a_m_contiguous_(spec.layout == GemmLayout::nn || spec.layout == GemmLayout::nt),
      b_k_contiguous_(spec.layout == GemmLayout::nn || spec.layout == GemmLayout::tn),
      workgroups_(spec.persistent == 0 ? works() : std::min(spec.persistent, works())) {}

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
          .lds_bytes = lds_bytes(spec_),
          .register_bytes = register_bytes(spec_)};
}

// The workgroups that share a tile follow one another.
GemmKernel::Work GemmKernel::work(std::uint32_t position) const {
  const std::uint32_t part = position % spec_.split_k;
  const auto step_at = [&](std::uint32_t p) {
    return narrow<std::uint32_t>(std::uint64_t{spec_.k_steps()} * p / spec_.split_k);
  };
  return {spec_.order.tile(c_.grid, position / spec_.split_k), step_at(part), step_at(part + 1)};
}

void GemmKernel::fill_step(std::uint32_t tile_index, std::uint32_t step, Group& group) const {
  const Block tile = c_.grid.block(tile_index);
  const std::uint32_t k = step * spec_.tile.k;
  const std::uint32_t k_count = std::min(spec_.tile.k, spec_.shape.k - k);
  group.clear();
  group.tile = tile_index;
  add_loads(a_,
            a_m_contiguous_ ? Block{tile.row, k, tile.rows, k_count} : Block{k, tile.row, k_count, tile.rows},
            group);
  add_loads(b_,
            b_k_contiguous_ ? Block{k, tile.column, k_count, tile.columns}
                            : Block{tile.column, k, tile.columns, k_count},
            group);
  const std::uint64_t k_padded =
      std::min<std::uint64_t>(align_up(k_count, kMatrixInstructionK), spec_.tile.k);
  group.matrix_flops = 2 * std::uint64_t{spec_.tile.m} * spec_.tile.n * k_padded;
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
    group.loads.push_back({.address = address, .bytes = bytes, .wavefront = wavefront});
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
