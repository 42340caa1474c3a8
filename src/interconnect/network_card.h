// A network card's way with puts: GPUs and hosts post them, the card starts them, the data goes from one GPU's
// memory to another's over the route through the card.
//
//   post --> queue of the poster --+
//   post --> queue of the poster --+--> one a `put_time` --> start: the source GPU sends the data
//                                  ^
//                                  '-- acknowledgements: the last byte of a put is in its place
//
// Order, as over a reliable connection:
//  - Puts of one poster start in order, those of several posters in turn.
//  - Puts from one GPU to one other arrive in order, as their way is one queue from end to end.
//  - A fence starts after all earlier puts of its poster have arrived, whatever their ways.
//  - A flag is a put that arrives after all earlier puts of its poster to the same GPU: where these come from
//    another GPU's memory, by another way, it waits for them to arrive.
// A put keeps its place in the queue until it is done: a poster has at most so many posted and not done, and
// hears of it when it may post another.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "sim/scheduler.h"
#include "sim/stats.h"

namespace t3sim {

struct Put {
  enum class Kind : std::uint8_t { data, fence, flag };
  Kind kind = Kind::data;
  std::uint16_t poster = 0;        // a GPU, or a host by a number of its own
  std::uint16_t from = 0, to = 0;  // GPUs
  std::uint64_t bytes = 0;         // of a flag: its word
  std::uint32_t number = 0;        // the poster's own: comes back with start and acknowledgement
};

struct NetworkCardStats {
  std::uint64_t puts = 0, bytes = 0;
  std::uint64_t peak_waiting = 0;  // puts posted and not started
  Tick waited_for_order = 0;       // puts at the head of their queue, for acknowledgements

  void report(Counters& out) const {
    out.count("puts", puts, "done");
    out.bytes("put_bytes", bytes, "of these");
    out.count("peak_waiting_puts", peak_waiting, "posted and not started, at most at a time");
    out.time("wait_order", waited_for_order, "puts at the head of their queue wait for acknowledgements");
  }
};

class NetworkCard;
// Told what becomes of puts.
class CardClient {
 public:
  virtual ~CardClient() = default;
  // Its data may leave the source GPU; a fence: all before it are done.
  virtual void put_started(NetworkCard& card, const Put& put, Tick now) = 0;
  // Acknowledged, or a fence.
  virtual void put_done(NetworkCard& card, const Put& put, Tick now) = 0;
};

class NetworkCard final : public Component {
 public:
  // `queue`: puts of a poster. `put_time`: between two starts; at least a tick.
  NetworkCard(std::string name, std::uint32_t queue, Tick put_time, CardClient& client);
  // From now on it is told instead: for tests.
  void tell(CardClient& client) { client_ = &client; }
  // Before anything else. The scheduler must outlive the card.
  void attach(Scheduler& scheduler);

  // The put is at the card at tick `at`. Ticks of a poster must not decrease. Throws CheckError if its queue is
  // full.
  void post(const Put& put, Tick at);
  // Its last byte is where it belongs, as the card hears at tick `at`.
  void acknowledge(const Put& put, Tick at);
  void wake(Tick now) override;

  bool idle() const;
  std::string describe_waiting() const;
  const std::string& name() const { return name_; }
  const NetworkCardStats& stats() const { return stats_; }
  // f(poster, puts that wait, puts under way) for each poster that has any.
  template <class F>
  void for_each_poster(F&& f) const {
    for (const auto& [number, poster] : posters_)
      if (!poster.waiting.empty() || !poster.under_way.empty())
        f(number, poster.waiting.size(), poster.under_way.size());
  }

 private:
  struct Event {
    Put put;
    Tick at;
  };
  struct Poster {
    std::deque<Event> waiting;           // posted, in order
    std::vector<Put> under_way;          // started, not acknowledged
    std::deque<Event> acknowledgements;  // that are on their way
    Tick held_since = kNever;
  };
  void hear(Poster& poster, Tick now);
  static bool may_start(const Poster& poster, const Put& put);
  Poster* next(Tick now);
  void start(Poster& poster, Tick now);

  std::string name_;
  std::uint32_t queue_;
  Tick put_time_;
  CardClient* client_;
  Scheduler* scheduler_ = nullptr;
  std::map<std::uint16_t, Poster> posters_;
  std::uint16_t turn_ = 0;  // the poster that is first asked
  Tick free_at_ = 0;
  std::uint64_t waiting_ = 0;
  NetworkCardStats stats_;
};

}  // namespace t3sim
