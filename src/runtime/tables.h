// What the commands of all GPUs have in common: numbers by which packets name what they belong to.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "program/program.h"

namespace t3sim {

struct ProgramTables {
  explicit ProgramTables(const program::Program& program);

  // A copy engine's copy: whose command, and what is moved.
  struct Copy {
    std::uint32_t gpu = 0, command = 0;  // that asked for it
    const program::Copy* what = nullptr;
    bool pulls() const { return what->from.gpu != gpu; }
  };
  std::vector<Copy> copies;
  std::vector<program::SignalSet> settings;
  struct Setter {
    std::uint32_t gpu = 0, command = 0;
    std::uint32_t tile = 0, nth = 0;  // of a launch: the tile's nth setting
  };
  std::vector<Setter> setters;      // by setting: whose it is
  std::vector<bool> set_by_kernel;  // by setting: by a workgroup, not by a stream
  std::vector<bool> low_latency;    // by number of the collective

  std::uint32_t copy_of(std::uint32_t gpu, std::uint32_t command) const { return of_.at({gpu, command}); }
  // The first of a launch's settings, of a tile's; those of a tile follow one another.
  std::uint32_t settings_of(std::uint32_t gpu, std::uint32_t command, std::uint32_t tile) const {
    return first_.at({gpu, command})[tile];
  }
  std::uint32_t setting_of(std::uint32_t gpu, std::uint32_t command) const { return of_.at({gpu, command}); }
  // Collectives of one stream have CUs and FIFOs in common, as those of a communicator; those of another stream have
  // others, so that they can be under way at the same time. By the streams of GPU 0.
  std::uint32_t communicator_of(const program::Collective& collective) const {
    return communicators_[collective.number];
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // GPU, command
  void add_launch(Key key, const program::Launch& launch);
  void add_communicators(const program::GpuCommands& gpu);

  std::map<Key, std::uint32_t> of_;
  std::map<Key, std::vector<std::uint32_t>> first_;
  std::vector<std::uint32_t> communicators_;  // by number of the collective
};

// Of bytes: address and length of rows.
struct Extent {
  std::uint64_t address = 0, pitch_bytes = 0, row_bytes = 0, rows = 0;
  std::uint64_t bytes() const { return row_bytes * rows; }
};
Extent extent_of(const program::Program& program, const program::View& view);

}  // namespace t3sim
