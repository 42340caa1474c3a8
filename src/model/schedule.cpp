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
  Run(const Graph& graph, const std::vector<const LinkShares*>& shares) : graph_(graph), shares_(shares) {
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
    while (running_ != 0) {
      now_ = std::min(ends_.empty() ? ~Picoseconds{0} : ends_.top().first, sharing_.next_end());
      finish_all();
    }
    if (done_ != graph_.operations.size()) throw NoProgressError(waiting());
    timed_.end = now_;
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

  void try_begin(Number i) {
    if (left_[i] != 0) return;
    bool may = true;
    for_places(i, [&](const Place& place) {
      may = may && !place.busy && (!graph_.in_order || place.queue[place.head] == i);
    });
    if (!may) return;
    for_places(i, [&](Place& place) {
      place.busy = true;
      place.ready.erase(i);
    });
    ++running_;
    timed_.spans[i].begin = now_;
    const Operation& o = graph_.operations[i];
    if (o.call && o.time != 0)
      sharing_.add(i, now_, o.time, *shares_[i]);
    else
      ends_.push({now_ + o.time, i});
  }

  // All that ends now, in the order of the operations.
  void finish_all() {
    std::vector<Number> ended = sharing_.end_at(now_);
    for (; !ends_.empty() && ends_.top().first == now_; ends_.pop()) ended.push_back(ends_.top().second);
    std::ranges::sort(ended);
    for (const Number i : ended) {
      timed_.spans[i].end = now_;
      --running_;
      ++done_;
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
  Picoseconds now_ = 0;
  std::size_t running_ = 0, done_ = 0;
};

}  // namespace

Timed run_graph(const Graph& graph, const std::vector<const LinkShares*>& shares) {
  return Run(graph, shares).run();
}

}  // namespace t3sim::model
