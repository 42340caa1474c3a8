// The matrix pipeline of a CU, shared by its workgroups, and the account of where its time went.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "gpu/config.h"
#include "gpu/idle_account.h"
#include "sim/time.h"

namespace t3sim {

// Why the matrix unit of a CU stands idle. Of several reasons the first that applies counts.
enum class IdleCause : std::uint8_t { waiting_loads, prologue, output_write, no_workgroup, launch };
inline constexpr int kIdleCauses = 5;

// Ticks of one CU's matrix unit from the start of a kernel to its end: the parts add up to the whole.
struct MatrixTime {
  Tick useful = 0;   // FLOPs of the problem at peak rate
  Tick padding = 0;  // FLOPs outside the problem's bounds (edge tiles), at peak rate
  Tick issue = 0;    // busy beyond that: issue efficiency, a clock that falls with the work
  std::array<Tick, kIdleCauses> idle{};

  Tick working() const { return useful + padding + issue; }
  Tick total() const {
    Tick sum = working();
    for (Tick t : idle) sum += t;
    return sum;
  }
};

// The work of several workgroups shares it as their wavefronts are scheduled.
// Round robin: instruction by instruction, as Accel-Sim's loose round-robin warp scheduler does: while n of them have work
// here, each gets a share of 1/n. Workgroups that start together therefore stay together, and what they do beside matrix work
// (first loads, output) is not hidden by each other.
// Greedy: one has all of it until it has no work here, then the one that has waited longest. Workgroups that start together
// part, and what one does beside matrix work is hidden by the other's.
class MatrixUnit {
 public:
  // `clock_share`: of its clock, at which it works (GpuConfig::matrix_clock_hz).
  MatrixUnit(Clock clock, std::uint64_t flops_per_cycle, double issue_efficiency, double clock_share = 1,
             WavefrontScheduler scheduler = WavefrontScheduler::round_robin)
      : clock_(clock),
        flops_per_cycle_(flops_per_cycle),
        issue_efficiency_(issue_efficiency),
        clock_share_(clock_share),
        greedy_(scheduler == WavefrontScheduler::greedy) {}

  bool busy() const { return !jobs_.empty(); }

  // Takes work of `owner`, who must have none here. `efficiency`: of its kernel; 0: the unit's. `beside_links`: of the clock
  // (gpu/clock_beside_links.h). False: there is nothing to do.
  bool start(Tick now, unsigned owner, std::uint64_t flops, std::uint64_t useful_flops,
             std::uint64_t other_cycles, double efficiency = 0, double beside_links = 1) {
    account(now);
    if (efficiency == 0) efficiency = issue_efficiency_;
    const std::uint64_t peak = (flops + flops_per_cycle_ - 1) / flops_per_cycle_;
    const auto issued =
        static_cast<std::uint64_t>(static_cast<double>(flops) / (static_cast<double>(flops_per_cycle_) *
                                                                 efficiency * (clock_share_ * beside_links)) +
                                   0.999999);
    const Tick useful = flops == 0 ? 0 : clock_.cycles(peak) * useful_flops / flops;
    time_.useful += useful;
    time_.padding += clock_.cycles(peak) - useful;
    booked_ += clock_.cycles(peak);
    const Tick busy = clock_.cycles(issued + other_cycles);
    if (busy > 0) jobs_.push_back({owner, busy * kShares});
    rest_ = 0;
    find_first_end();
    return busy > 0;
  }

  // Calls done(owner) for everybody whose work has ended by now.
  template <class Done>
  void finish(Tick now, const Done& done) {
    if (now < first_end_ && !places_.held_up(now)) return;
    account(now);
    for (std::size_t i = 0; i < jobs_.size();) {
      if (jobs_[i].left > 0) {
        ++i;
        continue;
      }
      done(jobs_[i].owner);
      rest_ = 0;
      jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    find_first_end();
  }

  // When the first of the present work ends, if none is added until then. There must be some.
  Tick next_end(Tick now) const {
    if (greedy_) return clock_.align(now + (jobs_[served()].left + kShares - 1) / kShares);
    std::uint64_t least = jobs_.front().left;
    for (const Job& job : jobs_) least = std::min(least, job.left);
    return clock_.align(now + (least * jobs_.size() + kShares - 1) / kShares);
  }

  // Brings the account up to now: work done, or idle time under the cause that held until now.
  void account(Tick now) {
    if (now <= accounted_) return;
    const Tick elapsed = now - accounted_;
    if (jobs_.empty()) {
      time_.idle[static_cast<std::size_t>(cause_)] += elapsed;
      places_.pass(accounted_, now, true);
      accounted_ = now;
      return;
    }
    places_.pass(accounted_, now, false);
    accounted_ = now;
    busy_ += elapsed;
    if (greedy_) {
      Job& job = jobs_[served()];
      last_served_ = job.owner;
      job.left -= std::min(job.left, elapsed * kShares);
      return;
    }
    const std::uint64_t shares = elapsed * kShares + rest_;
    const std::uint64_t done = shares / jobs_.size();
    rest_ = shares % jobs_.size();
    for (Job& job : jobs_) job.left -= std::min(job.left, done);
  }
  // What each place for a workgroup waits for. Bring the account up to now before a change.
  IdleAccount& places() { return places_; }
  const IdleAccount& places() const { return places_; }
  // The cause that holds from now on whenever the unit is idle.
  void set_cause(IdleCause cause) { cause_ = cause; }

  // Complete when no work is left.
  MatrixTime time() const {
    MatrixTime time = time_;
    time.issue = busy_ - std::min(busy_, booked_);
    return time;
  }

 private:
  // A tick of work, in parts that can be shared evenly by up to ten workgroups.
  static constexpr std::uint64_t kShares = 2520;
  struct Job {
    unsigned owner;
    std::uint64_t left;  // ticks x kShares
  };

  // Greedy: whose work is done from now on, unless the one who was served last comes back at this very time.
  std::size_t served() const {
    const auto last = std::ranges::find(jobs_, last_served_, &Job::owner);
    return last == jobs_.end() ? 0 : static_cast<std::size_t>(last - jobs_.begin());
  }

  // Nobody's work ends before.
  void find_first_end() {
    first_end_ = kNever;
    if (greedy_) {
      if (!jobs_.empty()) first_end_ = accounted_ + (jobs_[served()].left + kShares - 1) / kShares;
      return;
    }
    for (const Job& job : jobs_) {
      const std::uint64_t shares = job.left * jobs_.size();
      first_end_ =
          std::min(first_end_, accounted_ + (shares - std::min(shares, rest_) + kShares - 1) / kShares);
    }
  }

  Tick first_end_ = kNever;  // what each wake-up of the CU asks is first
  IdleAccount places_;
  Clock clock_;
  std::uint64_t flops_per_cycle_;
  double issue_efficiency_, clock_share_;
  bool greedy_;
  unsigned last_served_ = ~0U;
  std::vector<Job> jobs_;
  std::uint64_t rest_ =
      0;  // of the shares that could not be dealt out: next_end() would be too early without
  Tick accounted_ = 0;
  Tick busy_ = 0, booked_ = 0;  // with work; the part of it that is work at peak rate
  IdleCause cause_ = IdleCause::launch;
  MatrixTime time_;
};

}  // namespace t3sim
