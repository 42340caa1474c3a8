#include "program/dependences.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "program/happens_before.h"
#include "program/messages.h"
#include "program/rectangles.h"
#include "program/views.h"

namespace t3sim::program {
namespace {

struct Use {
  std::uint32_t step = 0;
  Access access;
};

class Checker {
 public:
  Checker(const Steps& steps, const Progress& progress)
      : steps_(steps), program_(steps.program()), progress_(progress), order_(steps, progress) {
    for (const std::uint32_t step : progress.order())
      for (const Access& access : steps[step].accesses) uses_.push_back({step, access});
    std::ranges::stable_sort(uses_, {}, [](const Use& use) { return memory_of(use.access.view); });
  }

  // Of all faults, the one whose command is first in the text.
  void check() {
    for (std::size_t begin = 0, end = 0; begin < uses_.size(); begin = end) {
      while (end < uses_.size() && memory_of(uses_[end].access.view) == memory_of(uses_[begin].access.view))
        ++end;
      const std::span<Use> uses(uses_.data() + begin, end - begin);
      check_pairs(uses);
      check_reads(uses);
    }
    if (fault_) throw error_at(*fault_place_, *fault_);
  }

 private:
  // Which memory: an array on a GPU, and a copy of it.
  static std::array<std::uint32_t, 3> memory_of(const View& view) {
    return {view.array, view.gpu, view.copy};
  }

  void report(std::uint32_t step, std::string message) {
    const Place& place = steps_.command(step).place;
    if (fault_ && std::pair(fault_place_->line, fault_place_->column) <= std::pair(place.line, place.column))
      return;
    fault_ = std::move(message);
    fault_place_ = &place;
  }

  void check_pairs(std::span<Use> uses) {
    std::vector<const Use*> by_row;
    for (const Use& use : uses) by_row.push_back(&use);
    std::ranges::stable_sort(by_row, {}, [](const Use* use) { return use->access.view.first_row; });
    for (std::size_t i = 0; i < by_row.size(); ++i) {
      const View& first = by_row[i]->access.view;
      for (std::size_t j = i + 1; j < by_row.size(); ++j) {
        if (by_row[j]->access.view.first_row >= first.first_row + first.rows) break;
        if (conflict(*by_row[i], *by_row[j])) report_pair(*by_row[i], *by_row[j]);
      }
    }
  }
  bool conflict(const Use& a, const Use& b) const {
    if (!a.access.writes && !b.access.writes) return false;
    if (a.access.adds && b.access.adds) return false;
    return a.step != b.step && overlap(a.access.view, b.access.view) && !order_.ordered(a.step, b.step);
  }
  // The reader comes first, or else what is later in the text.
  void report_pair(const Use& a, const Use& b) {
    const Place &pa = steps_.command(a.step).place, &pb = steps_.command(b.step).place;
    const bool b_first = a.access.writes && (!b.access.writes || pb.line > pa.line);
    const Use &one = b_first ? b : a, &other = b_first ? a : b;
    const View common = intersection(one.access.view, other.access.view);
    report(one.step,
           fmt::format("{} {} {}, which {} (line {}) {}: nothing orders the two{}", steps_.text(one.step),
                       one.access.writes ? "writes" : "reads", part_text(common, steps_[one.step].gpu),
                       steps_.text(other.step), steps_.command(other.step).place.line,
                       one.access.writes ? "writes, too" : "writes", hint(one.step, other.step)));
  }
  // "a[rows 0:128] (32768 bytes)"
  std::string part_text(const View& view, std::uint32_t own) const {
    return fmt::format("{} ({} bytes)", to_text(program_, view, own), bytes_of(program_, view));
  }
  // A signal that the one waits for may have been set before the other's data, or without a fence.
  std::string hint(std::uint32_t reader, std::uint32_t writer) const {
    for (const std::uint32_t step : progress_.order()) {
      if (steps_[step].sets.empty() || steps_[step].gpu != steps_[writer].gpu) continue;
      const auto said = [&](std::string_view what) {
        return fmt::format("; {} (line {}) {}", steps_.command(step).name, steps_.command(step).place.line,
                           what);
      };
      if ((step == writer || order_.before(writer, step)) && waited_for(step, reader, false))
        return said("has no fence");
      if (order_.before(step, writer) && order_.before(step, reader) && waited_for(step, reader, true))
        return said("comes before the data");
    }
    return "";
  }
  // Does the reader, or what is before it, wait for what `setter` sets with (without) a fence?
  bool waited_for(std::uint32_t setter, std::uint32_t reader, bool fence) const {
    for (const std::uint32_t step : progress_.order()) {
      if (step != reader && !order_.before(step, reader)) continue;
      for (const StepWait& wait : steps_[step].waits)
        for (const StepSet& set : steps_[setter].sets)
          if (wait.word == set.word && set.fence == fence) return true;
    }
    return false;
  }

  // All that is read is there: given, or written before.
  void check_reads(std::span<Use> uses) {
    for (const Use& read : uses) {
      if (read.access.writes && !read.access.adds) continue;
      Rectangles open(read.access.view);
      const Array& array = program_.arrays[read.access.view.array];
      if (array.contents != Contents::nothing) open.subtract(array.given[read.access.view.gpu]);
      for (const Use& write : uses)
        if (!open.empty() && write.access.writes && !write.access.adds &&
            order_.before(write.step, read.step))
          open.subtract(write.access.view);
      if (!open.empty()) report_unwritten(read, open.first(), uses);
    }
  }
  void report_unwritten(const Use& read, const View& view, std::span<Use> uses) {
    const auto later = std::ranges::find_if(uses, [&](const Use& write) {
      return write.access.writes && !write.access.adds && write.step != read.step &&
             overlap(write.access.view, view);
    });
    const char* never = read.access.adds ? "which nothing has set before" : "which nothing writes";
    const std::string who =
        later == uses.end() ? never
        : order_.ordered(later->step, read.step)
            ? fmt::format("which is written only later, by {} (line {})", steps_.text(later->step),
                          steps_.command(later->step).place.line)
            : fmt::format("which {} (line {}) writes: nothing orders the two{}", steps_.text(later->step),
                          steps_.command(later->step).place.line, hint(read.step, later->step));
    report(read.step,
           fmt::format("{} {} {}, {}", steps_.text(read.step), read.access.adds ? "adds to" : "reads",
                       part_text(view, steps_[read.step].gpu), who));
  }

  const Steps& steps_;
  const Program& program_;
  const Progress& progress_;
  HappensBefore order_;
  std::vector<Use> uses_;
  std::optional<std::string> fault_;
  const Place* fault_place_ = nullptr;
};

}  // namespace

Closeness check_dependences(const Program& program) {
  for (const bool by_tile : {true, false}) {
    const Steps steps(program, by_tile);
    if (steps.size() > HappensBefore::kMostSteps) continue;
    const Progress progress(steps);
    if (!progress.complete()) return Closeness::none;  // as wholes, launches can wait for themselves
    Checker(steps, progress).check();
    return by_tile ? Closeness::tiles : Closeness::launches;
  }
  return Closeness::none;
}

}  // namespace t3sim::program
