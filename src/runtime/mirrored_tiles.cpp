#include "runtime/mirrored_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "program/bodies.h"
#include "program/writes.h"
#include "runtime/tables.h"

namespace t3sim {

using program::Launch;
using program::Program;
using program::SignalSet;
using program::SignalWait;
using program::View;

std::vector<std::uint32_t> counterparts(const Launch& of_0, const Launch& other) {
  std::vector<std::uint32_t> there(tiles_of(of_0));
  std::iota(there.begin(), there.end(), 0U);
  bool paired = there.size() == tiles_of(other) && of_0.then.size() == other.then.size();
  const auto pair = [&](const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
                        std::uint32_t first) {
    paired &= a.size() == b.size();
    for (std::size_t i = 0; paired && i < a.size(); ++i) there[first + a[i]] = first + b[i];
  };
  pair(of_0.order, other.order, 0);
  for (std::size_t i = 0; paired && i < of_0.then.size(); ++i) {
    paired = of_0.then[i].first_tile == other.then[i].first_tile;
    pair(of_0.then[i].order, other.then[i].order, of_0.then[i].first_tile);
  }
  if (!paired) there.clear();
  return there;
}

namespace {

struct TilesAlike {
  const Program& program;
  const Launch &a, &b;
  const MirroredWords& words;
  std::uint32_t rank;

  bool operator()(std::uint32_t tile, std::uint32_t other) const {
    const View own = tile_of(a, tile), there = tile_of(b, other);
    if (own.rows != there.rows || own.columns != there.columns) return false;
    if (turned(program, target_gpu(a, tile), rank) != target_gpu(b, other)) return false;
    return std::ranges::equal(a.stores.of(tile), b.stores.of(other), {}, &program::TileTarget::op,
                              &program::TileTarget::op) &&
           (a.waits.empty() || only_polls(tile) || words.alike(a.waits.of(tile), b.waits.of(other))) &&
           std::ranges::equal(a.sets.of(tile), b.sets.of(other),
                              [&](const auto& x, const auto& y) { return alike(x, y); });
  }

  // Workgroups that only wait: which of them for which word does not matter.
  bool polls_alike() const {
    std::vector<SignalWait> waits, others;
    for (std::uint32_t tile = 0; tile < tiles_of(a); ++tile)
      if (only_polls(tile)) {
        std::ranges::copy(a.waits.of(tile), std::back_inserter(waits));
        std::ranges::copy(b.waits.of(tile), std::back_inserter(others));
      }
    return words.alike(waits, others);
  }

 private:
  bool only_polls(std::uint32_t tile) const {
    const program::Body* body = &a.body;
    for (const program::Phase& phase : a.then)
      if (tile >= phase.first_tile) body = &phase.body;
    return std::holds_alternative<program::PollBody>(*body);
  }
  bool alike(const SignalSet& x, const SignalSet& y) const {
    return x.word.signals == y.word.signals && turned(program, x.word.gpu, rank) == y.word.gpu &&
           x.value == y.value && x.add == y.add && x.fence == y.fence && x.in_store == y.in_store &&
           x.last == y.last;
  }
};

// Where a tile's stores go.
View stored(const Program& program, const Launch& launch, std::uint32_t tile) {
  program::Access access{tile_of(launch, tile), true};
  program::target_of(program, launch, tile, access);
  return access.view;
}

}  // namespace

bool tiles_alike(const Program& program, const Launch& of_0, const Launch& other, const MirroredWords& words,
                 std::uint32_t rank) {
  const std::vector<std::uint32_t> there = counterparts(of_0, other);
  if (there.empty()) return tiles_of(of_0) == 0 && tiles_of(other) == 0;
  const TilesAlike same{program, of_0, other, words, rank};
  for (std::uint32_t tile = 0; tile < there.size(); ++tile)
    if (!same(tile, there[tile])) return false;
  return same.polls_alike();
}

MirroredStores::MirroredStores(const Program& program) : program_(program), by_distance_(program.gpu_count) {
  const std::vector<program::Command>& commands = program.gpus[0].commands;
  for (std::uint32_t c = 0; c < commands.size(); ++c)
    if (std::holds_alternative<Launch>(commands[c].action))
      for (std::uint32_t distance = 1; distance < program.gpu_count; ++distance) add_launch(c, distance);
}

void MirroredStores::add_launch(std::uint32_t command, std::uint32_t distance) {
  const std::uint32_t sender = program_.gpu_count - distance;
  const auto& of_0 = std::get<Launch>(program_.gpus[0].commands[command].action);
  const auto& other = std::get<Launch>(program_.gpus[sender].commands[command].action);
  Places places{&program_.gpus[0].commands[command], distance, {}};
  const std::vector<std::uint32_t> there = counterparts(of_0, other);
  for (std::uint32_t tile = 0; tile < there.size(); ++tile)
    if (target_gpu(of_0, tile) == distance)
      add_view(stored(program_, of_0, tile), stored(program_, other, there[tile]), places);
  const auto* sum = std::get_if<program::SumBody>(&of_0.body);
  if (sum && sum->tile_rows == 0 && sum->to.gpu == distance)  // it has no tiles
    add_view(sum->to, std::get<program::SumBody>(other.body).to, places);
  add(places);
}

void MirroredStores::add_view(const View& of_0, const View& other, Places& places) {
  if (of_0.rows == 0 || of_0.columns == 0) return;
  const Extent extent = extent_of(program_, of_0);
  const std::uint64_t end = extent.address + (extent.rows - 1) * extent.pitch_bytes + extent.row_bytes;
  const std::uint64_t move = extent_of(program_, other).address - extent.address;
  Place& place =
      places.by_array.try_emplace(of_0.array, Place{extent.address, end, move, places.of}).first->second;
  place.begin = std::min(place.begin, extent.address);
  place.end = std::max(place.end, end);
  if (place.move != move)
    why_not_ = fmt::format("what \"{}\" stores in GPU {} is not laid out there as what others store in GPU 0",
                           places.of->name, places.distance);
}

void MirroredStores::add(const Places& places) {
  std::vector<Place>& all = by_distance_[places.distance];
  for (const auto& [array, place] : places.by_array) {
    for (const Place& before : all)
      if (place.begin < before.end && before.begin < place.end && place.move != before.move)
        why_not_ = fmt::format("\"{}\" and \"{}\" store at the same places of GPU {}, each moved differently",
                               before.of->name, place.of->name, places.distance);
    all.push_back(place);
  }
}

std::uint64_t MirroredStores::moved(std::uint64_t address, std::uint32_t distance) const {
  for (const Place& place : by_distance_[distance])
    if (address >= place.begin && address < place.end) return address + place.move;
  return address;
}

}  // namespace t3sim
