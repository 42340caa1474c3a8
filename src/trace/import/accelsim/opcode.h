// What an instruction of a trace does, as far as its name (a SASS opcode such as LDG.E.128.SYS) tells.
#pragma once

#include <cstdint>
#include <string_view>

namespace t3sim::accelsim {

enum class OpKind : std::uint8_t {
  other,  // control flow and all else: an issue slot
  integer,
  fp32,  // and conversions
  fp64,
  half,  // packed FP16
  sfu,   // special functions
  tensor,
  load,          // from global memory
  store,         // to global memory
  reduction,     // atomics, with or without a result
  generic_load,  // LD, ST: global, shared or local by address
  generic_store,
  local,         // spills: stay in the L1
  shared,        // LDS, STS, ATOMS, LDSM
  copy_async,    // global to shared (LDGSTS)
  commit_async,  // LDGDEPBAR: closes a batch of such copies
  wait_async,    // DEPBAR: waits until at most the immediate's number of batches are in flight
  barrier,
  exit,
  unsupported,  // tensor memory accelerator: the trace does not say what it moves
};

struct Opcode {
  OpKind kind = OpKind::other;
  std::uint32_t width_bytes = 4;  // of a memory access, a lane: .128 is 16, .64 8, .U16 2
  std::uint32_t lane_flops = 0;   // scalar work: FLOPs of an active lane
  std::uint32_t warp_flops = 0;   // tensor work: FLOPs of a warp instruction
  std::uint32_t tensor_work = 0;  // the same as FP16 FLOPs that take as long
};

Opcode parse_opcode(std::string_view name);

}  // namespace t3sim::accelsim
