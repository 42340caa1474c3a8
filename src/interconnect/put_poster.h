// Who posts puts to network cards, one after the other: a GPU, or a host for its GPUs. A card has so many places
// for its puts; the first one that finds none there holds up those behind it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "interconnect/network_card.h"

namespace t3sim {

class PutPoster final : public Component {
 public:
  using Card = std::uint32_t;
  // `places`: at each card. `time`: that a put costs the poster. `post`: the put has been posted, at this tick.
  PutPoster(std::uint32_t places, Tick time, std::function<void(Card, const Put&, Tick)> post);
  // Before anything else. The scheduler must outlive the poster.
  void attach(Scheduler& scheduler);

  // It is to post the put from tick `at` on. Those of a tick are posted in the order of these calls.
  void take(Card card, const Put& put, Tick at);
  // A place at the card is free again from tick `at` on.
  void free_place(Card card, Tick at);
  void wake(Tick now) override;

  bool idle() const { return waiting_.empty(); }
  std::size_t waiting() const { return waiting_.size(); }
  std::uint64_t posted() const { return posted_; }

 private:
  struct Waiting {
    Card card;
    Put put;
    Tick at;
  };
  struct Freed {
    Card card;
    Tick at;
  };
  void collect(Tick now);

  std::uint32_t places_;
  Tick time_;
  std::function<void(Card, const Put&, Tick)> post_;
  Scheduler* scheduler_ = nullptr;
  std::deque<Waiting> waiting_;  // by tick
  std::deque<Freed> freed_;      // by tick
  std::map<Card, std::uint32_t> taken_;
  Tick free_at_ = 0;
  std::uint64_t posted_ = 0;
};

}  // namespace t3sim
