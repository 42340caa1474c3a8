// The words of signals in one GPU's memory, and who waits for them.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/kernel_run.h"
#include "program/program.h"

namespace t3sim {

class SignalMemory {
 public:
  SignalMemory(const program::Program& program, std::uint32_t gpu);

  bool reached(const program::SignalWait& wait) const { return at(wait.word).value >= wait.value; }
  std::uint64_t value(const program::SignalWord& word) const { return at(word).value; }
  // `waiter` is told once, at the word's next change.
  void watch(const program::SignalWord& word, ArrivalWaiter& waiter);
  void set(const program::SignalSet& set, Tick now);
  void reset(const program::SignalWord& word) { at(word).value = 0; }
  // Grows with every change.
  std::uint64_t changes() const { return changes_; }

 private:
  struct Word {
    std::uint64_t value = 0;
    std::vector<ArrivalWaiter*> waiters;
  };
  Word& at(const program::SignalWord& word) { return words_[word.signals][word.index]; }
  const Word& at(const program::SignalWord& word) const { return words_[word.signals][word.index]; }

  std::vector<std::vector<Word>> words_;
  std::uint64_t changes_ = 0;
};

// Where the word lies: on a line of its own, at the same address on every GPU.
std::uint64_t address_of(const program::Program& program, const program::SignalWord& word);

}  // namespace t3sim
