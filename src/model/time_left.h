// How long runs of several kinds still take, from how long those that are done took. What a run costs is known in units of its kind.
#pragma once

#include <map>
#include <optional>

namespace t3sim::model {

class TimeLeft {
 public:
  enum class Kind { schemes, program };

  // A run that is to be done.
  void add(Kind kind, double cost) { kinds_[kind].left += cost; }
  void done(Kind kind, double cost, double seconds) {
    OfKind& k = kinds_[kind];
    k.left -= cost;
    k.spent += cost;
    k.seconds += seconds;
  }

  // With so many runs at a time. Nothing as long as no run is done of a kind that is left.
  std::optional<double> seconds(unsigned jobs) const {
    double sum = 0;
    for (const auto& [kind, k] : kinds_) {
      if (k.left <= 1e-9 * k.spent) continue;
      if (k.spent == 0) return std::nullopt;
      sum += k.seconds * k.left / k.spent;
    }
    return sum / jobs;
  }

 private:
  struct OfKind {
    double left = 0, spent = 0, seconds = 0;
  };
  std::map<Kind, OfKind> kinds_;
};

}  // namespace t3sim::model
