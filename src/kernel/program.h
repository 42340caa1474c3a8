// The lazy workgroup program: what a workgroup loads, computes and stores, group by group. GEMM workgroups,
// the workgroups of collective kernels and imported kernels are all of this form.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace t3sim {

// A run of consecutive bytes in the address space of the GPU that executes the workgroup. A CU turns it into
// accesses of one 128 B line with a sector mask each.
struct Run {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint8_t wavefront = 0;  // that issues it
  bool streaming = false;      // loads: do not keep in L1
  bool update = false;         // stores: add to what is there (split-K partial sums, atomics)
  bool local = false;          // stores: to the own GPU, whatever the route of the group

  bool operator==(const Run&) const = default;
};

inline constexpr std::uint32_t kNoTile = ~0U;

// One group: loads are issued together; when all have arrived (and the previous group's compute is done) the
// group computes for `matrix_flops` on the CU's matrix unit or `cycles` elsewhere; then it stores.
// A GEMM has one group for each K step, stores in the last one only.
struct Group {
  std::vector<Run> loads;
  std::vector<Run> stores;
  std::uint64_t matrix_flops = 0;   // executed on the matrix unit, padding included
  std::uint64_t useful_flops = 0;   // of these, inside the problem's bounds. Imported kernels, whose matrix
                                    // work is in `cycles`, have useful FLOPs without matrix FLOPs
  std::uint64_t not_before_ps = 0;  // compute does not end, and stores do not leave, before (see Timing)
  std::uint32_t tile = kNoTile;     // canonical index of the tile that the stores belong to
  std::uint32_t cycles = 0;         // CU core cycles of other work (shared issue time of the CU)
  std::uint32_t delay_cycles =
      0;               // that its compute takes at least, whatever else the CU does: latency of a barrier,
                       // a fence, a flag
  bool fence = false;  // computes once all stores before it are on their way; no later group loads before
  bool wait = false;   // do not load before the arrival (wait_step, wait_tile) is complete
  std::uint32_t wait_step = 0;
  std::uint32_t wait_tile = 0;

  void clear() {
    loads.clear();
    stores.clear();
    matrix_flops = useful_flops = not_before_ps = 0;
    tile = kNoTile;
    cycles = delay_cycles = 0;
    fence = wait = false;
    wait_step = wait_tile = 0;
  }
  bool operator==(const Group&) const = default;
};

// The program of one workgroup, produced group by group so that a kernel never has to be in memory whole.
class WorkgroupProgram {
 public:
  virtual ~WorkgroupProgram() = default;
  // Fills `group` with the next group; false when the workgroup has no more.
  virtual bool next(Group& group) = 0;
};

// `program` as a P, which it becomes if it is none yet: for sources that recycle programs
// (KernelSource::program).
template <class P>
P& recycled_as(std::unique_ptr<WorkgroupProgram>& program) {
  if (auto* same = dynamic_cast<P*>(program.get())) return *same;
  auto fresh = std::make_unique<P>();
  P& result = *fresh;
  program = std::move(fresh);
  return result;
}

// What Group::not_before_ps counts from.
enum class Timing : std::uint8_t {
  none,       // nothing: not_before_ps is 0
  workgroup,  // the start of its workgroup: a measured compute time, memory is simulated
  kernel,     // the start of the kernel: a measured timeline. Workgroups start at once, however many are
              // resident: the times already contain their waiting
};

// What a kernel asks of the CU that runs it.
struct KernelTraits {
  std::uint32_t wavefronts = 8;  // a workgroup
  std::uint32_t buffers = 1;     // groups whose loads may be in flight while an earlier one computes, itself
                                 // included (2: double buffering)
  // Groups without loads that may be in flight beside these: pieces of an epilogue, in registers. Where there are any, the
  // next loads are not the storing wavefronts' (a producer brings operands) and take turns with their stores.
  std::uint32_t epilogue = 0;
  std::uint32_t workgroups_per_cu = 0;  // resident at once; 0: as many as the machine's resources allow
  std::uint64_t lds_bytes = 0;          // a workgroup
  std::uint64_t register_bytes = 0;     // a workgroup; 0: not known
  Timing timing = Timing::none;
  // Share of the peak matrix rate that it reaches with its data at hand; 0: the GPU's (gpu.matrix_issue_efficiency).
  double issue_efficiency = 0;

  bool operator==(const KernelTraits&) const = default;
};

// A kernel: its workgroups in dispatch order.
class KernelSource {
 public:
  virtual ~KernelSource() = default;
  virtual std::uint32_t workgroups() const = 0;
  // Tile (canonical index, memory layout order) that the i-th dispatched workgroup produces; where a
  // workgroup produces several, the first. Group::tile is exact.
  virtual std::uint32_t tile(std::uint32_t i) const = 0;
  // Program of the i-th dispatched workgroup. `reuse` may be recycled if it came from this source.
  virtual std::unique_ptr<WorkgroupProgram> program(std::uint32_t i,
                                                    std::unique_ptr<WorkgroupProgram> reuse) = 0;
  // Of the workgroups that share its tile (split-K), which one the i-th dispatched is.
  virtual std::uint32_t part(std::uint32_t) const { return 0; }
  // KernelTraits::buffers.
  virtual unsigned buffers() const = 0;
  virtual KernelTraits traits() const {
    KernelTraits traits;
    traits.buffers = buffers();
    return traits;
  }
};

}  // namespace t3sim
