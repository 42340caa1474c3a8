#include "runtime/ring_of_waiters.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/number.h"

namespace t3sim {
namespace {

using program::Launch;
using program::SignalWord;

// A command of a GPU.
using Waiter = std::pair<std::uint32_t, std::uint32_t>;

class Waiters {
 public:
  Waiters(const program::Program& program, const std::vector<std::vector<CommandTimes>>& times)
      : program_(program), times_(times) {}

  std::vector<Waiter> ring() {
    for (std::uint32_t g = 0; g < times_.size(); ++g)
      for (std::uint32_t c = 0; c < times_[g].size(); ++c)
        if (!done({g, c}) && closes({g, c})) return ring_;
    return {};
  }

 private:
  const program::Command& command(Waiter w) const { return program_.gpus[w.first].commands[w.second]; }
  const CommandTimes& times(Waiter w) const { return times_[w.first][w.second]; }
  bool done(Waiter w) const { return times(w).done != kNever; }
  bool begun(Waiter w) const { return times(w).begun != kNever; }

  // Follows who waits for whom; true: the way has come back to itself, and ring_ is the part that goes round.
  bool closes(Waiter w) {
    if (const auto on_way = std::ranges::find(way_, w); on_way != way_.end()) {
      ring_.assign(on_way, way_.end());
      return true;
    }
    if (!seen_.insert(w).second) return false;
    way_.push_back(w);
    const std::vector<Waiter> next = waits_for(w);
    if (std::ranges::any_of(next, [&](Waiter n) { return closes(n); })) return true;
    way_.pop_back();
    return false;
  }

  std::vector<Waiter> waits_for(Waiter w) const {
    if (times(w).issued == kNever)
      return first(w.first, [&](Waiter o) { return host_carries_out(command(o).action); });
    if (!begun(w))
      if (auto ahead = first(w.first, [&](Waiter o) { return is_in_stream_of(w, o); }); ahead[0] != w)
        return ahead;
    return std::visit([&](const auto& action) { return of(w, action); }, command(w).action);
  }
  bool is_in_stream_of(Waiter w, Waiter o) const {
    return command(o).stream == command(w).stream && !host_carries_out(command(o).action);
  }

  // Commands of all GPUs, or of one, that are not done.
  template <class Which>
  std::vector<Waiter> all(Which&& which) const {
    std::vector<Waiter> found;
    for (std::uint32_t g = 0; g < times_.size(); ++g)
      for (std::uint32_t c = 0; c < times_[g].size(); ++c)
        if (!done({g, c}) && which(Waiter(g, c))) found.emplace_back(g, c);
    return found;
  }
  template <class Which>
  std::vector<Waiter> first(std::uint32_t gpu, Which&& which) const {
    for (std::uint32_t c = 0; c < times_[gpu].size(); ++c)
      if (!done({gpu, c}) && which(Waiter(gpu, c))) return {{gpu, c}};
    return {};
  }

  bool sets(Waiter o, const SignalWord& word) const {
    if (const auto* set = std::get_if<program::SetSignal>(&command(o).action)) return set->set.word == word;
    const auto* launch = std::get_if<Launch>(&command(o).action);
    if (!launch) return false;
    for (std::uint32_t tile = 0; tile < launch->sets.tiles(); ++tile)
      if (std::ranges::find(launch->sets.of(tile), word, &program::SignalSet::word) !=
          launch->sets.of(tile).end())
        return true;
    return false;
  }
  std::vector<Waiter> setters(const SignalWord& word) const {
    return all([&](Waiter o) { return sets(o, word); });
  }
  // Kernels whose places it may lack: those of its GPU that have begun before it.
  std::vector<Waiter> holders_of_places(Waiter w) const {
    return all([&](Waiter o) {
      const program::Action& action = command(o).action;
      return o.first == w.first && o != w && begun(o) && times(o).begun <= times(w).begun &&
             (std::holds_alternative<Launch>(action) || std::holds_alternative<program::Collective>(action));
    });
  }
  template <class Meeting>
  std::vector<Waiter> who_has_not_come(const Meeting& meeting) const {
    return all([&](Waiter o) {
      const auto* same = std::get_if<Meeting>(&command(o).action);
      return same && same->number == meeting.number && !begun(o);
    });
  }

  std::vector<Waiter> of(Waiter w, const Launch& launch) const {
    std::vector<Waiter> found;
    std::set<Waiter> known;
    const auto add = [&](const std::vector<Waiter>& more) {
      for (const Waiter& o : more)
        if (o != w && known.insert(o).second) found.push_back(o);
    };
    bool own = false;  // its workgroups poll for others of its own
    for (std::uint32_t tile = 0; tile < launch.waits.tiles(); ++tile)
      for (const program::SignalWait& wait : launch.waits.of(tile)) {
        add(setters(wait.word));
        own = own || sets(w, wait.word);
      }
    add(holders_of_places(w));
    if (own) found.push_back(w);
    return found;
  }
  std::vector<Waiter> of(Waiter w, const program::Collective& collective) const {
    std::vector<Waiter> found = who_has_not_come(collective);
    if (found.empty()) found = holders_of_places(w);
    return found.empty() ? peers_without_places(collective) : found;
  }
  // Its kernels on other GPUs that came behind others there, and may lack their places.
  std::vector<Waiter> peers_without_places(const program::Collective& collective) const {
    return all([&](Waiter o) {
      const auto* same = std::get_if<program::Collective>(&command(o).action);
      return same && same->number == collective.number && !holders_of_places(o).empty();
    });
  }
  std::vector<Waiter> of(Waiter, const program::Barrier& barrier) const { return who_has_not_come(barrier); }
  std::vector<Waiter> of(Waiter, const program::WaitSignal& wait) const { return setters(wait.wait.word); }
  std::vector<Waiter> of(Waiter, const program::SyncSignal& sync) const { return setters(sync.wait.word); }
  std::vector<Waiter> of(Waiter w, const program::WaitEvent& wait) const { return records(w, wait.event); }
  std::vector<Waiter> of(Waiter w, const program::SyncEvent& sync) const { return records(w, sync.event); }
  std::vector<Waiter> of(Waiter w, const program::SyncStream& sync) const {
    return first(w.first, [&](Waiter o) {
      return command(o).stream == sync.stream && !host_carries_out(command(o).action);
    });
  }
  template <class Other>
  std::vector<Waiter> of(Waiter, const Other&) const {
    return {};
  }
  std::vector<Waiter> records(Waiter w, std::uint32_t event) const {
    return first(w.first, [&](Waiter o) {
      const auto* record = std::get_if<program::Record>(&command(o).action);
      return record && record->event == event;
    });
  }

  const program::Program& program_;
  const std::vector<std::vector<CommandTimes>>& times_;
  std::vector<Waiter> way_, ring_;
  std::set<Waiter> seen_;
};

}  // namespace

std::string ring_of_waiters(const program::Program& program,
                            const std::vector<std::vector<CommandTimes>>& times) {
  const std::vector<Waiter> ring = Waiters(program, times).ring();
  std::string text;
  for (const auto& [gpu, number] : ring) {
    const program::Command& c = program.gpus[gpu].commands[number];
    text += fmt::format("{}GPU {}: {} (line {})", text.empty() ? "" : "; ", gpu, c.name, c.place.line);
  }
  if (ring.size() == 1)
    return text +
           " waits for itself: workgroups that have places poll words that others of its own set, which get "
           "none";
  return text.empty() ? text : "these wait for each other, each for the next: " + text;
}

}  // namespace t3sim
