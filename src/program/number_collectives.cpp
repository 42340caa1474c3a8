#include "program/number_collectives.h"

#include <map>
#include <tuple>

#include "base/number.h"

namespace t3sim::program {
namespace {

using ByPlace = std::pair<int, int>;  // line, column
using ByArrays = std::tuple<CollectiveKind, std::uint32_t, std::uint32_t>;

ByPlace key_of(const Command& command, const Collective&, ByPlace) {
  return {command.place.line, command.place.column};
}
ByArrays key_of(const Command&, const Collective& collective, ByArrays) {
  return {collective.kind, collective.in.array, collective.out.array};
}

// Gives those that `concerns` a number from `first` on: the same where they are the n-th with their key.
template <class Key, class Concerns>
std::uint32_t number(Program& program, std::uint32_t first, Concerns&& concerns) {
  std::map<std::pair<Key, std::uint32_t>, std::uint32_t> numbers;
  for (GpuCommands& gpu : program.gpus) {
    std::map<Key, std::uint32_t> times;
    for (Command& command : gpu.commands) {
      auto* collective = std::get_if<Collective>(&command.action);
      if (!collective || !concerns(*collective)) continue;
      const Key key = key_of(command, *collective, Key());
      const std::pair nth(key, times[key]++);
      collective->number =
          numbers.try_emplace(nth, first + narrow<std::uint32_t>(numbers.size())).first->second;
    }
  }
  return first + narrow<std::uint32_t>(numbers.size());
}

// By number: GPUs that come.
std::vector<std::uint32_t> who_come(const Program& program, std::uint32_t numbers) {
  std::vector<std::uint32_t> come(numbers, 0);
  for (const GpuCommands& gpu : program.gpus)
    for (const Command& command : gpu.commands)
      if (const auto* collective = std::get_if<Collective>(&command.action)) ++come[collective->number];
  return come;
}

// Without gaps, in order of what they were.
void close_gaps(Program& program) {
  std::map<std::uint32_t, std::uint32_t> used;
  const auto each = [&](auto&& visit) {
    for (GpuCommands& gpu : program.gpus)
      for (Command& command : gpu.commands)
        if (auto* collective = std::get_if<Collective>(&command.action)) visit(*collective);
  };
  each([&](const Collective& c) { used[c.number]; });
  std::uint32_t next = 0;
  for (auto& [was, is] : used) is = next++;
  each([&](Collective& c) { c.number = used[c.number]; });
}

}  // namespace

void number_collectives(Program& program) {
  const std::uint32_t places = number<ByPlace>(program, 0, [](const Collective&) { return true; });
  const std::vector<std::uint32_t> come = who_come(program, places);
  number<ByArrays>(program, places, [&](const Collective& c) { return come[c.number] != program.gpu_count; });
  close_gaps(program);
}

}  // namespace t3sim::program
