#include "tune/program_search.h"

#include <algorithm>
#include <optional>
#include <set>

namespace t3sim::tune {
namespace {

class KnobByKnob {
 public:
  KnobByKnob(const std::vector<TunedProgram>& programs, std::size_t budget, const Measure& measure)
      : programs_(programs), budget_(budget), measure_(measure) {}

  Search run() {
    take({at(0, {})});
    for (std::size_t before = 0; !spent_ && found_.tried.size() != before;) {
      before = found_.tried.size();
      take(other_programs());
      for (std::size_t k = 0; k < programs_[now().program].knobs.size(); ++k)
        take(other_values(programs_[now().program].knobs[k]));
    }
    found_.ended = !spent_;
    return std::move(found_);
  }

 private:
  // Of a program, with those of `values` that its knobs may have, others at their first.
  Candidate at(std::size_t program, const std::map<std::string, std::int64_t>& values) const {
    Candidate candidate{program, {}};
    for (const program::Knob& knob : programs_[program].knobs) {
      const auto said = values.find(knob.parameter);
      const bool allowed =
          said != values.end() && std::ranges::find(knob.values, said->second) != knob.values.end();
      candidate.values[knob.parameter] = allowed ? said->second : knob.values.front();
    }
    return candidate;
  }
  // The best so far; before there is one, where the search begins.
  Candidate now() const {
    return found_.best < found_.tried.size() ? found_.tried[found_.best].candidate : at(0, {});
  }
  std::vector<Candidate> other_programs() const {
    std::vector<Candidate> all;
    for (std::size_t p = 0; p < programs_.size(); ++p) all.push_back(at(p, now().values));
    return all;
  }
  std::vector<Candidate> other_values(const program::Knob& knob) const {
    std::vector<Candidate> all;
    for (const std::int64_t value : knob.values) {
      all.push_back(now());
      all.back().values[knob.parameter] = value;
    }
    return all;
  }

  void take(const std::vector<Candidate>& candidates) {
    std::vector<Candidate> fresh;
    for (const Candidate& c : candidates)
      if (known_.insert(c).second) fresh.push_back(c);
    for (std::size_t begin = 0; begin < fresh.size() && !spent_;) {
      const std::size_t count = std::min(fresh.size() - begin, budget_);
      spent_ = budget_ == 0;
      if (spent_) return;
      keep({fresh.begin() + static_cast<std::ptrdiff_t>(begin),
            fresh.begin() + static_cast<std::ptrdiff_t>(begin + count)});
      begin += count;
    }
  }
  void keep(const std::vector<Candidate>& candidates) {
    const bool none = found_.best == found_.tried.size();
    std::optional<double> least;
    if (!none) least = found_.tried[found_.best].outcome.us;
    std::size_t best = found_.best;
    const std::vector<Outcome> outcomes = measure_(candidates);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (outcomes[i].refused.empty()) {
        --budget_;
        if (!least || outcomes[i].us < *least) least = outcomes[i].us, best = found_.tried.size();
      }
      found_.tried.push_back({candidates[i], outcomes[i]});
    }
    found_.best = least ? best : found_.tried.size();
  }

  const std::vector<TunedProgram>& programs_;
  std::size_t budget_;
  const Measure& measure_;
  std::set<Candidate> known_;
  Search found_;
  bool spent_ = false;
};

}  // namespace

Search search(const std::vector<TunedProgram>& programs, std::size_t budget, const Measure& measure) {
  return KnobByKnob(programs, budget, measure).run();
}

}  // namespace t3sim::tune
