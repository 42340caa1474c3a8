#include "program/writes.h"

#include <algorithm>

#include "base/number.h"
#include "program/bodies.h"
#include "program/views.h"

namespace t3sim::program {
namespace {

bool stores_elsewhere(const Launch& launch) { return !launch.stores.empty(); }

struct Collector {
  std::vector<Access>& all;
  void operator()(const Launch& launch) const {
    each_body(launch, [&](const Body& body) {
      for (const View& view : inputs_of(body)) all.push_back({view});
      const auto* sum = std::get_if<SumBody>(&body);
      if (!stores_elsewhere(launch) && !std::holds_alternative<PollBody>(body))
        all.push_back({output_of(body), true, sum && sum->add});
    });
  }
  void operator()(const Copy& copy) const {
    all.push_back({copy.from});
    all.push_back({copy.to, true});
  }
  void operator()(const Collective& collective) const {
    all.push_back({collective.in});
    all.push_back({collective.out, true});
  }
  template <class Other>
  void operator()(const Other&) const {}
};

// The array of a GPU in which an address is, and where in it.
View element_at(const Program& program, std::uint64_t address) {
  const auto found = std::ranges::find_if(program.arrays, [&](const Array& array) {
    return address >= array.address && address < array.address + array.copies * array.stride_bytes;
  });
  if (found == program.arrays.end()) return {};
  const std::uint64_t offset = address - found->address;
  const std::uint64_t in_copy = offset % found->stride_bytes;
  const std::uint64_t along = in_copy % found->pitch_bytes / element_bytes(found->type);
  const std::uint64_t across = in_copy / found->pitch_bytes;
  View view;
  view.array = narrow<std::uint32_t>(found - program.arrays.begin());
  view.copy = narrow<std::uint32_t>(offset / found->stride_bytes);
  view.first_row = found->column_major ? along : across;
  view.first_column = found->column_major ? across : along;
  return view;
}

}  // namespace

std::vector<Access> accesses_of(const Action& action) {
  std::vector<Access> all;
  std::visit(Collector{all}, action);
  return all;
}

bool target_of(const Program& program, const Launch& launch, std::uint32_t tile, Access& access) {
  const std::span<const TileTarget> targets = launch.stores.of(tile);
  if (targets.empty()) return false;
  const View own = tile_of(launch, tile);
  View view =
      element_at(program, address_of(program, own) + static_cast<std::uint64_t>(targets[0].offset_bytes));
  view.gpu = targets[0].gpu;
  view.rows = own.rows;
  view.columns = own.columns;
  access = {view, true, targets[0].op == Op::update};
  return true;
}

std::vector<Access> targets_of(const Program& program, const Launch& launch) {
  std::vector<Access> all;
  if (!stores_elsewhere(launch)) return all;
  const std::uint32_t tiles = tiles_of(launch);
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    if (std::holds_alternative<PollBody>(body_tile(launch, tile).body)) continue;
    Access access{tile_of(launch, tile), true};
    target_of(program, launch, tile, access);
    all.push_back(access);
  }
  return all;
}

std::vector<bool> written_arrays(const Program& program) {
  std::vector<bool> written(program.arrays.size());
  for (const GpuCommands& gpu : program.gpus)
    for (const Command& command : gpu.commands) {
      for (const Access& access : accesses_of(command.action))
        if (access.writes) written[access.view.array] = true;
      if (const auto* launch = std::get_if<Launch>(&command.action))
        for (const Access& access : targets_of(program, *launch)) written[access.view.array] = true;
    }
  return written;
}

}  // namespace t3sim::program
