#include "program/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/number.h"
#include "program/bodies.h"
#include "program/tile_sets.h"

namespace t3sim::program {

class Steps::Maker {
 public:
  Maker(Steps& steps, bool by_tile) : s_(steps), by_tile_(by_tile) {}

  void gpu(std::uint32_t gpu) {
    const GpuCommands& commands = s_.program_.gpus[gpu];
    gpu_ = gpu;
    last_.assign(commands.streams.size(), kNone);
    recorded_.assign(commands.events.size(), kNone);
    host_ = kNone;
    resets_.clear();
    for (std::uint32_t i = 0; i < commands.commands.size(); ++i) {
      command_ = i;
      stream_ = commands.commands[i].stream;
      std::visit([&](const auto& action) { add(action); }, commands.commands[i].action);
    }
  }

 private:
  static constexpr std::uint32_t kNone = Step::kNoCommand;

  std::uint32_t step(std::vector<std::uint32_t> after) {
    Step step;
    step.gpu = gpu_;
    step.command = command_;
    std::erase(after, kNone);
    step.after = std::move(after);
    s_.steps_.push_back(std::move(step));
    return s_.size() - 1;
  }
  Step& at(std::uint32_t step) { return s_.steps_[step]; }
  // The next step of the stream.
  std::uint32_t in_stream() { return last_[stream_] = step({last_[stream_], host_}); }
  std::uint32_t on_host(std::uint32_t also = kNone) { return host_ = step({host_, also}); }

  StepWait wait(const SignalWait& wait) const {
    StepWait made{s_.word(wait.word), wait.value};
    const auto resets = resets_.find({stream_, made.word});
    if (resets == resets_.end()) return made;
    for (const std::uint64_t value : resets->second) {
      ++made.resets;
      made.as_large += value >= wait.value;
      made.reset_away += value;
    }
    return made;
  }
  StepSet set(const SignalSet& set) const {
    return {s_.word(set.word), set.value, set.value, set.add, set.fence};
  }

  void add(const Launch& launch) {
    const bool tiles = !launch.waits.empty() || !launch.stores.empty() || !launch.sets.empty();
    if (!tiles || !by_tile_) return whole(launch);
    const std::uint32_t first = in_stream();
    std::vector<std::uint32_t> parts;
    for (TileSet& set : tile_sets(s_.program_, launch)) {
      parts.push_back(step({first}));
      fill(parts.back(), set);
    }
    last_[stream_] = step(std::move(parts));
  }
  void fill(std::uint32_t index, TileSet& set) {
    Step& step = at(index);
    for (const SignalWait& one : set.waits) step.waits.push_back(wait(one));
    for (const SignalSet& one : set.sets) {
      const std::uint64_t times = one.add ? set.tiles.size() : 1;
      step.sets.push_back({s_.word(one.word), one.value * times, one.value, one.add, one.fence});
    }
    step.accesses = std::move(set.accesses);
    step.tiles = narrow<std::uint32_t>(set.tiles.size());
  }
  void whole(const Launch& launch) {
    Step& step = at(in_stream());
    step.accesses = accesses_of(launch);
    for (const Access& target : targets_of(s_.program_, launch)) step.accesses.push_back(target);
    const std::uint32_t tiles = launch.waits.empty() && launch.sets.empty() ? 0 : tiles_of(launch);
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
      for (const SignalWait& one : launch.waits.of(tile)) step.waits.push_back(wait(one));
      for (const SignalSet& one : launch.sets.of(tile)) step.sets.push_back(set(one));
    }
  }
  void add(const Copy& copy) { at(in_stream()).accesses = accesses_of(copy); }
  void add(const Collective& collective) {
    meet(collective_meetings_[collective.number], in_stream());
    last_[stream_] = step({meeting_});
    at(last_[stream_]).accesses = accesses_of(collective);
  }
  void add(const Barrier& barrier) {
    meet(barrier_meetings_[barrier.number], barrier.host ? on_host() : in_stream());
    (barrier.host ? host_ : last_[stream_]) = step({meeting_});
  }
  // `arrival` is one of those that the meeting, made where there is none yet, waits for.
  void meet(std::optional<std::uint32_t>& meeting, std::uint32_t arrival) {
    if (!meeting) {
      meeting = step({});
      at(*meeting).command = kNone;
    }
    at(*meeting).after.push_back(arrival);
    meeting_ = *meeting;
  }
  void add(const SetSignal& signal) {
    const StepSet made = set(signal.set);
    at(in_stream()).sets.push_back(made);
  }
  void add(const WaitSignal& signal) {
    const StepWait made = wait(signal.wait);
    at(in_stream()).waits.push_back(made);
    if (signal.reset) resets_[{stream_, made.word}].push_back(made.value);
  }
  void add(const Record& record) { recorded_[record.event] = in_stream(); }
  void add(const WaitEvent& wait) { at(in_stream()).after.push_back(recorded_[wait.event]); }
  void add(const SyncEvent& sync) { on_host(recorded_[sync.event]); }
  void add(const SyncStream& sync) { on_host(last_[sync.stream]); }
  void add(const SyncSignal& sync) {
    const StepWait made = wait(sync.wait);
    at(on_host()).waits.push_back(made);
  }
  void add(const HostTime&) { on_host(); }
  void add(const Flush&) { in_stream(); }

  Steps& s_;
  bool by_tile_;
  std::uint32_t gpu_ = 0, command_ = 0, stream_ = 0, meeting_ = 0;
  std::uint32_t host_ = kNone;                  // the last step that held the host up
  std::vector<std::uint32_t> last_, recorded_;  // by stream, by event
  // By stream and word: values of the waits so far that reset it.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint64_t>> resets_;
  std::map<std::uint32_t, std::optional<std::uint32_t>> barrier_meetings_, collective_meetings_;
};

Steps::Steps(const Program& program, bool by_tile) : program_(program) {
  for (const Signals& signals : program.signals) {
    first_words_.push_back(words_);
    counts_.push_back(signals.count);
    words_ += signals.count * program.gpu_count;
  }
  Maker maker(*this, by_tile);
  for (std::uint32_t gpu = 0; gpu < program.gpu_count; ++gpu) maker.gpu(gpu);
}

SignalWord Steps::signal_word(std::uint32_t word) const {
  const auto found = std::ranges::upper_bound(first_words_, word) - 1;
  const auto signals = narrow<std::uint32_t>(found - first_words_.begin());
  const std::uint32_t within = word - *found;
  return {signals, within % counts_[signals], within / counts_[signals]};
}

std::uint64_t Steps::initial(std::uint32_t word) const {
  const SignalWord w = signal_word(word);
  return program_.signals[w.signals].initial[w.gpu][w.index];
}

const Command& Steps::command(std::uint32_t step) const {
  return program_.gpus[steps_[step].gpu].commands[steps_[step].command];
}

std::string Steps::text(std::uint32_t step) const {
  if (steps_[step].command == Step::kNoCommand) return "all GPUs meet";
  std::string text = fmt::format("GPU {}: {}", steps_[step].gpu, command(step).name);
  if (steps_[step].tiles != 0) text += fmt::format(" ({} tiles)", steps_[step].tiles);
  return text;
}

}  // namespace t3sim::program
