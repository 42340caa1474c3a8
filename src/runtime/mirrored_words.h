// Words of signals, seen from GPU 0 that stands for all: which word of another GPU is in the place of one of GPU 0's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "program/program.h"

namespace t3sim {

// Words correspond if the same commands, or tiles, of GPUs turned by `rank` set them, and if they hold the same at the start.
class MirroredWords {
 public:
  // All GPUs must have equally many commands; those that are not alike are passed over.
  MirroredWords(const program::Program& program, std::uint32_t rank);

  // False: what sets one word of GPU 0 sets several of GPU `rank`, or the other way round, or they begin otherwise.
  bool correspond() const { return correspond_; }
  // Whether GPU 0 waits for what GPU `rank` waits for, seen from there, in any order.
  bool alike(std::span<const program::SignalWait> of_0, std::span<const program::SignalWait> other) const;

 private:
  void pair_commands(std::uint32_t setter);
  void pair_tiles(const program::Launch& launch, const program::Launch& turned);
  void pair(const program::SignalSet& set, const program::SignalSet& turned);
  std::uint64_t initial(const program::SignalWord& word) const;

  // The word's number on GPU `rank`, or of those that nothing sets what they hold, and what is waited for.
  struct Key {
    std::uint32_t signals = 0;
    std::optional<std::uint32_t> index;
    std::uint64_t initial = 0, value = 0;
    auto operator<=>(const Key&) const = default;
  };
  Key key(const program::SignalWait& wait, std::optional<std::uint32_t> index) const;

  const program::Program& program_;
  std::uint32_t rank_;
  bool correspond_ = true;
  // By signals, then word: of GPU `rank` in place of GPU 0's, and back; none: nothing sets it.
  std::vector<std::vector<std::optional<std::uint32_t>>> there_, back_;
};

}  // namespace t3sim
