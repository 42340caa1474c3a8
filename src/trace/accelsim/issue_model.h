// Turns the instructions of a piece of a workgroup into CU cycles (traces/FORMAT.md, "Issue model").
//
// A warp is bound to scheduler `warp mod schedulers`. A scheduler issues one warp instruction a cycle, and
// each instruction keeps its unit of that scheduler busy for a fixed number of cycles. Shared memory belongs
// to the whole CU. A piece takes as long as its busiest scheduler computes and as shared memory works; of the
// shorter of the two only the share `overlap` is hidden behind the longer.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/accelsim/opcode.h"

namespace t3sim::accelsim {

struct IssueModel {
  std::uint32_t schedulers = 4;
  // Cycles that a warp instruction keeps its unit busy ("initiation interval").
  std::uint32_t integer_interval = 2;
  std::uint32_t fp32_interval = 2;
  std::uint32_t fp64_interval = 4;
  std::uint32_t half_interval = 2;
  std::uint32_t sfu_interval = 8;
  std::uint32_t tensor_flops_per_cycle = 1024;  // of the CU, for FP16
  std::uint32_t shared_cycles_percent = 100;    // cost of a shared-memory cycle (coalesce.h), in percent
  std::uint32_t overlap_percent = 33;

  // Sets one of the numbers above from "key=value". Throws InputError that names the keys.
  void set(std::string_view assignment);
  std::string describe() const;
};

// A model by name: "volta" (Accel-Sim's QV100), "ampere" (A100), "hopper" (H100). Throws InputError.
IssueModel issue_model(std::string_view name);

// What the instructions of a piece keep busy.
class IssueWork {
 public:
  void clear() { *this = IssueWork(); }
  void add(const IssueModel& model, unsigned warp, const Opcode& opcode, unsigned active_lanes);
  void add_shared(std::uint32_t cycles) { shared_cycles_ += cycles; }
  std::uint64_t flops() const { return flops_; }
  std::uint32_t cycles(const IssueModel& model) const;

 private:
  static constexpr std::size_t kMaxSchedulers = 8;
  enum Unit : std::size_t { issue, integer, fp32, fp64, half, sfu, units };
  struct Scheduler {
    std::array<std::uint64_t, units> busy_cycles{};
    std::uint64_t tensor_flops = 0;
  };
  std::array<Scheduler, kMaxSchedulers> schedulers_{};
  std::uint64_t shared_cycles_ = 0;
  std::uint64_t flops_ = 0;
};

}  // namespace t3sim::accelsim
