#include "runtime/signal_memory.h"

#include <algorithm>

namespace t3sim {

SignalMemory::SignalMemory(const program::Program& program, std::uint32_t gpu) {
  for (const program::Signals& signals : program.signals) {
    std::vector<Word>& words = words_.emplace_back(signals.count);
    if (gpu >= signals.initial.size()) continue;
    const std::vector<std::uint64_t>& initial = signals.initial[gpu];
    for (std::size_t i = 0; i < std::min(words.size(), initial.size()); ++i) words[i].value = initial[i];
  }
}

void SignalMemory::watch(const program::SignalWord& word, ArrivalWaiter& waiter) {
  std::vector<ArrivalWaiter*>& waiters = at(word).waiters;
  if (std::ranges::find(waiters, &waiter) == waiters.end()) waiters.push_back(&waiter);
}

void SignalMemory::set(const program::SignalSet& set, Tick now) {
  Word& word = at(set.word);
  word.value = set.add ? word.value + set.value : set.value;
  ++changes_;
  const std::vector<ArrivalWaiter*> waiters = std::move(word.waiters);
  word.waiters.clear();
  for (ArrivalWaiter* waiter : waiters) waiter->arrived(now);
}

std::uint64_t address_of(const program::Program& program, const program::SignalWord& word) {
  return program.signals[word.signals].address + std::uint64_t{word.index} * kLineBytes;
}

}  // namespace t3sim
