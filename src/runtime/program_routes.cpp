#include "runtime/program_routes.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <tuple>

#include "base/number.h"
#include "interconnect/cards.h"
#include "program/bodies.h"
#include "program/messages.h"

namespace t3sim {
namespace {

using program::Launch;

class RouteCheck {
 public:
  RouteCheck(const Config& config, const program::Program& program) : config_(config), program_(program) {}

  void check() {
    for (std::uint32_t gpu = 0; gpu < program_.gpu_count; ++gpu)
      for (const program::Command& command : program_.gpus[gpu].commands) {
        gpu_ = gpu;
        command_ = &command;
        std::visit([&](const auto& action) { look_at(action); }, command.action);
      }
    if (wrong_)
      throw program::error_at(wrong_->place,
                              fmt::format("GPU {}: {}: {}", wrong_gpu_, wrong_->name, wrong_why_));
  }

 private:
  void look_at(const program::Copy& copy) {
    if (copy.from.gpu == copy.to.gpu)
      return refuse(
          "from and to are in one memory: copy engines move data between GPUs here; allowed: launch: {sum: "
          "{from: [a], to: b}}, a copy by CUs");
    way(copy.from.gpu, copy.to.gpu, copy.put ? By::put : By::copy);
  }
  void look_at(const program::SetSignal& set) { way(gpu_, set.set.word.gpu); }
  void look_at(const Launch& launch) {
    way(gpu_, program::output_of(launch.body).gpu, By::store);
    if (launch.stores.empty() && launch.sets.empty()) return;
    const std::uint32_t tiles = program::tiles_of(launch);
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
      for (const program::TileTarget& target : launch.stores.of(tile)) way(gpu_, target.gpu, By::store);
      for (const program::SignalSet& set : launch.sets.of(tile)) way(gpu_, set.word.gpu, By::store);
    }
  }
  // Data goes to the next GPU, what says that a buffer is free to the one before; a mesh has all ways.
  void look_at(const program::Collective& collective) {
    const std::uint32_t gpus = program_.gpu_count;
    const bool all = collective.kind == program::CollectiveKind::all_to_all;
    for (std::uint32_t d = 1; d < gpus; ++d)
      if (all || d == 1 || d == gpus - 1) way(gpu_, (gpu_ + d) % gpus);
  }
  template <class Other>
  void look_at(const Other&) {}

  // What a kernel stores goes straight to the other memory; what copies and collectives send may pass a host's.
  enum class By : std::uint8_t { copy, store, put };

  void way(std::uint32_t from, std::uint32_t to, By by = By::copy) {
    if (from == to) return;
    const auto [known, fresh] = why_.try_emplace({from, to, by});
    if (fresh) known->second = wrong_with(from, to, by);
    if (!known->second.empty()) refuse(known->second);
  }
  // The first in the text is said.
  void refuse(const std::string& why) {
    if (wrong_ && place_of(*wrong_) <= place_of(*command_)) return;
    wrong_ = command_;
    wrong_gpu_ = gpu_;
    wrong_why_ = why;
  }
  std::string wrong_with(std::uint32_t from, std::uint32_t to, By by) const {
    std::string wrong = unreachable(config_.topology, program_.gpu_count,
                                    {{narrow<std::uint16_t>(from), narrow<std::uint16_t>(to)}});
    if (!wrong.empty() || by == By::copy) return wrong;
    if (by == By::put) return wrong_with_put(from, to);
    const auto topology = make_topology(config_.topology, program_.gpu_count);
    if (way_of(topology->graph, topology->routes.route(from, to)) != Way::host_memory) return {};
    return fmt::format(
        "kernels of GPU {} cannot store into GPU {}: there is no peer access (topology); allowed: copies and "
        "collectives, through the host's memory",
        from, to);
  }
  std::string wrong_with_put(std::uint32_t from, std::uint32_t to) const {
    const std::vector<std::string> cards = put_cards(config_.topology, program_.gpu_count, from);
    if (!cards.empty() && !cards[to].empty()) return {};
    return fmt::format(
        "no network card takes puts from GPU {} to GPU {} (topology.card.puts); allowed: copy, or stores of "
        "the kernel",
        from, to);
  }
  static std::tuple<int, int> place_of(const program::Command& command) {
    return {command.place.line, command.place.column};
  }

  const Config& config_;
  const program::Program& program_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, By>, std::string> why_;  // by way; empty: there is one
  std::uint32_t gpu_ = 0, wrong_gpu_ = 0;
  const program::Command *command_ = nullptr, *wrong_ = nullptr;
  std::string wrong_why_;
};

}  // namespace

void check_routes(const Config& config, const program::Program& program) {
  RouteCheck(config, program).check();
}

}  // namespace t3sim
