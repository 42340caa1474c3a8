#include "runtime/mirrored_words.h"

#include <algorithm>

#include "runtime/mirrored_tiles.h"

namespace t3sim {

using program::Launch;
using program::SetSignal;
using program::SignalSet;
using program::SignalWait;
using program::SignalWord;

MirroredWords::MirroredWords(const program::Program& program, std::uint32_t rank)
    : program_(program), rank_(rank) {
  for (const program::Signals& signals : program.signals) there_.emplace_back(signals.count);
  back_ = there_;
  for (std::uint32_t setter = 0; setter < program.gpu_count; ++setter) pair_commands(setter);
}

MirroredWords::Key MirroredWords::key(const SignalWait& wait, std::optional<std::uint32_t> index) const {
  return {wait.word.signals, index, index ? 0 : initial(wait.word), wait.value};
}

bool MirroredWords::alike(std::span<const SignalWait> of_0, std::span<const SignalWait> other) const {
  if (of_0.size() != other.size()) return false;
  std::vector<Key> turned, there;
  for (const SignalWait& wait : of_0) turned.push_back(key(wait, there_[wait.word.signals][wait.word.index]));
  for (const SignalWait& wait : other) {
    const bool is_set = back_[wait.word.signals][wait.word.index].has_value();
    there.push_back(key(wait, is_set ? std::optional(wait.word.index) : std::nullopt));
  }
  std::ranges::sort(turned);
  std::ranges::sort(there);
  return turned == there;
}

void MirroredWords::pair_commands(std::uint32_t setter) {
  const std::vector<program::Command>& commands = program_.gpus[setter].commands;
  const std::vector<program::Command>& turned_commands =
      program_.gpus[turned(program_, setter, rank_)].commands;
  for (std::size_t c = 0; c < commands.size(); ++c) {
    const auto &action = commands[c].action, &other = turned_commands[c].action;
    if (action.index() != other.index()) continue;
    if (const auto* set = std::get_if<SetSignal>(&action))
      pair(set->set, std::get<SetSignal>(other).set);
    else if (const auto* launch = std::get_if<Launch>(&action))
      pair_tiles(*launch, std::get<Launch>(other));
  }
}

void MirroredWords::pair_tiles(const Launch& launch, const Launch& turned) {
  if (launch.sets.empty()) return;
  const std::vector<std::uint32_t> there = counterparts(launch, turned);
  for (std::uint32_t tile = 0; tile < there.size(); ++tile) {
    const auto sets = launch.sets.of(tile), others = turned.sets.of(there[tile]);
    for (std::size_t i = 0; i < std::min(sets.size(), others.size()); ++i) pair(sets[i], others[i]);
  }
}

void MirroredWords::pair(const SignalSet& set, const SignalSet& turned) {
  const SignalWord &word = set.word, &other = turned.word;
  if (word.gpu != 0 || other.gpu != rank_ || word.signals != other.signals) return;
  auto& there = there_[word.signals][word.index];
  auto& back = back_[word.signals][other.index];
  if (!there && !back) {
    there = other.index;
    back = word.index;
    correspond_ = correspond_ && initial(word) == initial(other);
  }
  correspond_ = correspond_ && there == other.index && back == word.index;
}

std::uint64_t MirroredWords::initial(const SignalWord& word) const {
  const auto& by_gpu = program_.signals[word.signals].initial;
  if (word.gpu >= by_gpu.size() || word.index >= by_gpu[word.gpu].size()) return 0;
  return by_gpu[word.gpu][word.index];
}

}  // namespace t3sim
