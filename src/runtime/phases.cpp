#include "runtime/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

#include "base/error.h"
#include "base/number.h"
#include "runtime/alone.h"
#include "runtime/phase_paces.h"
#include "runtime/phase_signals.h"
#include "runtime/phases_known.h"
#include "runtime/seen_companies.h"

namespace t3sim {
namespace {

using program::Program;

constexpr double kNeverUs = 1e300;
constexpr double kNothing = 1e-6;  // of rounding

double us_of(std::uint64_t ps) { return real(ps) * 1e-6; }

double bytes_per_us(const Paces::AllDram& dram) {
  double sum = 0;
  for (const Paces::Dram& of : dram) sum += of.read + of.written;
  return sum;
}

bool moves_or_computes(const program::Command& command) {
  return std::holds_alternative<program::Copy>(command.action) ||
         std::holds_alternative<program::Launch>(command.action);
}

// To another GPU: a packet of a sector.
double signal_bytes(const program::Command& command) {
  const auto* set = std::get_if<program::SetSignal>(&command.action);
  return set && set->set.word.gpu != 0 ? kSectorBytes : 0;
}

// GPU 0's commands in time, each at the pace that its company leaves it. Times are in us.
class Phases {
 public:
  Phases(const Config& config, const Program& program)
      : config_(config),
        program_(program),
        commands_(program.gpus[0].commands),
        states_(commands_.size()),
        streams_(program.gpus[0].streams.size()),
        recorded_(program.gpus[0].events.size()),
        signals_(config, program),
        paces_(config, program) {
    std::vector<std::uint32_t> issued(recorded_.size());
    for (std::uint32_t c = 0; c < commands_.size(); ++c) {
      check_known_to_phases(commands_[c]);
      State& state = states_[c];
      if (!program.queue_filled) state.issued = us_of(config.commands.issue_ps) * c;
      if (const auto* record = std::get_if<program::Record>(&commands_[c].action)) ++issued[record->event];
      if (const auto* wait = std::get_if<program::WaitEvent>(&commands_[c].action))
        state.awaits = issued[wait->event];
      if (moves_or_computes(commands_[c])) state.kind = kind_of(program, commands_[c]);
      streams_[commands_[c].stream].push_back(c);
    }
  }

  SampledRun run(const std::function<void(double)>& progress) {
    while (unfinished()) {
      if (progress) progress(real(done_) / real(commands_.size()));
      while (step_streams()) {
      }
      if (!unfinished()) break;
      go_on(under_way());
    }
    return made();
  }

 private:
  enum class Stage : std::uint8_t { waiting, starting, under_way, done };
  struct State {
    Stage stage = Stage::waiting;
    std::string kind;
    double issued = 0;
    std::uint32_t awaits = 0;  // of a wait-event: how often it is recorded then
    double begun = 0, under_way_at = 0, done = kNeverUs;
    double left = 0;  // bytes; of a GEMM us as if it were alone
    double tail = 0;  // of a GEMM: GemmsAlone::Alone::tail_us
    // Of a kernel that waits for a place: the GEMM that has it, to its tail if none was found beside it.
    std::optional<std::uint32_t> behind;
  };

  bool unfinished() const {
    return std::ranges::any_of(streams_, [](const auto& stream) { return !stream.empty(); });
  }

  PhaseSignals::DoneAt done_at() const {
    return [this](std::uint32_t c) { return states_[c].done; };
  }
  bool may_begin(std::uint32_t c) const {
    if (states_[c].issued > now_) return false;
    const program::Action& action = commands_[c].action;
    if (const auto* wait = std::get_if<program::WaitEvent>(&action))
      return recorded_[wait->event] >= states_[c].awaits;
    if (const auto* wait = std::get_if<program::WaitSignal>(&action))
      return signals_.reached(wait->wait, now_, done_at());
    return !std::holds_alternative<program::Copy>(action) || copies_under_way_ < config_.dma.engines;
  }
  double start_us(const program::Action& action) const {
    if (std::holds_alternative<program::Copy>(action))
      return us_of(config_.commands.copy_ps + 2 * config_.topology.link.latency_ps);
    if (std::holds_alternative<program::SetSignal>(action)) return us_of(config_.commands.signal_ps);
    return real(config_.gpu.kernel_launch_cycles) / real(config_.gpu.clock_hz) * 1e6;
  }

  // The first command of a stream begins, or takes no time; true if anything has changed.
  bool step_streams() {
    bool moved = false;
    for (auto& stream : streams_) {
      if (stream.empty()) continue;
      const std::uint32_t c = stream.front();
      State& state = states_[c];
      if (state.stage == Stage::waiting && may_begin(c)) begin(c), moved = true;
      if (state.stage == Stage::starting && finds_place(c)) get_under_way(c), moved = true;
      if (state.stage == Stage::done) stream.pop_front(), moved = true;
    }
    return moved;
  }
  void begin(std::uint32_t c) {
    State& state = states_[c];
    state.begun = state.under_way_at = now_;
    const program::Action& action = commands_[c].action;
    if (const auto* record = std::get_if<program::Record>(&action)) ++recorded_[record->event];
    if (std::holds_alternative<program::Record>(action) ||
        std::holds_alternative<program::WaitEvent>(action) ||
        std::holds_alternative<program::WaitSignal>(action))
      return finish(c);
    if (std::holds_alternative<program::Copy>(action)) {
      ++copies_under_way_;
      state.begun += us_of(config_.commands.copy_ps);
    }
    state.stage = Stage::starting;
    state.under_way_at += start_us(action);
  }
  // A kernel that is launched may have to wait for a place beside the GEMM that began before it.
  bool finds_place(std::uint32_t c) {
    State& state = states_[c];
    const auto free = [&] { return state.behind && leaves_places(*state.behind); };
    if (state.under_way_at > now_ && !free()) return false;
    if (!state.behind && std::holds_alternative<program::Launch>(commands_[c].action) &&
        !gemm_of(commands_[c])) {
      const std::vector<std::uint32_t> company = under_way();
      const auto gemm = std::ranges::find_if(
          company, [&](std::uint32_t other) { return gemm_of(commands_[other]) != nullptr; });
      if (gemm == company.end()) return true;
      state.behind = *gemm;
      state.under_way_at = paces_.waits_for_tail(c, *gemm)
                               ? kNeverUs
                               : states_[*gemm].under_way_at + paces_.of({*gemm, c}).place_us[1];
    }
    return state.under_way_at <= now_ || free();
  }
  bool leaves_places(std::uint32_t gemm) const {
    const State& state = states_[gemm];
    return state.stage == Stage::done ||
           (state.stage == Stage::under_way && state.left <= state.tail * (1 + kNothing));
  }
  void get_under_way(std::uint32_t c) {
    State& state = states_[c];
    if (state.kind.empty()) {  // a signal has left
      link_bytes_ += signal_bytes(commands_[c]);
      return finish(c);
    }
    state.stage = Stage::under_way;
    state.under_way_at = now_;
    if (const auto* gemm = gemm_of(commands_[c])) {
      const GemmsAlone::Alone alone = GemmsAlone::of_this_process().of(config_, program_, *gemm);
      state.left = std::max(0.0, alone.us - start_us(commands_[c].action));
      state.tail = std::min(alone.tail_us, state.left);
      const bool busy = keeps_memory_busy(config_, bytes_per_us(alone.dram));
      paces_.note_gemm(c, alone.us < (busy ? kLongBusyGemmUs : kLongGemmUs), alone.dram);
      error_us_ += alone.error_us;
      if (gemms_.insert(state.kind).second) {
        events_ += alone.events;
        host_seconds_ += alone.host_seconds;
      }
    } else {
      state.left = *whole_bytes(program_, commands_[c]);
    }
  }
  void finish(std::uint32_t c) {
    ++done_;
    states_[c].stage = Stage::done;
    states_[c].done = now_;
    if (std::holds_alternative<program::Copy>(commands_[c].action)) --copies_under_way_;
  }

  std::vector<std::uint32_t> under_way() const {
    std::vector<std::uint32_t> active;
    for (const auto& stream : streams_)
      if (!stream.empty() && states_[stream.front()].stage == Stage::under_way)
        active.push_back(stream.front());
    return active;
  }

  // Until something begins or ends next, or a GEMM leaves places for which a kernel waits.
  void go_on(const std::vector<std::uint32_t>& active) {
    const auto [speed, dram] = paces_.going(active);
    double next = kNeverUs;
    for (std::size_t i = 0; i < active.size(); ++i) {
      if (speed[i] <= 0) continue;
      const State& state = states_[active[i]];
      next = std::min(next, now_ + state.left / speed[i]);
      if (has_waiting(active[i]) && !leaves_places(active[i]))
        next = std::min(next, now_ + (state.left - state.tail) / speed[i]);
    }
    next = std::min(next, next_by_itself());
    if (next == kNeverUs) throw NoProgressError(fmt::format("{}: no command goes on", program_.name));
    const double us = next - now_;
    note(active, speed, dram, us);
    now_ = next;
    for (std::size_t i = 0; i < active.size(); ++i) {
      State& state = states_[active[i]];
      state.left -= us * speed[i];
      if (communicates(commands_[active[i]].action)) link_bytes_ += us * speed[i];
      if (state.left <= kNothing * speed[i]) finish(active[i]);
    }
  }
  bool has_waiting(std::uint32_t gemm) const {
    return std::ranges::any_of(
        states_, [&](const State& s) { return s.stage == Stage::starting && s.behind == gemm; });
  }
  double next_by_itself() const {
    double next = kNeverUs;
    const auto later = [&](double at) {
      if (at > now_) next = std::min(next, at);
    };
    for (const auto& stream : streams_) {
      if (stream.empty()) continue;
      const State& state = states_[stream.front()];
      if (state.stage == Stage::waiting) later(state.issued);
      if (state.stage == Stage::starting) later(state.under_way_at);
    }
    return std::min(next, signals_.next_after(now_, kNeverUs, done_at()));
  }

  // What the phase has moved, and what its commands cost each other.
  void note(const std::vector<std::uint32_t>& active, const std::vector<double>& speed,
            const Paces::AllDram& dram, double us) {
    if (active.empty()) return;
    for (std::size_t t = 0; t < kTraffics; ++t) {
      dram_[t].read += dram[t].read * us;
      dram_[t].written += dram[t].written * us;
    }
    if (!together_) together_ = paces_.contention(active, speed);
  }
  // What has gone over links at its pace, which is all that there was.
  std::uint64_t checked_link_bytes() const {
    double all = 0;
    for (const program::Command& command : commands_)
      all += communicates(command.action) ? *whole_bytes(program_, command) : signal_bytes(command);
    if (std::abs(link_bytes_ - all) > 1e-6 * all)
      throw CheckError(fmt::format("links: {:.0f} bytes of {:.0f} have arrived", link_bytes_, all));
    return static_cast<std::uint64_t>(all);
  }

  SampledRun made() const {
    SampledRun made;
    made.sample.emplace();
    made.sample->phases = narrow<std::uint32_t>(paces_.companies().size() + gemms_.size());
    made.sample->error_us = error_us_;
    made.sample->together = together_;
    made.runs = made.sample->phases;
    const TimeBase time = time_base(config_);
    const auto ticks = [&](double us) { return time.from_ps(static_cast<std::uint64_t>(us * 1e6)); };
    ProgramResult::OneGpu gpu;
    for (const State& state : states_) {
      CommandTimes times;
      times.issued = ticks(state.issued);
      times.begun = ticks(state.begun);
      times.done = ticks(state.done);
      made.result.ticks = std::max(made.result.ticks, times.done);
      gpu.times.push_back(times);
    }
    for (int t = 0; t < kTraffics; ++t) {
      const auto traffic = static_cast<Traffic>(t);
      gpu.dram.read(traffic) = static_cast<std::uint64_t>(dram_[ordinal(traffic)].read);
      gpu.dram.written(traffic) = static_cast<std::uint64_t>(dram_[ordinal(traffic)].written);
    }
    gpu.link_bytes = checked_link_bytes();
    made.result.gpus.assign(program_.gpu_count, gpu);
    made.result.time_us = time.to_us(made.result.ticks);
    made.result.events = events_ + paces_.companies().events();
    made.result.host_seconds = host_seconds_ + paces_.companies().host_seconds();
    return made;
  }

  const Config& config_;
  const Program& program_;
  const std::vector<program::Command>& commands_;
  std::vector<State> states_;
  std::vector<std::deque<std::uint32_t>> streams_;
  std::vector<std::uint32_t> recorded_;  // by event, how often
  PhaseSignals signals_;
  std::uint64_t copies_under_way_ = 0;
  std::size_t done_ = 0;
  double now_ = 0;
  PhasePaces paces_;
  std::set<std::string> gemms_;  // that have been met, by kind
  std::uint64_t events_ = 0;
  double host_seconds_ = 0;
  Paces::AllDram dram_;
  double error_us_ = 0, link_bytes_ = 0;
  std::optional<Contention> together_;
};

}  // namespace

SampledRun run_phases(const Config& config, const Program& program,
                      const std::function<void(double)>& progress) {
  check_known_to_phases(config, program);
  return Phases(config, program).run(progress);
}

}  // namespace t3sim
