#include "gpu/config.h"

#include "config/schema.h"

namespace t3sim {

void describe(config::Visitor& v, GpuConfig& c) {
  v.required().text("name", c.name, "of the product, as measurements name it");
  v.required().count("cus", c.cus, {1, 1024}, "compute units");
  v.required().frequency("clock", c.clock_hz, {config::kMHz, 10 * config::kGHz},
                         "clock of CUs, network and L2");
  v.required().count("matrix_flops_per_cycle", c.matrix_flops_per_cycle, {1, 1 << 20},
                     "peak matrix rate of a CU for 2-byte elements; FP8: twice, FP32: half");
  v.required().real("matrix_issue_efficiency", c.matrix_issue_efficiency, {0.01, 1.0},
                    "share of the peak matrix rate that a kernel whose data is at hand reaches");
  v.frequency("matrix_clock", c.matrix_clock_hz, {0, 10 * config::kGHz},
              "to which the clock falls at once where matrix units work; 0: it does not fall");
  v.frequency("zeros_clock", c.zeros_clock_hz, {0, 10 * config::kGHz}, "the same, where A is all zeros");
  v.real("clock_beside_links", c.clock_beside_links, {0.01, 1},
         "share of the clock of matrix work that is left while links are full both ways; not said: all");
  v.required().count("kernel_launch_cycles", c.kernel_launch_cycles, {0, 1 << 24},
                     "from a kernel's launch to its first workgroup");
  v.required().count("threads", c.threads_per_cu, {1, 65536}, "threads a CU");
  v.required().count("wavefront_threads", c.wavefront_threads, {1, 256}, "threads a wavefront");
  v.required().size("registers", c.registers_bytes, {1024, 1ULL << 30}, "register file of a CU");
  v.required().size("l1_lds", c.l1_lds_bytes, {1024, 1ULL << 30}, "unified L1 and LDS of a CU");
  v.required().size("lds", c.lds_bytes, {1024, 1ULL << 30}, "of it, what workgroups may use as LDS");
  v.required().count("l1_ways", c.l1_ways, {1, 128}, "associativity of the L1");
  v.required().count("l1_latency_cycles", c.l1_latency_cycles, {1, 10000}, "of a hit in L1");
  v.choice("kernels", c.kernels,
           {{"generator", KernelChoice::generator},
            {"cublas", KernelChoice::cublas},
            {"tuned", KernelChoice::tuned}},
           "GEMM kernels of a program's launches that name none: workload.tile's, cuBLAS's for Hopper, or "
           "the tile that an "
           "estimate finds fastest for the shape");
  v.choice("scheduler", c.scheduler,
           {{"round_robin", WavefrontScheduler::round_robin}, {"greedy", WavefrontScheduler::greedy}},
           "of a CU's wavefronts: workgroups share the matrix unit evenly, or one has it until it waits");
  v.flag("shared_lane", c.shared_lane, "loads wait behind a CU's stores that find no room, and the reverse");
  v.choice("dispatch", c.dispatch, {{"gpu", Dispatch::gpu}, {"cu", Dispatch::cu}},
           "of workgroups: one a cycle, CU by CU, or one a cycle and CU");
  v.choice(
      "network", c.network, {{"lines", OnChipNetwork::lines}, {"sectors", OnChipNetwork::sectors}},
      "between CUs and L2: a request for a line a cycle, or a crossbar of sectors, one a cycle and port");
  v.flag("store_acknowledgement", c.store_acknowledgement,
         "a workgroup keeps its place until its stores are in the L2, or in memory if they pass by it");
  v.required().count("loads_in_flight", c.loads_in_flight, {1, 1 << 20},
                     "lines that a CU may have outstanding beyond its L1");
  v.required().count("noc_latency_cycles", c.noc_latency_cycles, {1, 10000}, "between CU and L2, one way");
  v.required().count("noc_bytes_per_cycle", c.noc_bytes_per_cycle, {1, 4096}, "between CU and L2, each way");
  v.count("store_bytes_per_cycle", c.store_bytes_per_cycle, {0, 4096},
          "of a CU's stores on their way out; 0: as wide as noc_bytes_per_cycle");
  v.size("remote_store_header", c.remote_store_header, {0, 4096},
         "that a store over a link takes of its CU's way out beside its data");
  v.required().size("collective_group", c.collective_bytes_per_group, {32, 1 << 20},
                    "that a workgroup of a collective kernel loads of a copy at a time");
  v.required().count("collective_workgroups", c.collective_workgroups_per_cu, {1, 16},
                     "workgroups of a collective kernel a CU");
  v.required().choice(
      "collective_sync", c.collective_sync, {{"step", CollectiveSync::step}, {"tile", CollectiveSync::tile}},
      "what a workgroup of a collective kernel waits for: the previous step's whole chunk, or its own tile");
}

void describe(config::Visitor& v, L2Config& c) {
  v.required().size("size", c.size_bytes, {1024, 1ULL << 40}, "of all slices");
  v.required().count("slices", c.slices, {1, 4096}, "L2 slices (banks), a multiple of the memory channels");
  v.count("partitions", c.partitions, {1, 2},
          "of the slices; 2: CUs reach their own one, which keeps copies of the other one's lines");
  v.count("partition_latency_cycles", c.partition_latency_cycles, {0, 10000},
          "between the two, or to the memory-side cache, one way");
  v.count("dies", c.dies, {1, 16},
          "CUs, dealt one by one, that have a part of the L2 for themselves; more than one: memory_side");
  v.count("coalescers", c.coalescers, {0, 8},
          "groups of CUs, dealt two by two, that ask for what is on its way from memory only once; 0: none");
  v.required().count("ways", c.ways, {1, 128}, "associativity");
  v.required().count("latency_cycles", c.latency_cycles, {1, 10000}, "of a hit, without the network");
  v.required().count("bytes_per_cycle", c.bytes_per_cycle, {1, 4096}, "data port of a slice");
  v.required().count("input_queue", c.input_queue, {1, 65536}, "requests waiting at a slice");
  v.required().count("mshrs", c.mshrs, {1, 4096}, "lines a slice may be fetching");
  v.required().count("mshr_merge", c.mshr_merge, {1, 4096}, "requests that may wait for one sector of them");
  v.count(
      "waiting_add_sectors", c.waiting_add_sectors, {0, 65536},
      "of what a slice adds to C, where cuBLAS's C += AB leaves that to the L2, that may wait for memory; "
      "0: CUs read C");
  v.required().choice("kernel_boundary", c.kernel_boundary,
                      {{"flush", KernelBoundary::flush}, {"keep", KernelBoundary::keep}},
                      "at a kernel's end: write back and empty, or keep everything for the next kernel");
  v.required().choice("remote_writes", c.remote_writes,
                      {{"memory", RemoteWrites::memory}, {"l2", RemoteWrites::l2}},
                      "where writes that come over a link go; tracked updates always go to memory");
  v.flag("cache_output", c.cache_output, "of a GEMM alone; false: its stores pass by, as tracked ones do");
  v.required().count("dram_path_cycles", c.dram_path_cycles, {0, 10000},
                     "from the memory controller back to the slice");
  v.section("memory_side", c.memory_side, "cache between the L2 and memory, a slice for each of the L2's");
}

void describe(config::Visitor& v, MemorySideConfig& c) {
  v.size("size", c.size_bytes, {0, 1ULL << 40}, "of all slices; 0: none");
  v.count("ways", c.ways, {1, 128}, "associativity");
  v.count("latency_cycles", c.latency_cycles, {1, 10000}, "of a hit, without the way there and back");
  v.count("bytes_per_cycle", c.bytes_per_cycle, {1, 4096}, "data port of a slice");
}

L2Config die_slices(const L2Config& config) {
  L2Config die = config;
  die.size_bytes = config.size_bytes / config.dies;
  die.partitions = 2;  // what they ask for is elsewhere
  return die;
}

L2Config memory_side_slices(const L2Config& config) {
  L2Config side = config;
  side.size_bytes = config.memory_side.size_bytes;
  side.ways = config.memory_side.ways;
  side.latency_cycles = config.memory_side.latency_cycles;
  side.bytes_per_cycle = config.memory_side.bytes_per_cycle;
  side.partitions = 2;
  side.coalescers = 0;
  return side;
}

}  // namespace t3sim
