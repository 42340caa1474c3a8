#include "memctrl/refresh.h"

#include <bit>

namespace t3sim {

RefreshEngine::RefreshEngine(const MemoryConfig& config, Tick period)
    : per_bank_(config.refresh.mode == RefreshMode::per_bank), banks_(config.banks()) {
  interval_ = period * (per_bank_ ? config.refresh.interval_cycles / banks_ : config.refresh.interval_cycles);
  if (config.refresh.mode != RefreshMode::none) due_ = interval_;
  due_banks_ = per_bank_ ? 1 : ~std::uint64_t{0} >> (64 - banks_);
}

RefreshEngine::Step RefreshEngine::next_step(const TimingState& timing) const {
  Step step{kNever, Command::precharge, 0};
  for (std::uint64_t banks = due_banks_; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(banks));
    if (!timing.open(bank)) continue;
    const Tick at = timing.earliest(Command::precharge, bank);
    if (at < step.at) step = {at, Command::precharge, bank};
  }
  if (step.at == kNever) {
    const Command command = per_bank_ ? Command::refresh_bank : Command::refresh;
    step = {timing.earliest(command, turn_), command, turn_};
  }
  step.at = std::max(step.at, due_);
  return step;
}

void RefreshEngine::refreshed() {
  due_ += interval_;
  if (!per_bank_) return;
  turn_ = (turn_ + 1) % banks_;
  due_banks_ = std::uint64_t{1} << turn_;
}

}  // namespace t3sim
