// A program carried out without time: can every step come?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/steps.h"

namespace t3sim::program {

class Progress {
 public:
  // Carries out all that can be: steps without waits first, and waits only when nothing else is left.
  explicit Progress(const Steps& steps);

  // Steps in an order in which they can come; fewer than all if some cannot.
  const std::vector<std::uint32_t>& order() const { return order_; }
  bool complete() const { return order_.size() == steps_.size(); }

  // If some step cannot come, says who waits for whom: NoProgressError where hosts block, or collectives are met in different
  // orders, which a run would show (exit status 3); InputError for what no run could mend.
  void check() const;

 private:
  struct Word {
    std::uint64_t highest = 0;  // that it was, or was set to
    std::uint64_t added = 0;
    std::uint32_t times = 0;  // that it was set
  };

  void run();
  void carry_out(std::uint32_t step);
  bool satisfied(const StepWait& wait) const;
  bool satisfied(const Step& step) const;
  // What a step that cannot come waits for: another one, or itself if nothing can help it.
  std::uint32_t blocker(std::uint32_t step) const;
  bool takes_time_to_show(std::uint32_t step) const;
  [[noreturn]] void refuse(std::uint32_t step) const;
  [[noreturn]] void refuse_word(std::uint32_t step, const StepWait& wait) const;
  // What sets another word of the same name, in words; empty: nothing does.
  std::string near_word(std::uint32_t word) const;

  const Steps& steps_;
  std::vector<std::uint32_t> order_;
  std::vector<bool> done_;
  std::vector<std::uint32_t> missing_;                  // by step: steps before it that are not done
  std::vector<std::vector<std::uint32_t>> successors_;  // by step
  std::vector<std::uint32_t> ready_, waiting_;
  std::vector<Word> words_;
};

}  // namespace t3sim::program
