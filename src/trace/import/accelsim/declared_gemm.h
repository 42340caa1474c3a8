// Makes the stores of an imported kernel those of a GEMM's tiles: the trace says addresses, its user which
// GEMM it was. Only then can a Tracker count them (section 4.2.1).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/gemm.h"
#include "kernel/program.h"

namespace t3sim::accelsim {

class DeclaredGemm {
 public:
  explicit DeclaredGemm(const GemmSpec& spec) : c_(spec.c()) {}

  // The tile of a workgroup, by the address of its first store. Throws InputError when it is not of the
  // output, as everything here does.
  std::uint32_t begin_workgroup(std::uint32_t workgroup, std::optional<std::uint64_t> first_store);
  // Gives the stores of a group to the wavefronts whose part of the tile they fill.
  void claim(Group& group);
  // Every sector of the tile has been stored exactly once?
  void end_workgroup() const;

 private:
  struct Element {
    std::uint32_t row, column;
  };
  Element element_at(std::uint64_t address) const;
  void claim_run(const Run& run);
  [[noreturn]] void fail(const std::string& what) const;

  TiledMatrix c_;
  std::uint32_t workgroup_ = 0, tile_ = 0;
  std::uint64_t stored_sectors_ = 0;
  std::vector<Run> claimed_;
};

}  // namespace t3sim::accelsim
