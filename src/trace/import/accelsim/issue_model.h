// The numbers of a GPU's pipeline: what turns the instructions of a trace into CU cycles (issue_pipeline.h
// says how, traces/FORMAT.md, "Issue model", where the numbers come from).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/import/accelsim/opcode.h"

namespace t3sim::accelsim {

// Of one warp instruction, in cycles: how long it keeps its unit from the next one ("initiation interval"),
// and after how long its result is there.
struct UnitTiming {
  std::uint32_t interval, latency;
};

struct IssueModel {
  std::uint32_t schedulers = 4;  // of a CU. Warp w belongs to scheduler w mod schedulers
  std::uint32_t collectors = 8;  // operand collectors of a CU, shared out evenly among its schedulers
  // One unit of each of these a scheduler.
  UnitTiming integer{2, 2}, fp32{2, 2}, fp64{4, 8}, half{2, 2}, sfu{8, 20};
  std::uint32_t tensor_flops_per_cycle = 1024;  // of the CU, for FP16
  std::uint32_t tensor_latency = 2;
  std::uint32_t shared_latency = 20;  // shared memory: one for the whole CU, busy as coalesce.h says
  // Sectors that the L1 asks the L2 for a cycle, and that may wait in it before the load and store unit does.
  std::uint32_t l1_miss_sectors = 1, l1_queue = 96;
  // Blocks on a CU share its pipeline: as many as these allow.
  std::uint32_t cus = 80;
  std::uint32_t threads = 2048, registers = 65536, shared_kib = 96, blocks = 32;  // of a CU

  // Sets one of the numbers above from "key=value". Throws InputError that names the keys.
  void set(std::string_view assignment);
  std::string describe() const;

  // Timing of an instruction on its scheduler's unit; tensor instructions by their FLOPs.
  UnitTiming timing(const Opcode& opcode) const;
};

// A model by name: "volta" (Accel-Sim's QV100), "ampere" (A100), "hopper" (H100). Throws InputError.
IssueModel issue_model(std::string_view name);

}  // namespace t3sim::accelsim
