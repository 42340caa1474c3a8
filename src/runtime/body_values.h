// Functional mode of programs: what the bodies of kernels compute.
//
// Elements are whole numbers (nmc/functional_memory.h); sums and products are those of 32 bits, wrapped, so that they
// are the same in any order. Loads see memory at the time when the last one of their group has arrived.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "gpu/kernel_run.h"
#include "kernel/gemm_kernel.h"
#include "kernel/gemv_kernel.h"
#include "nmc/functional_memory.h"

namespace t3sim {

// Sum, product of values, without overflow.
inline std::int32_t wrapped_sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
inline std::int32_t wrapped_product(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}

// Kernels that add up what they load, byte by byte of the runs: each store of a group is the sum of all that its
// workgroup has loaded since it last stored. One load: a copy; none: zeros. Collectives, sums, embedding bags.
class SumValues final : public BodyValues {
 public:
  explicit SumValues(const FunctionalMemory& memory) : memory_(memory) {}
  void compute(std::uint32_t workgroup, const Group& group, std::vector<std::int32_t>& stored) override;

 private:
  const FunctionalMemory& memory_;
  std::map<std::uint32_t, std::vector<std::int32_t>> sums_;  // by workgroup
};

// c (+)= a times b.
class GemmValues final : public BodyValues {
 public:
  // `kernel` and `memory` outlive it. Throws InputError for kernels whose parts of K nobody adds up here.
  GemmValues(const GemmKernel& kernel, const FunctionalMemory& memory);
  void compute(std::uint32_t workgroup, const Group& group, std::vector<std::int32_t>& stored) override;

 private:
  struct Tile {
    std::uint32_t number = kNoTile;
    std::uint32_t step = 0;  // of K, the next one
    Block block;
    std::vector<std::int32_t> sums;  // row by row
  };
  void begin(Tile& tile, std::uint32_t workgroup, std::uint32_t number) const;
  void multiply(Tile& tile) const;
  std::int32_t value(const Tile& tile, std::uint64_t address) const;

  const GemmKernel& kernel_;
  const GemmSpec spec_;
  MatrixLayout a_, b_, c_;
  const FunctionalMemory& memory_;
  std::map<std::uint32_t, Tile> tiles_;  // by workgroup
};

// y = w times x.
class GemvValues final : public BodyValues {
 public:
  // `kernel` and `memory` outlive it.
  GemvValues(const GemvKernel& kernel, const FunctionalMemory& memory) : kernel_(kernel), memory_(memory) {}
  void compute(std::uint32_t workgroup, const Group& group, std::vector<std::int32_t>& stored) override;

 private:
  struct Tile {
    std::uint32_t number = kNoTile;
    std::uint32_t step = 0;          // the next one
    std::vector<std::int32_t> sums;  // by row
  };
  void multiply(Tile& tile) const;

  const GemvKernel& kernel_;
  const FunctionalMemory& memory_;
  std::map<std::uint32_t, Tile> tiles_;  // by workgroup
};

// A kernel of several phases: each computes its own tiles.
class PhasedValues final : public BodyValues {
 public:
  // In the order of their tiles.
  void add(std::uint32_t first_tile, std::shared_ptr<BodyValues> values) {
    parts_.push_back({first_tile, std::move(values)});
  }
  void compute(std::uint32_t workgroup, const Group& group, std::vector<std::int32_t>& stored) override;

 private:
  struct Part {
    std::uint32_t first_tile;
    std::shared_ptr<BodyValues> values;
  };
  std::vector<Part> parts_;
};

}  // namespace t3sim
