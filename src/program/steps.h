// A program as steps: what happens at one go as far as order is concerned. Most commands are a step; a launch that
// waits, stores or sets tile by tile has one for each set of tiles that are alike in that, between a first and a last
// one; barriers and collectives have one in which all GPUs meet.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "program/program.h"
#include "program/writes.h"

namespace t3sim::program {

// A wait, and what waits before it in its stream took from the word by resetting it.
struct StepWait {
  std::uint32_t word = 0;  // Steps::word()
  std::uint64_t value = 1;
  std::uint32_t resets = 0;      // how many did
  std::uint32_t as_large = 0;    // of these, those that waited for as much as this one, or more
  std::uint64_t reset_away = 0;  // sum of what they waited for
};
// What a step makes of a word: of additions the sum, and the smallest one.
struct StepSet {
  std::uint32_t word = 0;
  std::uint64_t value = 1, smallest = 1;
  bool add = false;
  bool fence = true;  // false: who sees the word need not see what was written before it
};

struct Step {
  static constexpr std::uint32_t kNoCommand = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t gpu = 0;
  std::uint32_t command = kNoCommand;  // of the GPU; none: where all GPUs meet
  std::vector<std::uint32_t> after;    // steps that are over before
  std::vector<StepWait> waits;
  std::vector<StepSet> sets;
  std::vector<Access> accesses;
  std::uint32_t tiles = 0;  // that the step is; 0: all, or no tiles at all
};

class Steps {
 public:
  // `by_tile`: false: a launch is one step.
  Steps(const Program& program, bool by_tile);

  const Program& program() const { return program_; }
  const std::vector<Step>& all() const { return steps_; }
  const Step& operator[](std::uint32_t step) const { return steps_[step]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(steps_.size()); }

  std::uint32_t words() const { return words_; }
  std::uint32_t word(const SignalWord& word) const {
    return first_words_[word.signals] + word.gpu * counts_[word.signals] + word.index;
  }
  SignalWord signal_word(std::uint32_t word) const;
  std::uint64_t initial(std::uint32_t word) const;

  const Command& command(std::uint32_t step) const;
  // "GPU 1: gemm c = a * b (12 tiles)"
  std::string text(std::uint32_t step) const;

 private:
  class Maker;

  const Program& program_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> first_words_, counts_;  // by signals
  std::uint32_t words_ = 0;
};

}  // namespace t3sim::program
