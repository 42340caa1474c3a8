// Launches that wait, store or signal by tile, seen from GPU 0 that stands for all: which tile of another GPU is in the place of
// one of GPU 0's, and where what GPU 0 stores in others would lie had another stored it in GPU 0.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "program/program.h"
#include "runtime/mirrored_words.h"

namespace t3sim {

// The GPU that is to GPU `gpu` as GPU `by` is to GPU 0.
inline std::uint32_t turned(const program::Program& program, std::uint32_t gpu, std::uint32_t by) {
  return (gpu + by) % program.gpu_count;
}

// By tile of a launch of GPU 0: the tile at the same position of the order of the same launch of another GPU. Empty if their
// orders are not of the same length.
std::vector<std::uint32_t> counterparts(const program::Launch& of_0, const program::Launch& other);

// Whether tiles at the same positions do the same, with GPUs turned by `rank`, but for where in an array. `words`: of that GPU.
bool tiles_alike(const program::Program& program, const program::Launch& of_0, const program::Launch& other,
                 const MirroredWords& words, std::uint32_t rank);

// Of all that launches of GPU 0 store in other GPUs.
class MirroredStores {
 public:
  // Launches of all GPUs must be alike.
  explicit MirroredStores(const program::Program& program);

  // Why places do not follow from places; empty: they do.
  const std::string& why_not() const { return why_not_; }
  // From where a store of GPU 0's lies in GPU `distance` to where GPU (gpus - distance) stores the same in GPU 0.
  std::uint64_t moved(std::uint64_t address, std::uint32_t distance) const;

 private:
  // Addresses of an array in which stores move by as much; unsigned, so that moves may go back.
  struct Place {
    std::uint64_t begin = 0, end = 0, move = 0;
    const program::Command* of = nullptr;
  };
  // Of a launch, in one other GPU.
  struct Places {
    const program::Command* of = nullptr;
    std::uint32_t distance = 0;
    std::map<std::uint32_t, Place> by_array;
  };

  void add_launch(std::uint32_t command, std::uint32_t distance);
  void add_view(const program::View& of_0, const program::View& other, Places& places);
  void add(const Places& places);

  const program::Program& program_;
  std::vector<std::vector<Place>> by_distance_;
  std::string why_not_;
};

}  // namespace t3sim
