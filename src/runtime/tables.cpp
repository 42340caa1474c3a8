#include "runtime/tables.h"

#include "base/number.h"
#include "program/bodies.h"

namespace t3sim {

using program::Action;
using program::Array;
using program::Launch;
using program::Program;
using program::SetSignal;
using program::SignalSet;
using program::View;

ProgramTables::ProgramTables(const Program& program) {
  if (!program.gpus.empty()) add_communicators(program.gpus[0]);
  for (std::uint32_t gpu = 0; gpu < program.gpus.size(); ++gpu) {
    const std::vector<program::Command>& commands = program.gpus[gpu].commands;
    for (std::uint32_t c = 0; c < commands.size(); ++c) {
      const Action& action = commands[c].action;
      if (const auto* copy = std::get_if<program::Copy>(&action)) {
        of_[{gpu, c}] = narrow<std::uint32_t>(copies.size());
        copies.push_back({gpu, c, copy});
      } else if (const auto* set = std::get_if<SetSignal>(&action)) {
        of_[{gpu, c}] = narrow<std::uint32_t>(settings.size());
        settings.push_back(set->set);
        setters.push_back({gpu, c, 0, 0});
        set_by_kernel.push_back(false);
      } else if (const auto* launch = std::get_if<Launch>(&action)) {
        add_launch({gpu, c}, *launch);
      }
    }
  }
}

void ProgramTables::add_communicators(const program::GpuCommands& gpu) {
  std::map<std::uint32_t, std::uint32_t> of_stream;
  for (const program::Command& command : gpu.commands)
    if (const auto* collective = std::get_if<program::Collective>(&command.action)) {
      const auto next = narrow<std::uint32_t>(of_stream.size());
      if (communicators_.size() <= collective->number) {
        communicators_.resize(collective->number + 1);
        low_latency.resize(collective->number + 1);
      }
      low_latency[collective->number] = collective->low_latency;
      communicators_[collective->number] = of_stream.try_emplace(command.stream, next).first->second;
    }
}

void ProgramTables::add_launch(Key key, const Launch& launch) {
  if (launch.sets.empty()) return;
  const std::uint32_t tiles = tiles_of(launch);
  std::vector<std::uint32_t>& first = first_[key];
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    first.push_back(narrow<std::uint32_t>(settings.size()));
    const auto sets = launch.sets.of(tile);
    for (std::uint32_t nth = 0; nth < sets.size(); ++nth) {
      settings.push_back(sets[nth]);
      setters.push_back({key.first, key.second, tile, nth});
      set_by_kernel.push_back(true);
    }
  }
}

Extent extent_of(const Program& program, const View& view) {
  const Array& array = program.arrays[view.array];
  const std::uint64_t element = element_bytes(array.type);
  const std::uint64_t along = array.column_major ? view.first_row : view.first_column;
  const std::uint64_t across = array.column_major ? view.first_column : view.first_row;
  return {array.address + view.copy * array.stride_bytes + across * array.pitch_bytes + along * element,
          array.pitch_bytes, (array.column_major ? view.rows : view.columns) * element,
          array.column_major ? view.columns : view.rows};
}

}  // namespace t3sim
