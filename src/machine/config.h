// The configuration tree of a run (README, "Configuration"): one struct a section, one describe() a struct.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/names.h"
#include "config/config.h"
#include "dma/config.h"
#include "gpu/config.h"
#include "interconnect/topology.h"
#include "kernel/gemm.h"
#include "kernel/microbenchmark.h"
#include "kernel/program.h"
#include "machine/execution_config.h"
#include "memctrl/arbitration_settings.h"
#include "memctrl/config.h"
#include "message/config.h"
#include "sim/time.h"
#include "tracker/settings.h"

namespace t3sim {

enum class OutputLayout : std::uint8_t { column_major, row_major };

// A memory-bound operation on the all-reduced output, as the residual add after a layer (section 7.6).
enum class FollowingKind : std::uint8_t {
  none,
  kernel,      // every GPU, on the whole output, after the all-gather
  near_memory  // every GPU, on its reduced part, before the all-gather; schemes without near-memory: as
               // kernel
};

struct FollowingConfig {
  FollowingKind kind = FollowingKind::none;
  std::uint32_t operands = 1;  // arrays of the output's shape that it reads beside the output
};

// What A holds: it decides the power that matrix units take, and with it the clock.
enum class OperandData : std::uint8_t { random, zeros };

struct WorkloadConfig {
  std::string name = "unnamed";
  std::uint32_t m = 0, n = 0, k = 0;
  GemmLayout layout = GemmLayout::tn;
  std::array<std::uint32_t, 3> tile{128, 128, 32};
  std::uint32_t wavefronts = 8;
  std::uint32_t buffers = 2;
  OrderKind order = OrderKind::row_major;
  std::uint32_t order_group = 8;
  bool order_serpentine = false;
  std::uint32_t split_k = 1;
  std::uint32_t persistent = 0;
  bool takes_next = false;  // GemmSpec: of the kernels that `kernel` names
  DataType type = DataType::fp16;
  OperandData data = OperandData::random;
  OutputLayout output = OutputLayout::column_major;
  std::string kernel;  // of a library, by its name: the keys from tile to output then follow from it
  std::uint32_t cluster = 1;
  bool cluster_along_n = false;
  std::uint32_t prologue_cycles = 0;
  double store_bytes_per_cycle = 0;
  bool split_workspace = false;
  bool bypass_l1 = false;
  FollowingConfig following;
  std::string trace;                  // file; empty: the generator
  MicrobenchmarkSpec microbenchmark;  // kind none: the GEMM
  // From the trace, by settle_config(); not keys of the file.
  bool generated = true;           // no trace
  bool has_gemm = true;            // false: an imported kernel whose matrices are not known
  std::optional<GemmSpec> traced;  // the GEMM of the trace
  KernelTraits traits;             // what the kernel asks of a CU
};

enum class GpuModel : std::uint8_t { mirror, explicit_, message, automatic };

// What one GPU of an explicit node has different.
struct GpuOverride {
  std::optional<std::uint64_t> clock_hz;
  std::optional<std::uint64_t> memory_clock_hz;
  std::optional<std::uint64_t> link_bandwidth_Bps;
  std::optional<std::uint64_t> start_delay_ps;
};

struct GpusConfig {
  std::uint32_t count = 8;
  GpuModel choice = GpuModel::automatic;      // gpus.model
  GpuModel model = GpuModel::mirror;          // what runs, by check_config(); never automatic
  std::string because;                        // automatic: why not mirror; else empty
  std::optional<std::uint64_t> memory_bytes;  // of each; none: what a model needs is not checked
  std::map<std::uint32_t, GpuOverride> overrides;
};

// What follows the GEMM, or comes before it.
enum class CollectiveChoice : std::uint8_t { all_reduce, reduce_scatter, all_gather, all_to_all };
enum class CollectiveAlgorithm : std::uint8_t { ring, bidirectional_ring, direct, two_level };
constexpr auto names_of(CollectiveAlgorithm) {
  return std::array{Named{"ring", CollectiveAlgorithm::ring},
                    Named{"bidirectional-ring", CollectiveAlgorithm::bidirectional_ring},
                    Named{"direct", CollectiveAlgorithm::direct},
                    Named{"two-level", CollectiveAlgorithm::two_level}};
}
enum class GemmRole : std::uint8_t {
  producer,     // the collective is of its output
  consumer,     // the all-gather is of its input A (section 7.2)
  independent,  // the collective is of another array of the output's shape (7.2: data parallelism)
};

// Op-and-store adds to what is there: the output must be zero first.
enum class ZeroInit : std::uint8_t {
  assumed,   // as the paper counts
  simulated  // by a kernel of its own
};

struct CollectiveConfig {
  CollectiveChoice kind = CollectiveChoice::all_reduce;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::ring;
  GemmRole gemm = GemmRole::producer;
  std::uint32_t slices = 0;  // chunks a GPU owns in a direct reduce-scatter; 0: one a stage
  std::string plan;          // of the fused phase; a name or a file; empty: that of kind and algorithm
  ZeroInit zero_init = ZeroInit::assumed;
};

// Schemes that the program itself asks for, by their names (programs/; docs/programs.md).
namespace shipped {
inline constexpr const char* sequential = "sequential";  // what speed-ups and gaps are against
inline constexpr const char* t3 = "t3";
inline constexpr const char* t3_mca = "t3-mca";
inline constexpr const char* ideal_overlap = "ideal-overlap";
inline constexpr const char* ideal_rs_nmc = "ideal-rs-nmc";
inline constexpr const char* kernel = "kernel";
}  // namespace shipped

// Of programs: at which clock they run.
enum class ClockChoice : std::uint8_t {
  boost,  // gpu.clock
  power,  // what execution.power allows if the program is called over and over
};

// Of what ClockChoice::power takes the mean.
enum class PowerMean : std::uint8_t {
  run,  // of all of the program
  gemms,  // until its last GEMM has ended: a stand-in for queues of which that takes longer than the limit to act
};

// Of programs: what is simulated of one whose stages repeat (runtime/sampling.h).
enum class SamplingChoice : std::uint8_t { off, automatic, phases };

struct RunConfig {
  ClockChoice clock = ClockChoice::boost;
  // In a row, after a rest, for ClockChoice::power: held against execution.power.window. 0: without end.
  std::uint64_t calls = 0;
  PowerMean power_mean = PowerMean::run;
  // For ClockChoice::power: of the time, that this program runs, over and over; for the rest matrix units and links idle, as between
  // the timings of a measuring program. Not said: all of it.
  std::optional<double> duty;
  SamplingChoice sampling = SamplingChoice::off;
  bool functional = false;
  std::uint64_t seed = 1;
  std::uint64_t series_interval_ps = 10'000'000;
};

// What a program's commands cost beside the work that they start (docs/programs.md). 0: nothing, as on the paper's
// machine.
struct CommandsConfig {
  std::uint64_t issue_ps = 0;  // of the host, per command
  std::optional<std::uint64_t>
      next_kernel_ps;  // of a kernel that was issued before the one ahead of it ended; not said: as any launch
  // More, of a copy that goes on from a kernel, a collective or a barrier, and of those three behind a copy. Not said: nothing.
  std::optional<std::uint64_t> change_ps;
  std::uint64_t copy_ps = 0;     // from the front of a stream until a copy engine's first read
  std::uint64_t signal_ps = 0;   // likewise, until a signal leaves
  std::uint64_t put_ps = 0;      // of a GPU that asks its network card for a put, before the card hears of it
  std::uint64_t poll_ps = 0;     // from a signal's arrival until those who wait for it go on
  std::uint64_t barrier_ps = 0;  // of a stream's barrier, beside the way of its news to the other GPUs
};

// What runs instead of schemes (docs/programs.md). No file: schemes do.
struct ProgramConfig {
  std::string file;  // or the name of a shipped one
  std::map<std::string, std::uint64_t> parameters;
};

// What the whole machine has.
struct MachineConfig {
  // Tracker and DMA engine, near-memory adds, and memory controllers that tell computation from communication (sections 4.2,
  // 4.3 and 4.5). Without, schemes that need them are refused.
  bool t3_hardware = true;
};

struct Config {
  WorkloadConfig workload;
  ProgramConfig program;
  MachineConfig machine;
  GpusConfig gpus;
  TopologyConfig topology;
  CollectiveConfig collective;
  GpuConfig gpu;
  L2Config l2;
  MemoryConfig memory;
  TrackerSettings tracker;
  DmaConfig dma;
  ArbitrationSettings arbitration;
  ExecutionConfig execution;
  EstimateConfig estimate;
  CommandsConfig commands;
  message::MessageConfig message;
  // By name, or the files of others.
  std::vector<std::string> schemes{shipped::sequential, shipped::t3, shipped::t3_mca, shipped::ideal_overlap,
                                   shipped::ideal_rs_nmc};
  RunConfig run;
};

void describe(config::Visitor& v, Config& c);

// The tick that all clocks of the configuration divide. Throws InputError if there is none.
TimeBase time_base(const Config& config);

// The memory with the arbitration that a scheme asks for; mca-paced keeps up with links of that bandwidth.
MemoryConfig with_arbitration(MemoryConfig memory, const ArbitrationSettings& settings,
                              std::uint64_t link_bandwidth_Bps, ArbitrationKind policy);
MemoryConfig memory_config(const Config& config, ArbitrationKind policy);

// Entries a set of the Tracker; 0: unbounded.
std::uint32_t tracker_ways(const TrackerSettings& tracker);

KernelTraits kernel_traits(const Config& config);
// FLOPs a cycle of a CU's matrix unit: that of 2-byte elements, twice as many of FP8, half as many of FP32
// (7.5).
std::uint64_t matrix_rate(const GpuConfig& gpu, DataType type);
// Workgroups of a kernel that fit on a CU, by threads, registers and LDS, unless the kernel says it. 0: none
// does.
unsigned workgroups_per_cu(const GpuConfig& gpu, const KernelTraits& traits);
// Bytes that the L1 keeps beside that many workgroups' LDS.
std::uint64_t l1_bytes(const GpuConfig& gpu, const KernelTraits& traits, unsigned workgroups);
// The GEMM of the workload on GPU `rank`: its workgroup order starts at the GPU's own first chunk.
GemmSpec gemm_spec(const Config& config, std::uint32_t rank);

}  // namespace t3sim
