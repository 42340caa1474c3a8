// What runs on a GPU: kernels, each with the way its stores go, and collectives that the Tracker counts and
// the DMA engine carries out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/arrival_board.h"
#include "gpu/chunk_kernel.h"
#include "gpu/kernel_run.h"
#include "interconnect/link_account.h"
#include "kernel/program.h"
#include "machine/phase.h"
#include "tracker/tracker.h"

namespace t3sim {

// The steps that a collective kernel takes its chunks through, for its time line and a stuck-report.
struct CollectiveSteps {
  std::shared_ptr<const ChunkKernel> kernel;
  std::shared_ptr<const KernelPlan> plan;  // of all GPUs
  CollectiveArrays arrays;
};

// A kernel, ready to be launched.
struct KernelLaunch {
  std::vector<std::shared_ptr<KernelSource>> sources;  // the last one runs; it may draw on those before it
  std::shared_ptr<const StoreRouter> router;
  std::shared_ptr<ArrivalBoard> board;    // what its workgroups wait for; null: nothing
  std::shared_ptr<Arrivals> waits;        // the same, in programs
  CollectiveSteps steps;                  // of a collective kernel
  const ElementValues* values = nullptr;  // functional mode: those that the kernel makes itself
  std::shared_ptr<BodyValues> body;       // the same, in programs
  Traffic traffic = Traffic::gemm;
  unsigned workgroups_per_cu = 1;
  std::size_t first_cu = 0, cus = 0;           // that it runs on; 0: all
  std::int32_t priority = 0;                   // programs: higher goes first
  Tick at = 0;                                 // of the launch
  std::optional<std::uint64_t> launch_cycles;  // else gpu.kernel_launch_cycles
  std::uint64_t flag_ps = 0;                   // from an arrival until a workgroup that polls for it sees it
  bool uses_l1 = true;
  bool adds = false;   // KernelRun::Setup::adds
  bool alone = false;  // its time includes the last of its traffic: nothing else is there to cause any

  KernelSource& source() const { return *sources.back(); }
  Arrivals* arrivals() const { return board ? board.get() : waits.get(); }
};

struct RunningKernel {
  explicit RunningKernel(KernelLaunch what) : launch(std::move(what)) {}

  KernelLaunch launch;
  std::unique_ptr<KernelRun> run;
  Tick ended_at = 0;
  std::vector<LinkTime> links_at_end;  // by port

  // Stages of a GEMM (section 2.5).
  std::uint32_t stages() const {
    const std::uint32_t stage = run->setup().first_stage;
    return stage == 0 ? 0 : (run->total() + stage - 1) / stage;
  }
};

// The Tracker has reported a wavefront tile complete; `at`: when its DMA command is ready.
struct Trigger {
  Tick at = 0;
  std::uint32_t tile = 0;  // numbered through: array * tiles of an array + tile
  std::uint8_t wavefront = 0;
};

// A collective, ready to be programmed into Tracker and DMA engine (Figure 12).
struct CollectiveProgram {
  CollectiveArrays arrays;
  std::shared_ptr<const CollectivePlan> plan;
  Traffic traffic = Traffic::rs;       // whose reads the DMA engine's are
  std::uint32_t stores = 1;            // of a local kernel to an element: split-K has several
  bool of_other_data = false;          // than the kernel beside it makes
  std::shared_ptr<ArrivalBoard> rows;  // told which rows of the array are complete; null: nobody waits

  const ChunkPlan& planned(std::uint32_t gpu, std::uint32_t tile) const {
    return plan->at(gpu, arrays.array_of(tile), arrays.chunk_of(tile));
  }
  // f(plan, first tile, tiles) for each chunk of each array on a GPU, its own chunk first.
  template <class F>
  void for_each_chunk(std::uint32_t gpu, F&& f) const {
    const std::uint32_t chunks = arrays.chunks.chunks();
    for (std::uint32_t a = 0; a < arrays.arrays; ++a)
      for (std::uint32_t i = 0; i < chunks; ++i) {
        const std::uint32_t c = (gpu + i) % chunks;
        f(plan->at(gpu, a, c), arrays.first_tile(a, c), arrays.chunks.tiles(c));
      }
  }
};

struct RunningCollective {
  explicit RunningCollective(CollectiveProgram what) : program(std::move(what)) {}

  CollectiveProgram program;
  std::unique_ptr<Tracker> tracker;
  std::uint64_t tracked = 0;      // wavefront tiles
  std::vector<Trigger> triggers;  // in the order in which they came
};

}  // namespace t3sim
