// Where the time of a port went: busy, or idle and why. From this the gap to an ideal overlap that the links
// bound is explained (run/gap.h), and what limits a phase (run/limits.h).
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

#include "base/number.h"
#include "sim/stats.h"
#include "sim/time.h"

namespace t3sim {

// Why a port has nothing on the wire.
enum class LinkIdle : std::uint8_t {
  credit,      // packets wait, but the buffers of those they go to are full
  dma,         // the DMA engine is reading what it will send
  dma_memory,  // ... but finds the way to memory full
  producer,    // nothing is there to send, and the kernel runs
  upstream,    // nothing is there to send, and the kernel has ended: updates of other GPUs are awaited
  card         // a network card has not started the puts of what is to be sent
};
inline constexpr int kLinkIdles = 6;

constexpr std::string_view to_string(LinkIdle cause) {
  constexpr std::string_view kNames[kLinkIdles] = {"credit",   "dma",      "dma_memory",
                                                   "producer", "upstream", "card"};
  return kNames[ordinal(cause)];
}

struct LinkTime {
  using ByCause = std::array<Tick, kLinkIdles>;

  Tick busy = 0;
  ByCause idle{};
  // Of `idle`: before the first packet and after the last one; where none was sent, all is after it.
  ByCause first{}, after_last{};

  Tick idle_for(LinkIdle cause) const { return idle[ordinal(cause)]; }
  Tick between(LinkIdle cause) const {
    const auto c = ordinal(cause);
    return idle[c] - first[c] - after_last[c];
  }
  Tick total() const { return busy + sum(idle); }
  static Tick sum(const ByCause& ticks) { return std::accumulate(ticks.begin(), ticks.end(), Tick{0}); }

  void report(Counters& out) const {
    out.time("idle_before_first_packet", sum(first), "nothing has been sent yet");
    for (int c = 0; c < kLinkIdles; ++c) {
      const auto cause = static_cast<LinkIdle>(c);
      if (cause == LinkIdle::card && between(cause) == 0) continue;  // only where there are puts
      out.time("idle_" + std::string(to_string(cause)), between(cause),
               "between packets: nothing on the wire, for this cause");
    }
    out.time("idle_after_last_packet", sum(after_last), "nothing is sent any more");
  }
};

class LinkAccount {
 public:
  // What holds from `now` on while no packets wait.
  void set_feed(LinkIdle feed, Tick now) {
    account(now);
    feed_ = feed;
  }
  // Packets wait for credits from `now` on, until the next is sent.
  void starve(Tick now) {
    account(now);
    starved_ = true;
  }
  void send(Tick now, Tick until) {
    account(now);
    if (!sent_) time_.first = time_.after_last;
    time_.after_last = {};
    sent_ = true;
    starved_ = false;
    busy_until_ = until;
  }
  // As of `now`. `after_last` is after the last one so far.
  const LinkTime& time(Tick now) {
    account(now);
    return time_;
  }
  // The account when the port last stopped to be idle for the producer: from then on it had enough to do.
  const LinkTime& until_fed() const { return until_fed_; }

 private:
  void account(Tick now) {
    if (now <= accounted_) return;
    if (accounted_ < busy_until_) {
      const Tick end = busy_until_ < now ? busy_until_ : now;
      time_.busy += end - accounted_;
      accounted_ = end;
    }
    const auto cause = ordinal(starved_ ? LinkIdle::credit : feed_);
    time_.idle[cause] += now - accounted_;
    time_.after_last[cause] += now - accounted_;
    if (now > accounted_ && cause == ordinal(LinkIdle::producer)) until_fed_ = time_;
    accounted_ = now;
  }

  LinkTime time_, until_fed_;
  LinkIdle feed_ = LinkIdle::producer;
  bool starved_ = false, sent_ = false;
  Tick accounted_ = 0, busy_until_ = 0;
};

}  // namespace t3sim
