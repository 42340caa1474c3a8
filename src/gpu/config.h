// Configuration of one GPU's compute side: CUs, L1, on-chip network, L2 (Table 1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace t3sim {

namespace config {
class Visitor;
}

// What a workgroup of a collective kernel waits for before it goes on with a tile.
enum class CollectiveSync : std::uint8_t {
  step,  // all of the previous step's chunk has arrived (Figures 3 and 10: step by step)
  tile,  // its own tile has
};

// Whose GEMM kernels a program's launches run where they name none.
enum class KernelChoice : std::uint8_t {
  generator,  // workload.tile and the keys beside it
  cublas,     // chosen_kernel() (kernel/library_kernel.h)
  tuned,      // workload's keys with tuned_tile() (kernel/tuned_tile.h)
};

// How fast the dispatcher starts the workgroups of a kernel.
enum class Dispatch : std::uint8_t {
  gpu,  // one a cycle, CU by CU
  cu,   // one a cycle and CU
};

// What passes the network between CUs and L2 slices in a cycle.
enum class OnChipNetwork : std::uint8_t {
  lines,    // of a CU, a request for a line, or `noc_bytes_per_cycle` of data
  sectors,  // a crossbar: of a CU a sector's request, data or acknowledgement, and into a slice one
};

// Which wavefront of a CU issues next.
enum class WavefrontScheduler : std::uint8_t {
  round_robin,  // Accel-Sim's loose round robin: all that can, in turn
  greedy,       // the same one until it has to wait
};

struct GpuConfig {
  std::string name = "Table 1";
  KernelChoice kernels = KernelChoice::generator;
  std::uint64_t cus = 80;
  std::uint64_t clock_hz = 1'400'000'000;
  std::uint64_t matrix_flops_per_cycle = 1024;  // a CU
  double matrix_issue_efficiency = 0.77;        // share of matrix cycles a tuned kernel can issue
  // To which the clock falls at once where matrix units work: on random data, and where an operand is all zeros. 0: it does
  // not fall. The network and the L2 are not slower for it: the share of a GEMM that is not matrix work keeps its time.
  std::uint64_t matrix_clock_hz = 0, zeros_clock_hz = 0;
  // Of that clock, what is left while links carry all that they can both ways, random data. Not said: all of it.
  std::optional<double> clock_beside_links;
  std::uint64_t kernel_launch_cycles = 0;  // from a kernel's launch to its first workgroup
  std::uint64_t threads_per_cu = 2048;
  std::uint64_t wavefront_threads = 32;
  std::uint64_t registers_bytes = 256 << 10;  // register file of a CU
  std::uint64_t l1_lds_bytes = 128 << 10;     // unified: what the LDS does not take is L1
  std::uint64_t lds_bytes = 128 << 10;        // of it, that a CU's workgroups may take
  std::uint64_t l1_ways = 4;
  std::uint64_t l1_latency_cycles = 28;
  WavefrontScheduler scheduler = WavefrontScheduler::round_robin;
  std::uint64_t loads_in_flight = 256;  // lines a CU may have outstanding beyond its L1
  bool shared_lane = false;  // loads wait behind stores of the same CU that find no room, and vice versa
  Dispatch dispatch = Dispatch::gpu;
  OnChipNetwork network = OnChipNetwork::lines;
  bool store_acknowledgement = false;       // a workgroup keeps its place until its stores are acknowledged
  std::uint64_t noc_latency_cycles = 20;    // one way, CU <-> L2
  std::uint64_t noc_bytes_per_cycle = 32;   // a CU, each way
  std::uint64_t store_bytes_per_cycle = 0;  // of a CU's stores on their way out; 0: noc_bytes_per_cycle
  std::uint64_t remote_store_header = 0;  // bytes of that way which a store over a link takes beside its data
  std::uint64_t collective_bytes_per_group = 4096;  // what a collective workgroup loads of a copy at a time
  std::uint64_t collective_workgroups_per_cu = 2;
  CollectiveSync collective_sync = CollectiveSync::step;
};

// What happens to the L2 at a kernel's end.
enum class KernelBoundary : std::uint8_t {
  flush,  // dirty lines are written back and the cache is emptied: what the paper's byte counts imply
  keep,   // nothing: the next kernel finds what this one left, as on real GPUs
};

// Where plain writes that come over a link go. Tracked updates always go to memory (section 4.3).
enum class RemoteWrites : std::uint8_t { memory, l2 };

// The cache between the L2 and memory that all CUs and copy engines share: the lines of a channel are in its own slices, as
// many as the L2 has.
struct MemorySideConfig {
  std::uint64_t size_bytes = 0;  // 0: there is none
  std::uint64_t ways = 16;
  std::uint64_t latency_cycles = 1;    // a hit
  std::uint64_t bytes_per_cycle = 64;  // a slice
};

struct L2Config {
  std::uint64_t size_bytes = 16 << 20;  // of all dies
  std::uint64_t slices = 64;
  std::uint64_t partitions = 1;  // 2: gpu/l2_partner.cpp
  std::uint64_t dies = 1;        // that have an L2 each, in front of memory_side: gpu/l2_partner.cpp
  std::uint64_t partition_latency_cycles = 0;  // from one to the other, or to memory_side, one way
  std::uint64_t coalescers = 0;                // 0: none; gpu/l2_coalescing.cpp
  std::uint64_t ways = 32;
  std::uint64_t latency_cycles = 120;  // a hit, without the network
  std::uint64_t bytes_per_cycle = 32;  // a slice
  std::uint64_t input_queue = 16;      // requests a slice
  std::uint64_t mshrs = 192;           // a slice
  std::uint64_t mshr_merge = 4;        // requests that may wait for one sector
  // Of a library's C += AB: products that a slice may hold until memory has brought what they are added to; 0: its CUs read C.
  std::uint64_t waiting_add_sectors = 0;
  KernelBoundary kernel_boundary = KernelBoundary::flush;
  RemoteWrites remote_writes = RemoteWrites::memory;
  bool cache_output = true;              // of a GEMM alone; false: its stores pass by, as tracked ones do
  std::uint64_t dram_path_cycles = 100;  // from the last data beat to the slice
  MemorySideConfig memory_side;
};

// Of the slices of one die, where there is a memory-side cache, and of that cache.
L2Config die_slices(const L2Config& config);
L2Config memory_side_slices(const L2Config& config);

void describe(config::Visitor& v, GpuConfig& c);
void describe(config::Visitor& v, L2Config& c);
void describe(config::Visitor& v, MemorySideConfig& c);

}  // namespace t3sim
