#include "runtime/company.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/number.h"
#include "program/views.h"
#include "runtime/alone.h"
#include "runtime/program_run.h"

namespace t3sim {
namespace {

using program::Program;

constexpr double kLookUs = 5;     // between two looks
constexpr double kSettleUs = 40;  // from the last beginning on, until loads go evenly
constexpr double kMeasureUs = 60;
// Instead, where a kernel that has the first place finds none yet, or one is not over.
constexpr double kMostUs = 600;
constexpr double kNeverBeginsUs = 20e3;  // in which everything begins that ever does
constexpr double kCopiesFirstUs =
    300;  // a memory-side cache takes up what comes for longer than GEMMs need to settle
constexpr std::uint64_t kKernelRepeats = 64, kMostRepeats = 1024;

enum Turn { kCopies, kGemms, kOthers, kTurns };

Turn turn_of(const program::Command& command) {
  if (communicates(command.action)) return kCopies;
  return gemm_of(command) ? kGemms : kOthers;
}

std::int32_t priority_of(const program::Command& command) {
  const auto* launch = std::get_if<program::Launch>(&command.action);
  return launch ? launch->priority : 0;
}

// As often as it takes to outlast the short run.
std::uint64_t repeats_of(const Config& config, const Program& program, const program::Command& command) {
  if (turn_of(command) != kCopies) return kKernelRepeats;
  const double least_us = *whole_bytes(program, command) / (1e-6 * real(config.topology.link.bandwidth_Bps));
  const double all_us = kCopiesFirstUs + kSettleUs + kMostUs;
  return std::min(kMostRepeats, 2 + static_cast<std::uint64_t>(all_us / std::max(1e-3, least_us)));
}

// The commands alone, each again and again in a stream of its own, in their turns; `numbers`: which are which.
Program side_by_side(const Config& config, const Program& whole, const std::vector<Member>& members,
                     std::vector<std::vector<std::uint32_t>>& numbers) {
  Program some = whole;
  some.promises.clear();
  some.sampled.clear();
  some.queue_filled = true;  // what issuing takes is the timeline's
  for (std::size_t g = 0; g < whole.gpus.size(); ++g) {
    program::GpuCommands& gpu = some.gpus[g];
    gpu = {};
    numbers.assign(members.size(), {});
    for (int turn = kCopies; turn < kTurns; ++turn) {
      bool any = false;
      for (std::size_t i = 0; i < members.size(); ++i) {
        program::Command command = whole.gpus[g].commands[members[i].command];
        if (turn_of(command) != turn) continue;
        any = true;
        command.stream = narrow<std::uint32_t>(gpu.streams.size());
        gpu.streams.push_back(command.name);
        for (std::uint64_t left = repeats_of(config, whole, command); left > 0; --left) {
          numbers[i].push_back(narrow<std::uint32_t>(gpu.commands.size()));
          gpu.commands.push_back(command);
        }
      }
      const double us = turn == kCopies ? kCopiesFirstUs : kSettleUs;
      if (any && turn != kOthers)
        gpu.commands.push_back({"later", {}, 0, program::HostTime{static_cast<std::uint64_t>(us * 1e6)}});
    }
  }
  return some;
}

// What a short run has seen of a member and its repeats, in us.
class Seen {
 public:
  Seen(const Config& config, const Watched& watched, const std::vector<std::uint32_t>& numbers, bool copy)
      : time_(time_base(config)),
        start_us_(copy ? 2e-6 * real(config.topology.link.latency_ps)
                       : real(config.gpu.kernel_launch_cycles) / real(config.gpu.clock_hz) * 1e6),
        pause_us_(copy ? start_us_ + 1e-6 * real(config.commands.copy_ps) : start_us_),
        watched_(watched),
        numbers_(numbers) {}

  bool begun() const { return times(0).begun != kNever; }
  double under_way_us() const { return time_.to_us(times(0).begun) + start_us_; }
  bool moved(const Watched::Look& look) const { return bytes(look) > 0; }
  // Repeats that began at `from` or later and are over.
  std::size_t whole_since(double from) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < numbers_.size() && times(i).done != kNever; ++i) count += began(i) >= from;
    return count;
  }
  // Between two looks, without the pauses in which the next repeat is started.
  double pace_between(const Watched::Look& from, const Watched::Look& last) const {
    double us = last.at_us - from.at_us;
    for (std::size_t i = 0; i < numbers_.size() && times(i).done != kNever; ++i)
      if (const double done = time_.to_us(times(i).done); done >= from.at_us && done < last.at_us)
        us -= std::min(pause_us_, last.at_us - done);
    return us > 0 ? (bytes(last) - bytes(from)) / us : 0;
  }
  // Of the repeats that began at `from` or later, start apart.
  double pace_of_whole_ones(double from, const Watched::Look& last) const {
    double us = 0, moved = 0;
    for (std::size_t i = 0; i < numbers_.size() && times(i).done != kNever; ++i)
      if (began(i) >= from) us += took(i), moved += real(last.moved[numbers_[i]]);
    return ratio(moved, us);
  }
  // When the first one can have begun to move something, if it took longer than later ones; 0: at once.
  double placed_us() const {
    constexpr double kNoWaitUs = 1;
    if (times(0).done == kNever || times(1).done == kNever) return 0;
    const double waited = took(0) - took(1);
    return waited < kNoWaitUs ? 0 : under_way_us() + waited;
  }

 private:
  const CommandTimes& times(std::size_t repeat) const { return watched_.times[numbers_[repeat]]; }
  double began(std::size_t repeat) const { return time_.to_us(times(repeat).begun); }
  double took(std::size_t repeat) const {
    return std::max(1e-3, time_.to_us(times(repeat).done - times(repeat).begun) - start_us_);
  }
  double bytes(const Watched::Look& look) const {
    double sum = 0;
    for (const std::uint32_t c : numbers_) sum += real(look.moved[c]);
    return sum;
  }

  TimeBase time_;
  double start_us_;  // from a command's beginning until it can move something
  double pause_us_;  // from the end of one until the next one can
  const Watched& watched_;
  const std::vector<std::uint32_t>& numbers_;
};

// Of all members.
class Company {
 public:
  Company(const Config& config, const Program& program, const std::vector<Member>& members,
          const Watched& watched, const std::vector<std::vector<std::uint32_t>>& numbers)
      : config_(config), members_(members), watched_(watched) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      const program::Command& command = program.gpus[0].commands[members[i].command];
      turns_.push_back(turn_of(command));
      priorities_.push_back(priority_of(command));
      each_.emplace_back(config, watched, numbers[i], std::holds_alternative<program::Copy>(command.action));
    }
  }

  bool enough() const {
    const double now = watched_.looks.back().at_us;
    if (!std::ranges::all_of(each_, &Seen::begun)) return now > kNeverBeginsUs;
    if (now >= last_beginning_us() + kSettleUs + kMostUs) return true;
    if (now < settled().at_us + kMeasureUs) return false;
    for (std::size_t i = 0; i < each_.size(); ++i) {
      if (members_[i].brief && !by_whole_ones(i)) return false;
      if (has_first_place(i) && !each_[i].moved(watched_.looks.back())) return false;
    }
    return true;
  }

  Paces paces() const {
    if (!std::ranges::all_of(each_, &Seen::begun))
      throw NoProgressError("a command of a short run never begins");
    Paces paces;
    const Watched::Look &from = settled(), &last = watched_.looks.back();
    double gemm_us = 0;
    for (std::size_t i = 0; i < each_.size(); ++i)
      if (turns_[i] == kGemms) gemm_us = each_[i].under_way_us();
    for (std::size_t i = 0; i < each_.size(); ++i) {
      paces.bytes_per_us.push_back(by_whole_ones(i) ? each_[i].pace_of_whole_ones(last_beginning_us(), last)
                                                    : each_[i].pace_between(from, last));
      const bool behind = gemm_us > 0 && turns_[i] == kOthers;
      paces.place_us.push_back(behind ? std::max(0.0, each_[i].placed_us() - gemm_us) : 0);
    }
    const double us = last.at_us - from.at_us;
    for (std::size_t t = 0; t < kTraffics && us > 0; ++t) {
      const auto traffic = static_cast<Traffic>(t);
      paces.dram[t] = {real(last.dram.read(traffic) - from.dram.read(traffic)) / us,
                       real(last.dram.written(traffic) - from.dram.written(traffic)) / us};
    }
    paces.events = watched_.events;
    paces.host_seconds = watched_.host_seconds;
    return paces;
  }

 private:
  // A place that a GEMM's workgroup leaves is this kernel's; else the GEMM's next workgroup takes it, and the last ones are far off.
  bool has_first_place(std::size_t i) const {
    if (turns_[i] != kOthers) return false;
    for (std::size_t g = 0; g < each_.size(); ++g)
      if (turns_[g] == kGemms && priorities_[g] >= priorities_[i]) return false;
    return true;
  }
  // Kernels that are over soon: the looks are too far apart for them.
  bool by_whole_ones(std::size_t i) const {
    const bool may_be = turns_[i] == kGemms ? members_[i].brief : turns_[i] == kOthers;
    return may_be && each_[i].whole_since(last_beginning_us()) > 0;
  }
  double last_beginning_us() const {
    double last = 0;
    for (const Seen& seen : each_) last = std::max(last, seen.under_way_us());
    return last;
  }
  // From which on paces are taken.
  const Watched::Look& settled() const {
    const std::vector<Watched::Look>& looks = watched_.looks;
    const double beginning_us = last_beginning_us();
    const auto begun =
        std::ranges::find_if(looks, [&](const Watched::Look& look) { return look.at_us >= beginning_us; });
    const auto found = std::find_if(begun, looks.end(), [&](const Watched::Look& look) {
      return is_settled(*begun, look, look.at_us - beginning_us);
    });
    return found == looks.end() ? looks.back() : *found;
  }
  // Where memory is busy, what a memory-side cache held before has to be out of it, too, if the longest run is enough for that: the last of
  // it makes way for what is read or arrives.
  bool is_settled(const Watched::Look& begun, const Watched::Look& look, double us) const {
    if (us < kSettleUs) return false;
    const Paces::Dram moved = moved_between(begun, look);
    return std::max(moved.read, moved.written) >= real(config_.l2.memory_side.size_bytes) ||
           !keeps_memory_busy(config_, ratio(moved.read + moved.written, look.at_us - begun.at_us)) ||
           us >= kSettleUs + kMostUs - kMeasureUs;
  }
  static Paces::Dram moved_between(const Watched::Look& from, const Watched::Look& last) {
    Paces::Dram moved;
    for (int t = 0; t < kTraffics; ++t) {
      const auto traffic = static_cast<Traffic>(t);
      moved.read += real(last.dram.read(traffic) - from.dram.read(traffic));
      moved.written += real(last.dram.written(traffic) - from.dram.written(traffic));
    }
    return moved;
  }

  const Config& config_;
  const std::vector<Member>& members_;
  const Watched& watched_;
  std::vector<Turn> turns_;
  std::vector<std::int32_t> priorities_;
  std::vector<Seen> each_;
};

std::string shape_of(const program::View& view) { return fmt::format("{}x{}", view.rows, view.columns); }

std::string kind_of_gemm(const program::GemmBody& gemm) {
  const GemmSpec& spec = gemm.spec;
  return fmt::format("gemm {}x{}x{}{} {} tile {}x{}x{} of {}, pitches {} {} {}", spec.shape.m, spec.shape.n,
                     spec.shape.k, gemm.accumulate ? " adds" : "", to_string(spec.type), spec.tile.m,
                     spec.tile.n, spec.tile.k, spec.split_k, spec.a_pitch, spec.b_pitch, spec.c_pitch);
}

}  // namespace

bool has_first_place(const program::Command& kernel, const program::Command& gemm) {
  return priority_of(kernel) > priority_of(gemm);
}

bool keeps_memory_busy(const Config& config, double bytes_per_us) {
  constexpr double kBusy = 0.5;
  return bytes_per_us > kBusy * 1e-6 * config.memory.peak_bytes_per_second();
}

Paces paces_of(const Config& config, const Program& program, const std::vector<Member>& members) {
  std::vector<std::vector<std::uint32_t>> numbers;
  const Program some = side_by_side(config, program, members, numbers);
  const Watched watched = watch_program(config, some, kLookUs, [&](const Watched& so_far) {
    return Company(config, program, members, so_far, numbers).enough();
  });
  return Company(config, program, members, watched, numbers).paces();
}

const program::GemmBody* gemm_of(const program::Command& command) {
  const auto* launch = std::get_if<program::Launch>(&command.action);
  return launch ? std::get_if<program::GemmBody>(&launch->body) : nullptr;
}

std::string kind_of(const Program& program, const program::Command& command) {
  if (const auto* copy = std::get_if<program::Copy>(&command.action))
    return fmt::format("copy {} of {}, {}", shape_of(copy->from), program.arrays[copy->from.array].columns,
                       to_string(program.arrays[copy->from.array].type));
  const auto& launch = std::get<program::Launch>(command.action);
  if (const auto* gemm = gemm_of(command)) return kind_of_gemm(*gemm);
  const auto& sum = std::get<program::SumBody>(launch.body);
  return fmt::format("sum of {} {}{}{}, {}, on {} CUs, priority {}", sum.from.size(), shape_of(sum.to),
                     sum.to.gpu == 0 ? "" : " away", sum.add ? " added" : "",
                     to_string(program.arrays[sum.to.array].type), launch.cus, launch.priority);
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
