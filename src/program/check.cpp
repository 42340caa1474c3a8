#include "program/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "program/messages.h"
#include "program/progress.h"

namespace t3sim::program {
namespace {

struct Meeting {
  std::string what;
  const Place* place;
};

// The barriers, or the collectives, of a GPU. Barriers come in order; collectives are counted by kind, as their order
// may differ between streams.
std::vector<Meeting> barriers_of(const GpuCommands& gpu) {
  std::vector<Meeting> all;
  for (const Command& command : gpu.commands)
    if (const auto* barrier = std::get_if<Barrier>(&command.action))
      all.push_back({barrier->host ? "barrier of hosts" : "barrier", &command.place});
  return all;
}
std::vector<Meeting> collectives_of(const GpuCommands& gpu) {
  std::vector<Meeting> all;
  for (const Command& command : gpu.commands)
    if (const auto* collective = std::get_if<Collective>(&command.action))
      all.push_back({std::string(t3sim::to_string(collective->kind)), &command.place});
  std::ranges::stable_sort(all, {}, &Meeting::what);
  return all;
}

void check_alike(const std::vector<Meeting>& first, const std::vector<Meeting>& other, std::size_t gpu,
                 const char* what) {
  const std::size_t both = std::min(first.size(), other.size());
  for (std::size_t i = 0; i < both; ++i)
    if (first[i].what != other[i].what)
      throw error_at(*other[i].place, fmt::format("GPU {}: {} where GPU 0 has {} (line {})", gpu,
                                                  other[i].what, first[i].what, first[i].place->line));
  if (first.size() == other.size()) return;
  const Meeting& extra = first.size() > other.size() ? first[both] : other[both];
  throw error_at(*extra.place, fmt::format("{}: GPU 0 has {}, GPU {} has {}; all GPUs must come to each",
                                           what, first.size(), gpu, other.size()));
}

// As many of each kind everywhere, and yet not the same ones.
void check_same_collectives(const Program& program) {
  std::map<std::uint32_t, std::pair<std::uint32_t, const Command*>>
      came;  // by number: GPUs, the first one's command
  for (const GpuCommands& gpu : program.gpus)
    for (const Command& command : gpu.commands)
      if (const auto* collective = std::get_if<Collective>(&command.action)) {
        auto& [gpus, first] = came[collective->number];
        if (gpus++ == 0) first = &command;
      }
  for (const auto& [number, one] : came)
    if (one.first != program.gpu_count)
      throw error_at(one.second->place,
                     fmt::format("{}: {} of {} GPUs come to it; the others have none of these arrays",
                                 one.second->name, one.first, program.gpu_count));
}

void check_meetings(const Program& program) {
  for (std::size_t gpu = 1; gpu < program.gpus.size(); ++gpu) {
    check_alike(barriers_of(program.gpus[0]), barriers_of(program.gpus[gpu]), gpu, "barriers");
    check_alike(collectives_of(program.gpus[0]), collectives_of(program.gpus[gpu]), gpu, "collectives");
  }
  check_same_collectives(program);
}

}  // namespace

void check(const Program& program) {
  check_meetings(program);
  const Steps steps(program, true);
  Progress(steps).check();
}

}  // namespace t3sim::program
