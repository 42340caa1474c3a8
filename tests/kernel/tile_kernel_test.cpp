#include "kernel/tile_kernel.h"

#include <gtest/gtest.h>

#include <string>

namespace t3sim {
namespace {

// A group for each tile.
class OneGroupKernel final : public TileKernel {
 public:
  using TileKernel::TileKernel;
  bool fill(std::uint32_t tile, std::uint32_t done, Group& group) const override {
    group.tile = tile;
    return done == 0;
  }
  KernelTraits traits() const override { return {}; }
};

// Leaves a flag of each tile for later; tiles go to GPUs in fours.
class FlagsLeft final : public TileSteps {
 public:
  static constexpr std::uint32_t kFlags = 1000;

  bool before(std::uint32_t, std::uint32_t, Group&) const override { return false; }
  bool after(std::uint32_t, std::uint32_t, Group&) const override { return false; }
  bool parts(std::uint32_t tile, std::uint32_t next) const override { return tile / 4 != next / 4; }
  bool last(std::uint32_t tile, std::uint32_t done, Fences& fences, Group& group) const override {
    group.fence = !fences.remote;
    fences.remote = true;
    group.tile = kFlags + tile;
    return done == 0;
  }
};

// Its groups: tiles, `f` and the tile for a flag, `|` for the fence in front of it.
std::string groups_of(TileKernel& kernel, std::uint32_t workgroup) {
  std::string text;
  const auto program = kernel.program(workgroup, nullptr);
  for (Group group; program->next(group); group.clear()) {
    if (group.fence) text += "| ";
    text += group.tile < FlagsLeft::kFlags ? std::to_string(group.tile)
                                           : "f" + std::to_string(group.tile - FlagsLeft::kFlags);
    text += ' ';
  }
  return text;
}

TEST(TileKernel, SetsTheFlagsOfAGpuBehindOneFenceBeforeItGoesOnWithAnother) {
  const FlagsLeft flags;
  OneGroupKernel kernel({.tiles = 10, .workgroups = 2, .order = {}, .steps = &flags});
  EXPECT_EQ(groups_of(kernel, 0), "0 2 | f0 f2 4 6 | f4 f6 8 | f8 ");
  EXPECT_EQ(groups_of(kernel, 1), "1 3 | f1 f3 5 7 | f5 f7 9 | f9 ");
}

TEST(TileKernel, GoesThroughItsTilesWhereNothingIsDoneBesideThem) {
  OneGroupKernel kernel({.tiles = 5, .workgroups = 2, .order = {4, 3, 2, 1, 0}, .steps = nullptr});
  EXPECT_EQ(groups_of(kernel, 0), "4 2 0 ");
  EXPECT_EQ(groups_of(kernel, 1), "3 1 ");
}

}  // namespace
}  // namespace t3sim
