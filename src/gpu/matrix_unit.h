// The matrix pipeline of a CU, shared by its workgroups, and the account of where its time went.
#pragma once

#include <array>
#include <cstdint>

#include "sim/time.h"

namespace t3sim {

// Why the matrix unit of a CU stands idle. Of several reasons the first that applies counts.
enum class IdleCause : std::uint8_t { waiting_loads, prologue, output_write, no_workgroup };
inline constexpr int kIdleCauses = 4;

// Ticks of one CU's matrix unit from the start of a kernel to its end: the parts add up to the whole.
struct MatrixTime {
  Tick useful = 0;   // FLOPs of the problem at peak rate
  Tick padding = 0;  // FLOPs outside the problem's bounds (edge tiles), at peak rate
  Tick issue = 0;    // busy beyond that: issue efficiency
  std::array<Tick, kIdleCauses> idle{};

  Tick total() const {
    Tick sum = useful + padding + issue;
    for (Tick t : idle) sum += t;
    return sum;
  }
};

class MatrixUnit {
 public:
  MatrixUnit(Clock clock, std::uint64_t flops_per_cycle, double issue_efficiency)
      : clock_(clock), flops_per_cycle_(flops_per_cycle), issue_efficiency_(issue_efficiency) {}

  bool busy(Tick now) const { return busy_until_ > now; }

  // Queues work behind what is already there; returns when it ends. First come, first served.
  Tick start(Tick now, std::uint64_t flops, std::uint64_t useful_flops, std::uint64_t other_cycles) {
    account(now);
    const Tick begin = busy_until_ > now ? busy_until_ : now;
    const Tick peak = clock_.cycles((flops + flops_per_cycle_ - 1) / flops_per_cycle_);
    const Tick busy =
        clock_.cycles(static_cast<std::uint64_t>(
            static_cast<double>(flops) / (static_cast<double>(flops_per_cycle_) * issue_efficiency_) +
            0.999999)) +
        clock_.cycles(other_cycles);
    const Tick useful = flops == 0 ? 0 : peak * useful_flops / flops;
    time_.useful += useful;
    time_.padding += peak - useful;
    time_.issue += busy - peak;
    busy_until_ = begin + busy;
    if (busy > 0) accounted_ = busy_until_;
    return busy_until_;
  }
  // Books the idle time since the last call under the cause that held until now.
  void account(Tick now) {
    if (now <= accounted_) return;
    time_.idle[static_cast<std::size_t>(cause_)] += now - accounted_;
    accounted_ = now;
  }
  // The cause that holds from now on whenever the unit is idle.
  void set_cause(IdleCause cause) { cause_ = cause; }

  const MatrixTime& time() const { return time_; }

 private:
  Clock clock_;
  std::uint64_t flops_per_cycle_;
  double issue_efficiency_;
  Tick busy_until_ = 0;
  Tick accounted_ = 0;
  IdleCause cause_ = IdleCause::no_workgroup;
  MatrixTime time_;
};

}  // namespace t3sim
