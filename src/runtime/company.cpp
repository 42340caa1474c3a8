#include "runtime/company.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "program/views.h"
#include "runtime/alone.h"
#include "runtime/program_run.h"

namespace t3sim {
namespace {

using program::Program;

constexpr double kLookUs = 5;     // between two looks
constexpr double kSettleUs = 40;  // from a kernel's first workgroup on, until its loads go evenly
constexpr double kLongUs = 100;   // a command that takes longer is stopped; a shorter one is repeated
constexpr double kMostUs = 600;   // for short commands that find no place
constexpr int kRepeats = 32;
constexpr double kCopiesFirstUs =
    300;  // a memory-side cache takes up what comes for longer than GEMMs need to settle

enum Turn { kCopies, kGemms, kOthers, kTurns };

Turn turn_of(const program::Command& command) {
  if (communicates(command.action)) return kCopies;
  return gemm_of(command) ? kGemms : kOthers;
}

// The commands alone, each again and again in a stream of its own, in their turns; `numbers`: which are which.
Program side_by_side(const Program& whole, const std::vector<std::uint32_t>& commands, double copies_first_us,
                     std::vector<std::vector<std::uint32_t>>& numbers) {
  Program some = whole;
  some.promises.clear();
  some.sampled.clear();
  for (std::size_t g = 0; g < whole.gpus.size(); ++g) {
    program::GpuCommands& gpu = some.gpus[g];
    gpu = {};
    numbers.assign(commands.size(), {});
    const auto later = [&](double us) {
      gpu.commands.push_back({"later", {}, 0, program::HostTime{static_cast<std::uint64_t>(us * 1e6)}});
    };
    for (int turn = kCopies; turn < kTurns; ++turn) {
      for (std::size_t i = 0; i < commands.size(); ++i) {
        program::Command command = whole.gpus[g].commands[commands[i]];
        if (turn_of(command) != turn) continue;
        command.stream = narrow<std::uint32_t>(gpu.streams.size());
        gpu.streams.push_back(command.name);
        for (int time = 0; time < kRepeats; ++time) {
          numbers[i].push_back(narrow<std::uint32_t>(gpu.commands.size()));
          gpu.commands.push_back(command);
        }
      }
      if (!gpu.commands.empty() && turn != kOthers) later(turn == kCopies ? copies_first_us : kSettleUs);
    }
  }
  some.queue_filled = true;  // what issuing takes is the timeline's
  return some;
}

// Copies have the memory to themselves for so long.
double copies_first_us(const Program& program, const std::vector<std::uint32_t>& commands) {
  const bool any = std::ranges::any_of(
      commands, [&](std::uint32_t c) { return turn_of(program.gpus[0].commands[c]) == kCopies; });
  return any ? kCopiesFirstUs : 0;
}

// What a short run has seen of a command and its repeats, in us.
class Seen {
 public:
  Seen(const Config& config, const Watched& watched, const std::vector<std::uint32_t>& numbers, bool kernel)
      : time_(time_base(config)),
        start_us_(kernel ? real(config.gpu.kernel_launch_cycles) / real(config.gpu.clock_hz) * 1e6
                         : 2e-6 * real(config.topology.link.latency_ps)),
        watched_(watched),
        numbers_(numbers) {}

  bool begun() const { return first().begun != kNever; }
  double under_way_us() const { return time_.to_us(first().begun) + start_us_; }
  // Its pace is known at `now`.
  bool known(double now) const {
    const std::size_t over = times_over();
    return over >= 2 || (over == 0 && begun() && now >= under_way_us() + kLongUs);
  }
  // From `from` on, when all others are under way, too.
  double bytes_per_us(const Watched::Look& from, const Watched::Look& last) const {
    const std::size_t over = times_over();
    if (over == 0) {
      const std::uint32_t c = numbers_[0];
      return last.at_us > from.at_us ? real(last.moved[c] - from.moved[c]) / (last.at_us - from.at_us) : 0;
    }
    return real(last.moved[numbers_[0]]) / took_us();
  }
  // When the first one can have begun to move something.
  double placed_us() const {
    const double at = time_.to_us(first().done) - took_us();
    return times_over() < 2 || at < under_way_us() + kNoWaitUs ? 0 : at;
  }

 private:
  static constexpr double kNoWaitUs = 1;

  // What one takes, start apart. The first one may have found what the later ones do not: cold caches, no free place.
  double took_us() const {
    const std::size_t over = times_over();
    double us = 0;
    for (std::size_t i = over > 1 ? 1 : 0; i < over; ++i) {
      const CommandTimes& times = watched_.times[numbers_[i]];
      us += std::max(1e-3, time_.to_us(times.done - times.begun) - start_us_);
    }
    return us / real(over > 1 ? over - 1 : over);
  }
  const CommandTimes& first() const { return watched_.times[numbers_[0]]; }
  // Repeats that are done.
  std::size_t times_over() const {
    std::size_t over = 0;
    while (over < numbers_.size() && watched_.times[numbers_[over]].done != kNever) ++over;
    return over;
  }

  TimeBase time_;
  double start_us_;
  const Watched& watched_;
  const std::vector<std::uint32_t>& numbers_;
};

// Of all commands.
class AllSeen {
 public:
  AllSeen(const Config& config, const Program& program, const std::vector<std::uint32_t>& commands,
          const Watched& watched, const std::vector<std::vector<std::uint32_t>>& numbers)
      : watched_(watched) {
    for (std::size_t i = 0; i < commands.size(); ++i)
      each_.emplace_back(
          config, watched, numbers[i],
          std::holds_alternative<program::Launch>(program.gpus[0].commands[commands[i]].action));
  }

  bool enough() const {
    if (!std::ranges::all_of(each_, &Seen::begun)) return false;
    const double now = watched_.looks.back().at_us;
    return now >= all_under_way_us() + kMostUs ||
           std::ranges::all_of(each_, [&](const Seen& seen) { return seen.known(now); });
  }
  const Watched::Look& settled() const {
    const double from = all_under_way_us() + kSettleUs;
    const auto found =
        std::ranges::find_if(watched_.looks, [&](const Watched::Look& look) { return look.at_us >= from; });
    return found == watched_.looks.end() ? watched_.looks.back() : *found;
  }
  const std::vector<Seen>& each() const { return each_; }

 private:
  double all_under_way_us() const {
    double last = 0;
    for (const Seen& seen : each_) last = std::max(last, seen.under_way_us());
    return last;
  }

  const Watched& watched_;
  std::vector<Seen> each_;
};

std::string shape_of(const program::View& view) { return fmt::format("{}x{}", view.rows, view.columns); }

}  // namespace

Paces paces_of(const Config& config, const Program& program, const std::vector<std::uint32_t>& commands) {
  std::vector<std::vector<std::uint32_t>> numbers;
  const Program some = side_by_side(program, commands, copies_first_us(program, commands), numbers);
  const Watched watched = watch_program(config, some, kLookUs, [&](const Watched& so_far) {
    return AllSeen(config, program, commands, so_far, numbers).enough();
  });
  const AllSeen seen(config, program, commands, watched, numbers);
  const Watched::Look &from = seen.settled(), &last = watched.looks.back();
  Paces paces;
  paces.events = watched.events;
  paces.host_seconds = watched.host_seconds;
  double gemm_us = 0;
  for (std::size_t i = 0; i < commands.size(); ++i)
    if (gemm_of(program.gpus[0].commands[commands[i]])) gemm_us = seen.each()[i].under_way_us();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Seen& one = seen.each()[i];
    paces.bytes_per_us.push_back(one.bytes_per_us(from, last));
    const bool after = gemm_us > 0 && turn_of(program.gpus[0].commands[commands[i]]) == kOthers;
    paces.place_us.push_back(after ? std::max(0.0, one.placed_us() - gemm_us) : 0);
  }
  const double us = last.at_us - from.at_us;
  for (std::size_t t = 0; t < kTraffics && us > 0; ++t) {
    const auto traffic = static_cast<Traffic>(t);
    paces.dram[t] = {real(last.dram.read(traffic) - from.dram.read(traffic)) / us,
                     real(last.dram.written(traffic) - from.dram.written(traffic)) / us};
  }
  return paces;
}

const program::GemmBody* gemm_of(const program::Command& command) {
  const auto* launch = std::get_if<program::Launch>(&command.action);
  return launch ? std::get_if<program::GemmBody>(&launch->body) : nullptr;
}

std::string kind_of(const program::Command& command) {
  if (const auto* copy = std::get_if<program::Copy>(&command.action))
    return fmt::format("copy {} {}", shape_of(copy->from), copy->to.gpu == 0 ? "in" : "out");
  const auto& launch = std::get<program::Launch>(command.action);
  const std::string places = fmt::format(" on {} CUs, priority {}", launch.cus, launch.priority);
  if (const auto* gemm = gemm_of(command)) {
    const GemmSpec& spec = gemm->spec;
    return fmt::format("gemm {}x{}x{}{} tile {}x{}x{} of {}", spec.shape.m, spec.shape.n, spec.shape.k,
                       gemm->accumulate ? " adds" : "", spec.tile.m, spec.tile.n, spec.tile.k, spec.split_k) +
           places;
  }
  const auto& sum = std::get<program::SumBody>(launch.body);
  return fmt::format("sum of {} {}{}", sum.from.size(), shape_of(sum.to), sum.to.gpu == 0 ? "" : " away") +
         places;
}

std::optional<double> whole_bytes(const Program& program, const program::Command& command) {
  if (const auto* copy = std::get_if<program::Copy>(&command.action))
    return real(bytes_of(program, copy->from));
  const auto* launch = std::get_if<program::Launch>(&command.action);
  const auto* sum = launch ? std::get_if<program::SumBody>(&launch->body) : nullptr;
  if (!sum) return std::nullopt;
  double bytes = 0;
  for (const program::View& from : sum->from) bytes += real(bytes_of(program, from));
  return bytes;
}

}  // namespace t3sim
