#include "kernel/sum_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/number.h"
#include "sim/line.h"

namespace t3sim {

// Some consecutive pieces.
class SumKernel::Program final : public WorkgroupProgram {
 public:
  void restart(const SumKernel& kernel, std::uint32_t workgroup) {
    kernel_ = &kernel;
    piece_ = std::uint64_t{workgroup} * kPiecesPerWorkgroup;
    end_ = std::min(piece_ + kPiecesPerWorkgroup, kernel.pieces());
  }
  bool next(Group& group) override {
    if (piece_ == end_) return false;
    kernel_->fill(piece_++, group);
    return true;
  }

 private:
  const SumKernel* kernel_ = nullptr;
  std::uint64_t piece_ = 0, end_ = 0;
};

SumKernel::SumKernel(std::vector<Rectangle> from, const Rectangle& to)
    : from_(std::move(from)),
      to_(to),
      pieces_per_row_((to.row_bytes + kPieceBytes - 1) / kPieceBytes),
      workgroups_(narrow<std::uint32_t>((pieces() + kPiecesPerWorkgroup - 1) / kPiecesPerWorkgroup)) {
  const auto check = [&](const Rectangle& r) {
    if (r.rows != to_.rows || r.row_bytes != to_.row_bytes)
      throw InputError(fmt::format("sum: {} rows of {} bytes are added to {} of {}", r.rows, r.row_bytes,
                                   to_.rows, to_.row_bytes));
    if ((r.address | r.row_bytes | r.pitch_bytes) % kSectorBytes != 0)
      throw InputError(fmt::format("sum: rows must begin and end on {} B sectors", kSectorBytes));
  };
  for (const Rectangle& r : from_) check(r);
  check(to_);
}

KernelTraits SumKernel::traits() const {
  constexpr std::uint64_t kThreads = 256, kRegisters = 32, kRegisterBytes = 4;
  return {.wavefronts = 8, .buffers = 2, .register_bytes = kThreads * kRegisters * kRegisterBytes};
}

void SumKernel::fill(std::uint64_t piece, Group& group) const {
  const std::uint64_t row = piece / pieces_per_row_, offset = piece % pieces_per_row_ * kPieceBytes;
  const auto bytes = narrow<std::uint32_t>(std::min<std::uint64_t>(kPieceBytes, to_.row_bytes - offset));
  group.clear();
  group.tile = 0;
  for (const Rectangle& r : from_)
    group.loads.push_back(
        {.address = r.address + row * r.pitch_bytes + offset, .bytes = bytes, .streaming = true});
  group.stores.push_back({.address = to_.address + row * to_.pitch_bytes + offset, .bytes = bytes});
}

std::unique_ptr<WorkgroupProgram> SumKernel::program(std::uint32_t i,
                                                     std::unique_ptr<WorkgroupProgram> reuse) {
  recycled_as<Program>(reuse).restart(*this, i);
  return reuse;
}

}  // namespace t3sim
