// What is said of the order of steps, held against all interleavings of small programs.
#include "program/happens_before.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <compare>
#include <random>
#include <set>

#include "draws.h"
#include "program_text.h"

namespace t3sim::program {
namespace {

// Carries out the steps in every order that streams and words allow.
class AllOrders {
 public:
  explicit AllOrders(const Steps& steps) : steps_(steps), first_(steps.size()) {
    State state{0, std::vector<std::uint64_t>(steps.words())};
    for (std::uint32_t word = 0; word < steps.words(); ++word) state.words[word] = steps.initial(word);
    visit(state);
  }
  // Was `first` over in some order while `second` was not?
  bool over_alone(std::uint32_t first, std::uint32_t second) const {
    return (first_[first] >> second & 1U) != 0;
  }

 private:
  struct State {
    std::uint32_t done;
    std::vector<std::uint64_t> words;
    auto operator<=>(const State&) const = default;
  };

  bool can_come(const State& state, std::uint32_t step) const {
    for (const std::uint32_t before : steps_[step].after)
      if ((state.done >> before & 1U) == 0) return false;
    for (const StepWait& wait : steps_[step].waits)
      if (state.words[wait.word] < wait.value) return false;
    return true;
  }
  void visit(const State& state) {
    if (!seen_.insert(state).second) return;
    for (std::uint32_t step = 0; step < steps_.size(); ++step) {
      if ((state.done >> step & 1U) != 0) {
        first_[step] |= ~state.done;
      } else if (can_come(state, step)) {
        State next = state;
        next.done |= 1U << step;
        for (const StepSet& set : steps_[step].sets)
          next.words[set.word] = set.value + (set.add ? next.words[set.word] : 0);
        if (resets(step)) next.words[steps_[step].waits[0].word] = 0;
        visit(next);
      }
    }
  }
  bool resets(std::uint32_t step) const {
    if (steps_[step].command == Step::kNoCommand) return false;
    const auto* wait = std::get_if<WaitSignal>(&steps_.command(step).action);
    return wait && wait->reset;
  }

  const Steps& steps_;
  std::set<State> seen_;
  std::vector<std::uint32_t> first_;  // by step: those that it can be over before
};

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  // Two streams on each of two GPUs, three commands on each, of words, events, barriers and hosts.
  std::string program() {
    additions_ = below(2) == 0;
    text_ = "name: x\narrays: {}\nsignals: {s: {count: 2, value: " + std::to_string(below(3) == 0) +
            "}}\nstreams: [u, v]\ncommands:\n";
    for (int gpu = 0; gpu < 2; ++gpu)
      for (int i = 0; i < 6; ++i)
        text_ += fmt::format("- {{if: rank == {}, on: {}, do: [{}]}}\n", gpu, below(2) == 0 ? "u" : "v",
                             command());
    return text_ + "- {on: u, do: [{record: e}]}\n";
  }

 private:
  std::string command() {
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        return fmt::format("{{signal: \"s@{}[{}] {} {}\"}}", below(2), below(2), additions_ ? "+=" : "=",
                           1 + below(2));
      case 3:
      case 4:
        return fmt::format("{{wait: \"s[{}] >= {}\"}}", below(2), 1 + below(2));
      case 5:
        return fmt::format("{{wait: {{word: \"s[{}] >= {}\", reset: true}}}}", below(2), 1 + below(2));
      case 6:
        return below(2) == 0 ? "{sync: u}" : "{record: e}, {wait-event: e}";
      default:
        return "{record: e}";
    }
  }

  std::mt19937 random_;
  bool additions_ = false;
  std::string text_;
};

struct Tally {
  int programs = 0, ordered = 0, found = 0;
};

void compare(const std::string& text, Tally& tally) {
  const Program program = program_of(text);
  const Steps steps(program, true);
  const Progress progress(steps);
  if (!progress.complete() || steps.size() > 20) return;
  const HappensBefore order(steps, progress);
  const AllOrders all(steps);
  ++tally.programs;
  for (std::uint32_t first = 0; first < steps.size(); ++first)
    for (std::uint32_t second = 0; second < steps.size(); ++second) {
      if (first == second) continue;
      const bool always = !all.over_alone(second, first);
      ASSERT_TRUE(always || !order.before(first, second))
          << text << steps.text(first) << " need not be before " << steps.text(second);
      tally.ordered += always && all.over_alone(first, second);
      tally.found += always && order.before(first, second);
    }
}

TEST(HappensBefore, SaysNothingThatAnInterleavingContradictsAndMissesLittle) {
  Tally tally;
  for (unsigned seed = 0; seed < draws(4000U) && !testing::Test::HasFatalFailure(); ++seed)
    compare(Draw(seed).program(), tally);
  EXPECT_GT(tally.programs, draws(500));
  EXPECT_GT(tally.found, 0.95 * tally.ordered) << tally.found << " of " << tally.ordered;
}

}  // namespace
}  // namespace t3sim::program
