#include "sim/scheduler.h"

#include <bit>

namespace t3sim {

Scheduler::Scheduler(Tick near_ticks) : wheel_ticks_(std::bit_ceil(std::max<Tick>(near_ticks, 64))) {
  slots_.resize(wheel_ticks_);
  occupied_.resize(wheel_ticks_ / 64);
}

void Scheduler::add(Component& component) {
  assert(!started_);
  component.rank_ = static_cast<std::uint32_t>(components_.size());
  component.word_ = component.rank_ / 64;
  component.bit_ = std::uint64_t{1} << (component.rank_ % 64);
  components_.push_back(&component);
  if (components_.size() <= words_ * 64) return;
  ++words_;
  slots_.assign(wheel_ticks_ * words_, 0);
}

void Scheduler::push_far(const Far& event) {
  far_.push(event);
  far_at_ = far_.top().at;
}

// Moves far events that have come within the wheel's reach.
void Scheduler::pull_far() {
  while (far_at_ - now_ < wheel_ticks_) {
    set(*components_[far_.top().rank], far_at_);
    far_.pop();
    far_at_ = far_.empty() ? kNever : far_.top().at;
  }
}

// Slots are written far ahead of where time is, one here and one there, which the host cannot foresee; that they come nearer
// tick by tick, it can be told.
inline void Scheduler::prefetch_ahead(Tick at) const {
  constexpr Tick kAhead =
      2048;  // more than most wake-ups lie ahead, and few enough slots to stay in the host's caches
  __builtin_prefetch(&slots_[((at + kAhead) & (wheel_ticks_ - 1)) * words_], 1);
}

// First occupied slot at or after now, as a tick.
Tick Scheduler::next_near() const {
  const std::size_t start = now_ & (wheel_ticks_ - 1);
  const std::size_t word_count = occupied_.size();
  std::size_t word = start / 64;
  std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (start % 64));
  for (std::size_t i = 0; i <= word_count; ++i) {
    if (bits != 0) [[likely]] {
      const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      return now_ + ((slot - start) & (wheel_ticks_ - 1));
    }
    word = (word + 1) & (word_count - 1);
    bits = occupied_[word];
  }
  return kNever;
}

Tick Scheduler::next_event() {
  pull_far();
  const Tick near = next_near();
  return near != kNever ? near : far_at_;
}

namespace {

// The host can fetch the component that is woken next while the one before it runs: its beginning, at which
// components keep what they look at first.
[[gnu::always_inline]] inline void prefetch(const Component* component) { __builtin_prefetch(component); }

}  // namespace

void Scheduler::run_slot(Tick at) {
  const std::size_t slot = at & (wheel_ticks_ - 1);
  occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  std::uint64_t* due = &slots_[slot * words_];
  for (std::size_t w = 0; w < words_; ++w) {
    std::uint64_t bits = due[w];
    if (bits == 0) continue;
    due[w] = 0;
    Component* const* const components = &components_[w * 64];
    Component* next = components[std::countr_zero(bits)];
    while (next) {
      Component* const component = next;
      bits &= bits - 1;
      next = bits == 0 ? nullptr : components[std::countr_zero(bits)];
      prefetch(next);
      ++events_;
      component->wake(at);
    }
  }
}

std::vector<const Component*> Scheduler::due() const {
  std::vector<bool> is_due(components_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i)
    for (std::uint64_t bits = slots_[i]; bits != 0; bits &= bits - 1)
      is_due[i % words_ * 64 + static_cast<std::size_t>(std::countr_zero(bits))] = true;
  for (auto rest = far_; !rest.empty(); rest.pop()) is_due[rest.top().rank] = true;
  std::vector<const Component*> due;
  for (const Component* component : components_)
    if (is_due[component->rank()]) due.push_back(component);
  return due;
}

void Scheduler::run_until(Tick limit) {
  started_ = true;
  for (Tick at = next_event(); at < limit; at = next_event()) {
    now_ = at;
    pull_far();
    prefetch_ahead(at);
    run_slot(at);
  }
}

}  // namespace t3sim
