// Memory-bound kernels on rectangles: to = sum of all of `from`, elementwise; one is a copy by CUs, none writes zeros.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/program.h"

namespace t3sim {

// Rows of bytes in memory; both their length and what lies between them are whole 32 B sectors.
struct Rectangle {
  std::uint64_t address = 0, pitch_bytes = 0;
  std::uint64_t row_bytes = 0, rows = 0;
};

class SumKernel final : public KernelSource {
 public:
  // All of the same size. Throws InputError where they are not, or not on whole sectors.
  SumKernel(std::vector<Rectangle> from, const Rectangle& to);

  std::uint32_t workgroups() const override { return workgroups_; }
  std::uint32_t tile(std::uint32_t) const override { return 0; }
  std::unique_ptr<WorkgroupProgram> program(std::uint32_t i,
                                            std::unique_ptr<WorkgroupProgram> reuse) override;
  unsigned buffers() const override { return 2; }
  KernelTraits traits() const override;

 private:
  class Program;
  // 256 threads of 16 B.
  static constexpr std::uint32_t kPieceBytes = 4096;
  static constexpr std::uint32_t kPiecesPerWorkgroup = 4;

  std::uint64_t pieces() const { return pieces_per_row_ * to_.rows; }
  void fill(std::uint64_t piece, Group& group) const;

  std::vector<Rectangle> from_;
  Rectangle to_;
  std::uint64_t pieces_per_row_;
  std::uint32_t workgroups_;
};

}  // namespace t3sim
