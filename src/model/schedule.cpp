#include "model/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <set>

#include "base/error.h"
#include "base/number.h"
#include "model/sharing.h"

namespace t3sim::model {
namespace {

using Number = std::uint32_t;

// So far below where picoseconds end that no sum of two passes that.
constexpr Picoseconds kLastMoment = 4'000'000'000'000'000'000;

// GPUs by the sets that they are in.
std::vector<GpuClass> classes_of(const Graph& graph, std::vector<std::vector<Number>>& of_set) {
  std::vector<std::vector<Number>> member(graph.gpus);
  for (Number s = 0; s < graph.sets.size(); ++s)
    for (const Number gpu : graph.sets[s]) member[gpu].push_back(s);
  std::map<std::vector<Number>, Number> known;
  std::vector<GpuClass> classes;
  of_set.resize(graph.sets.size());
  for (Number gpu = 0; gpu < graph.gpus; ++gpu) {
    const auto [at, fresh] = known.try_emplace(member[gpu], narrow<Number>(classes.size()));
    if (fresh) {
      classes.emplace_back();
      for (const Number s : member[gpu]) of_set[s].push_back(at->second);
    }
    classes[at->second].gpus.push_back(gpu);
  }
  return classes;
}

class Run {
 public:
  Run(const Graph& graph, const std::vector<const LinkShares*>& shares, FusedCosts* fused)
      : graph_(graph), shares_(shares), fusion_(graph, fused) {
    timed_.classes = classes_of(graph, classes_of_set_);
    timed_.spans.resize(graph.operations.size());
    places_.resize(timed_.classes.size() * graph.streams.size());
    left_.resize(graph.operations.size());
    next_.resize(graph.operations.size());
    for (Number i = 0; i < graph.operations.size(); ++i) {
      left_[i] = narrow<Number>(graph.operations[i].after.size());
      for (const Number a : graph.operations[i].after) next_[a].push_back(i);
      if (graph.in_order) for_places(i, [&](Place& place) { place.queue.push_back(i); });
    }
  }

  Timed run() {
    for (Number i = 0; i < graph_.operations.size(); ++i)
      if (left_[i] == 0) become_ready(i);
    begin_fused();
    while (running_ != 0) {
      now_ = std::min(
          {ends_.empty() ? ~Picoseconds{0} : ends_.top().first, sharing_.next_end(), fusion_.deadline()});
      if (now_ > kLastMoment)
        throw InputError(
            fmt::format("{}: goes on for more than {} s", graph_.name, kLastMoment / 1'000'000'000'000));
      finish_all();
      fusion_.close_due(now_);
      begin_fused();
    }
    if (done_ != graph_.operations.size()) throw NoProgressError(waiting());
    timed_.end = now_;
    timed_.fused = fusion_.calls();
    add_up();
    return std::move(timed_);
  }

 private:
  // A stream of a class.
  struct Place {
    std::vector<Number> queue;  // in order: all of its operations
    std::size_t head = 0;
    std::set<Number> ready;  // else: those that could begin
    bool busy = false;
  };

  template <class F>
  void for_places(Number i, F&& f) {
    const Operation& o = graph_.operations[i];
    for (const Number c : classes_of_set_[o.set]) f(places_[c * graph_.streams.size() + o.stream]);
  }

  void become_ready(Number i) {
    if (!graph_.in_order) for_places(i, [&](Place& place) { place.ready.insert(i); });
    try_begin(i);
  }

  // All of a place may have been put into buffers already.
  static bool is_next(const Place& place, Number i) {
    return place.head < place.queue.size() && place.queue[place.head] == i;
  }

  void try_begin(Number i) {
    if (left_[i] != 0) return;
    bool may = true;
    for_places(
        i, [&](const Place& place) { may = may && !place.busy && (!graph_.in_order || is_next(place, i)); });
    if (!may) return;
    ++running_;
    const Operation& o = graph_.operations[i];
    if (o.fuse) return put_into_buffer(i);
    for_places(i, [&](Place& place) {
      place.busy = true;
      place.ready.erase(i);
    });
    timed_.spans[i].begin = now_;
    if (o.call)
      begin_call(i, o.time, shares_[i]);
    else
      ends_.push({now_ + o.time, i});
  }

  void begin_call(Number number, Picoseconds time, const LinkShares* shares) {
    if (time != 0)
      sharing_.add(number, now_, time, *shares);
    else
      ends_.push({now_, number});
  }

  // Its stream goes on at once: what needs the tensor waits for it, and nothing else.
  void put_into_buffer(Number i) {
    fusion_.add(i, now_);
    const std::size_t before = left_behind_.size();
    for_places(i, [&](Place& place) {
      place.ready.erase(i);
      ++place.head;
      left_behind_.push_back(&place);
    });
    std::reverse(left_behind_.begin() + static_cast<std::ptrdiff_t>(before), left_behind_.end());
    if (going_on_) return;  // a chain of such operations goes on in a loop, not in calls within calls
    going_on_ = true;
    while (!left_behind_.empty()) {
      Place& place = *left_behind_.back();
      left_behind_.pop_back();
      go_on(place);
    }
    going_on_ = false;
  }

  // Fused calls have the numbers behind the operations'.
  void begin_fused() {
    for (const Number call : fusion_.begin_all(now_)) {
      const FusedCall& fused = fusion_.calls()[call];
      for (const Number i : fused.operations) timed_.spans[i].begin = now_;
      begin_call(narrow<Number>(graph_.operations.size()) + call, fused.cost->time, &fused.cost->shares);
    }
  }

  // With the operations of fused calls instead of these.
  std::vector<Number> operations_of(const std::vector<Number>& ended) {
    const auto all = narrow<Number>(graph_.operations.size());
    std::vector<Number> operations;
    for (const Number number : ended) {
      if (number < all) {
        operations.push_back(number);
        continue;
      }
      fusion_.end(number - all, now_);
      const auto& members = fusion_.calls()[number - all].operations;
      operations.insert(operations.end(), members.begin(), members.end());
    }
    std::ranges::sort(operations);
    return operations;
  }

  // All that ends now, in the order of the operations.
  void finish_all() {
    std::vector<Number> ended = sharing_.end_at(now_);
    for (; !ends_.empty() && ends_.top().first == now_; ends_.pop()) ended.push_back(ends_.top().second);
    ended = operations_of(ended);
    for (const Number i : ended) {
      timed_.spans[i].end = now_;
      --running_;
      ++done_;
      if (graph_.operations[i].fuse) continue;  // has left its stream
      for_places(i, [](Place& place) {
        place.busy = false;
        ++place.head;
      });
    }
    for (const Number i : ended) {
      for (const Number n : next_[i])
        if (--left_[n] == 0) become_ready(n);
      for_places(i, [&](Place& place) { go_on(place); });
    }
  }

  void go_on(Place& place) {
    if (graph_.in_order) {
      if (place.head < place.queue.size()) try_begin(place.queue[place.head]);
      return;
    }
    const std::vector<Number> ready(place.ready.begin(), place.ready.end());
    for (const Number i : ready) {
      if (place.busy) return;
      try_begin(i);
    }
  }

  std::string waiting() const {
    std::string text = "no operation can begin any more:";
    for (Number i = 0, shown = 0; i < left_.size() && shown < 8; ++i) {
      if (timed_.spans[i].end != 0 || left_[i] != 0) continue;
      text += fmt::format(" \"{}\" waits for its turn in stream {};", graph_.operations[i].name,
                          graph_.streams[graph_.operations[i].stream]);
      ++shown;
    }
    text.back() = '.';
    return text;
  }

  void add_up() {
    std::vector<std::vector<Number>> of_class(timed_.classes.size());
    for (Number i = 0; i < graph_.operations.size(); ++i)
      for (const Number c : classes_of_set_[graph_.operations[i].set]) of_class[c].push_back(i);
    for (Number c = 0; c < of_class.size(); ++c) add_up(timed_.classes[c], of_class[c]);
  }

  // Walks through the times at which anything begins or ends.
  void add_up(GpuClass& c, const std::vector<Number>& operations) {
    std::vector<std::pair<Picoseconds, std::pair<int, int>>> changes;  // computes, communicates
    for (const Number i : operations) {
      const bool call = graph_.operations[i].call.has_value();
      changes.push_back({timed_.spans[i].begin, {!call, call}});
      changes.push_back({timed_.spans[i].end, {-!call, -call}});
    }
    std::ranges::sort(changes, {}, [](const auto& change) { return change.first; });
    int computes = 0, communicates = 0;
    Picoseconds last = 0;
    for (const auto& [at, by] : changes) {
      const Picoseconds time = at - last;
      if (computes > 0) c.compute += time;
      if (communicates > 0) c.communication += time;
      if (communicates > 0 && computes == 0) c.exposed += time;
      computes += by.first;
      communicates += by.second;
      last = at;
    }
  }

  const Graph& graph_;
  const std::vector<const LinkShares*>& shares_;
  Timed timed_;
  std::vector<std::vector<Number>> classes_of_set_;
  std::vector<Place> places_;
  std::vector<Number> left_;               // by operation: those before it that have not ended
  std::vector<std::vector<Number>> next_;  // by operation: those after it
  using End = std::pair<Picoseconds, Number>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  Sharing sharing_;
  FusionBuffers fusion_;
  Picoseconds now_ = 0;
  std::size_t running_ = 0, done_ = 0;
  std::vector<Place*> left_behind_;  // by operations put into a buffer: to go on there, the last first
  bool going_on_ = false;            // with these
};

}  // namespace

Timed run_graph(const Graph& graph, const std::vector<const LinkShares*>& shares, FusedCosts* fused) {
  return Run(graph, shares, fused).run();
}

}  // namespace t3sim::model
