#include "interconnect/put_poster.h"

#include <algorithm>

namespace t3sim {

PutPoster::PutPoster(std::uint32_t places, Tick time, std::function<void(Card, const Put&, Tick)> post)
    : places_(places), time_(time), post_(std::move(post)) {}

void PutPoster::attach(Scheduler& scheduler) {
  scheduler_ = &scheduler;
  scheduler.add(*this);
}

void PutPoster::take(Card card, const Put& put, Tick at) {
  waiting_.insert(std::ranges::upper_bound(waiting_, at, {}, &Waiting::at), {card, put, at});
  scheduler_->wake(*this, at);
}

void PutPoster::free_place(Card card, Tick at) {
  freed_.insert(std::ranges::upper_bound(freed_, at, {}, &Freed::at), {card, at});
  scheduler_->wake(*this, at);
}

void PutPoster::collect(Tick now) {
  for (; !freed_.empty() && freed_.front().at <= now; freed_.pop_front()) --taken_[freed_.front().card];
}

void PutPoster::wake(Tick now) {
  collect(now);
  while (!waiting_.empty() && waiting_.front().at <= now && free_at_ <= now) {
    const Waiting next = waiting_.front();
    if (taken_[next.card] == places_) return;  // free_place() wakes
    waiting_.pop_front();
    ++taken_[next.card];
    ++posted_;
    free_at_ = now + time_;
    post_(next.card, next.put, free_at_);
  }
  if (!waiting_.empty() && free_at_ > now) scheduler_->wake(*this, free_at_);
}

}  // namespace t3sim
