#include "interconnect/network_card.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/number.h"

namespace t3sim {

NetworkCard::NetworkCard(std::string name, std::uint32_t queue, Tick put_time, CardClient& client)
    : name_(std::move(name)), queue_(queue), put_time_(std::max<Tick>(put_time, 1)), client_(&client) {}

void NetworkCard::attach(Scheduler& scheduler) {
  scheduler_ = &scheduler;
  scheduler.add(*this);
}

void NetworkCard::post(const Put& put, Tick at) {
  Poster& poster = posters_[put.poster];
  if (poster.waiting.size() + poster.under_way.size() == queue_)
    throw CheckError(
        fmt::format("{}: a put too many of poster {}: its queue has {} places", name_, put.poster, queue_));
  poster.waiting.push_back({put, at});
  stats_.peak_waiting = std::max(stats_.peak_waiting, ++waiting_);
  scheduler_->wake(*this, at);
}

void NetworkCard::acknowledge(const Put& put, Tick at) {
  auto& coming = posters_[put.poster].acknowledgements;
  coming.insert(std::ranges::upper_bound(coming, at, {}, &Event::at), {put, at});
  scheduler_->wake(*this, at);
}

void NetworkCard::hear(Poster& poster, Tick now) {
  while (!poster.acknowledgements.empty() && poster.acknowledgements.front().at <= now) {
    const Put put = poster.acknowledgements.front().put;
    poster.acknowledgements.pop_front();
    std::erase_if(poster.under_way,
                  [&](const Put& p) { return p.number == put.number && p.from == put.from; });
    client_->put_done(*this, put, now);
  }
}

bool NetworkCard::may_start(const Poster& poster, const Put& put) {
  if (put.kind == Put::Kind::fence) return poster.under_way.empty();
  if (put.kind == Put::Kind::data) return true;
  return std::ranges::none_of(poster.under_way,
                              [&](const Put& p) { return p.to == put.to && p.from != put.from; });
}

// Posters in turn; one whose first put is not there yet, or has to wait for others, is passed over.
NetworkCard::Poster* NetworkCard::next(Tick now) {
  const auto ready = [&](Poster& poster) {
    if (poster.waiting.empty() || poster.waiting.front().at > now) return false;
    if (may_start(poster, poster.waiting.front().put)) return true;
    poster.held_since = std::min(poster.held_since, now);
    return false;
  };
  const auto begin = posters_.lower_bound(turn_);
  for (auto p = begin; p != posters_.end(); ++p)
    if (ready(p->second)) return &p->second;
  for (auto p = posters_.begin(); p != begin; ++p)
    if (ready(p->second)) return &p->second;
  return nullptr;
}

void NetworkCard::wake(Tick now) {
  for (auto& [number, poster] : posters_) hear(poster, now);
  if (free_at_ > now) return;  // start() has scheduled a wake-up for when it is free
  if (Poster* poster = next(now)) start(*poster, now);
}

void NetworkCard::start(Poster& poster, Tick now) {
  const Put put = poster.waiting.front().put;
  poster.waiting.pop_front();
  --waiting_;
  turn_ = narrow<std::uint16_t>(put.poster + 1);
  if (poster.held_since != kNever) stats_.waited_for_order += now - poster.held_since;
  poster.held_since = kNever;
  ++stats_.puts;
  stats_.bytes += put.bytes;
  if (put.kind != Put::Kind::fence) poster.under_way.push_back(put);
  client_->put_started(*this, put, now);
  if (put.kind == Put::Kind::fence) client_->put_done(*this, put, now);
  free_at_ = now + put_time_;
  scheduler_->wake(*this, free_at_);
}

bool NetworkCard::idle() const {
  return std::ranges::all_of(
      posters_, [](const auto& p) { return p.second.waiting.empty() && p.second.under_way.empty(); });
}

std::string NetworkCard::describe_waiting() const {
  std::string text;
  for_each_poster([&](std::uint16_t number, std::size_t waiting, std::size_t under_way) {
    text +=
        fmt::format("{}: {} puts of poster {} wait, {} are under way\n", name_, waiting, number, under_way);
  });
  return text;
}

}  // namespace t3sim
