// gpus.model: mirror for programs: GPU 0 alone is simulated, and what it does for GPU d comes back to it as what GPU (gpus - d)
// does for GPU 0. Exact where every GPU does what GPU 0 does, with peers turned by its number.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "machine/config.h"
#include "program/program.h"
#include "runtime/mirrored_tiles.h"
#include "runtime/tables.h"
#include "sim/request.h"

namespace t3sim {

// Why GPU 0 cannot stand for all; empty: it can. Commands of all GPUs must be alike, one by one, and of kernels that wait, store
// or signal by tile the tiles, in their order, but for where in an array they read and write. Bags of embeddings are drawn
// anew on every GPU: they are not alike.
std::string why_no_mirror(const program::Program& program);
// The same of a program on a machine.
std::string why_no_mirror(const Config& config, const program::Program& program);

// GPU `gpu`'s number of a copy or a setting, of the command that has this number on any GPU.
std::uint32_t turned_copy(const ProgramTables& tables, std::uint32_t copy, std::uint32_t gpu);

// What GPU 0 has sent to GPU `distance`, as GPU (gpus - distance) sends it to GPU 0.
class ProgramMirror {
 public:
  ProgramMirror(const program::Program& program, const ProgramTables& tables);
  void operator()(Request& request, std::uint32_t distance) const;

 private:
  // The number that the sender has for a setting of GPU 0's.
  std::uint32_t turned_setting(std::uint32_t setting, std::uint32_t sender) const;

  const program::Program& program_;
  const ProgramTables& tables_;
  MirroredStores stores_;
  // Of launches that signal: by command, then sender, then tile of GPU 0.
  std::map<std::uint32_t, std::vector<std::vector<std::uint32_t>>> tiles_;
};

}  // namespace t3sim
