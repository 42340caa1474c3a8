#include "sim/pacer.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>

namespace t3sim {
namespace {

constexpr unsigned kThreads[] = {1, 2, 3, 8};
constexpr Tick kWindow = 10;

enum class Reach { neighbours, all, in_step };

// Parts with an event at every tick; whoever has one tells the part to its right, which sees it a window later.
class Counters final : public Paced {
 public:
  Counters(std::size_t parts, Tick end, Reach reach)
      : reach_(reach), end_(end), counters_(parts), inboxes_(parts), senders_(parts) {
    for (std::size_t p = 0; p < parts; ++p) {
      if (reach == Reach::neighbours)
        senders_[p] = {(p + parts - 1) % parts, (p + 1) % parts};
      else
        for (std::size_t q = 0; q < parts; ++q)
          if (q != p || parts == 1) senders_[p].push_back(q);
      counters_[p].next = 1;
    }
  }

  std::size_t parts() const override { return counters_.size(); }
  Tick window() const override { return kWindow; }
  bool in_step() const override { return reach_ == Reach::in_step; }
  const std::vector<std::size_t>& senders(std::size_t part) const override { return senders_[part]; }
  Tick next_event(std::size_t part) override {
    const auto& inbox = inboxes_[part];
    return std::min(counters_[part].next, inbox.empty() ? kNever : inbox.begin()->first);
  }
  void before_step(std::size_t part, Tick limit) override {
    if (!in_step()) hand_over(part);
    counters_[part].done = limit;
  }
  std::uint64_t step(std::size_t part, Tick limit) override {
    Counter& own = counters_[part];
    ++own.steps;
    if (part == fails && own.next <= 100 && limit > 100) throw std::runtime_error(std::to_string(part));
    const Tick from = own.next;
    for (; own.next < limit && own.next < end_; ++own.next) {
      for (; !own.seen.empty() && own.seen.begin()->first <= own.next; own.seen.erase(own.seen.begin()))
        own.sum = own.sum * 31 + own.seen.begin()->second;
      own.sent.emplace_back(own.next + kWindow, own.sum);
    }
    if (own.next == end_) own.next = kNever;
    return events_ * (limit - from);
  }
  void after_step(std::size_t part) override {
    if (!in_step()) collect(part);
  }
  void exchange() override {
    ++windows;
    for (std::size_t p = 0; p < parts(); ++p) collect(p);
    for (std::size_t p = 0; p < parts(); ++p) hand_over(p);
  }
  Go go_on(Tick now, bool at_rest) override {
    if (now < stop_at) return Go::on;
    asked_at_rest |= at_rest;
    return at_rest ? Go::no : Go::when_at_rest;
  }

  std::vector<std::uint64_t> sums() const {
    std::vector<std::uint64_t> sums;
    for (const Counter& counter : counters_) sums.push_back(counter.sum);
    return sums;
  }
  std::uint64_t steps(std::size_t part) const { return counters_[part].steps; }
  Tick done(std::size_t part) const { return counters_[part].done; }

  std::size_t fails = ~std::size_t{0};
  Tick stop_at = kNever;
  bool asked_at_rest = false;
  std::uint64_t windows = 0;

 private:
  void collect(std::size_t part) {
    for (const auto& [at, value] : counters_[part].sent)
      if (at < end_) inboxes_[(part + 1) % parts()].emplace(at, value);
    counters_[part].sent.clear();
  }
  void hand_over(std::size_t part) {
    for (const auto& [at, value] : inboxes_[part]) {
      EXPECT_GE(at, counters_[part].done) << "part " << part << " has run past what it is sent";
      counters_[part].seen.emplace(at, value);
    }
    inboxes_[part].clear();
  }

  struct Counter {
    Tick next = kNever, done = 0;
    std::uint64_t sum = 1, steps = 0;
    std::multimap<Tick, std::uint64_t> seen;
    std::vector<std::pair<Tick, std::uint64_t>> sent;
  };
  static constexpr std::uint64_t events_ = 100;  // that a tick counts for: worth other threads

  Reach reach_;
  Tick end_;
  std::vector<Counter> counters_;
  std::vector<std::multimap<Tick, std::uint64_t>> inboxes_;
  std::vector<std::vector<std::size_t>> senders_;
};

TEST(Pacer, LetsPartsSeeTheSameOnAnyNumberOfThreads) {
  for (const std::size_t parts : {2U, 5U, 8U}) {
    Counters alone(parts, 2000, Reach::in_step);
    Pacer(alone).run(1);
    for (const Reach reach : {Reach::neighbours, Reach::all, Reach::in_step})
      for (const unsigned threads : kThreads) {
        Counters counters(parts, 2000, reach);
        Pacer(counters).run(threads);
        EXPECT_EQ(counters.sums(), alone.sums()) << parts << " parts, " << threads << " threads";
      }
  }
}

TEST(Pacer, StepsEveryOtherPartOfARingByTwoWindows) {
  Counters ring(8, 2000, Reach::neighbours), in_step(8, 2000, Reach::in_step);
  Pacer(ring).run(1);
  Pacer(in_step).run(1);
  for (std::size_t p = 0; p < 8; ++p) {
    EXPECT_LE(ring.steps(p), 102U);
    EXPECT_EQ(in_step.steps(p), 200U);
  }
  EXPECT_EQ(in_step.windows, 200U);
}

TEST(Pacer, StepsAPartThatOnlyItselfCanReachByWindows) {
  Counters one(1, 2000, Reach::all);
  Pacer(one).run(1);
  EXPECT_EQ(one.steps(0), 200U);
}

TEST(Pacer, ThrowsOnWhatAPartHasThrown) {
  for (const unsigned threads : kThreads)
    for (const Reach reach : {Reach::neighbours, Reach::in_step}) {
      Counters counters(6, 2000, reach);
      counters.fails = 2;
      std::string thrown = "none";
      try {
        Pacer(counters).run(threads);
      } catch (const std::runtime_error& e) {
        thrown = e.what();
      }
      EXPECT_EQ(thrown, "2") << threads << " threads";
    }
}

TEST(Pacer, StopsWhenItIsTold) {
  for (const unsigned threads : kThreads)
    for (const Reach reach : {Reach::neighbours, Reach::in_step}) {
      Counters counters(4, 2000, reach);
      counters.stop_at = 500;
      Pacer(counters).run(threads);
      EXPECT_TRUE(counters.asked_at_rest);
      for (std::size_t p = 0; p < 4; ++p) EXPECT_LE(counters.done(p), 500 + 3 * kWindow);
    }
}

TEST(Pacer, CountsTheCpuTimeOfItsThreads) {
  Counters alone(4, 200, Reach::neighbours), two(4, 20'000, Reach::neighbours);
  Pacer one_thread(alone), two_threads(two);
  one_thread.run(1);
  two_threads.run(2);
  EXPECT_EQ(one_thread.helpers_cpu_seconds(), 0);
  EXPECT_GT(two_threads.helpers_cpu_seconds(), 0);
}

}  // namespace
}  // namespace t3sim
