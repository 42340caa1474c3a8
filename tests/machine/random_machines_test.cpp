// Random small plans, shapes and machines (queues of one, tiny Trackers, slow links): every one ends with the
// right numbers and all conservation checks, or is refused before it starts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "machine/fabric_setup.h"
#include "machine/small_cluster.h"
#include "plan/plan_check.h"
#include "run/functional.h"

namespace t3sim {
namespace {

// Under sanitizers each takes ten times as long.
#ifdef __SANITIZE_ADDRESS__
constexpr std::uint32_t kDraws = 150;
#else
constexpr std::uint32_t kDraws = 600;
#endif

class Draw {
 public:
  explicit Draw(std::uint32_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  std::uint32_t from(std::uint32_t least, std::uint32_t most) { return least + below(most - least + 1); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  template <class T>
  T any_of(std::initializer_list<T> values) {
    return *(values.begin() + below(static_cast<std::uint32_t>(values.size())));
  }

 private:
  std::mt19937 random_;  // the same everywhere, unlike distributions
};

// What the output's way to memory does not depend on: its stores are tracked and pass by the L2.
void draw_memory_and_cache(Draw& draw, Config& c) {
  if (draw.one_in(3)) {
    c.memory.queue.kind = QueueKind::split;
    c.memory.queue.read_bursts = draw.any_of({4U, 64U});
    c.memory.queue.write_bursts = draw.any_of({4U, 64U});
    c.memory.queue.write_high_watermark = draw.from(1, c.memory.queue.write_bursts);
    c.memory.queue.write_low_watermark = draw.below(c.memory.queue.write_high_watermark);
  }
  c.l2.kernel_boundary = draw.any_of({KernelBoundary::flush, KernelBoundary::keep});
  c.l2.remote_writes = draw.any_of({RemoteWrites::memory, RemoteWrites::l2});
  c.l2.cache_output = draw.one_in(2);
}

void draw_override(Draw& draw, GpuOverride& gpu) {
  if (draw.one_in(2)) gpu.clock_hz = draw.any_of({700'000'000ULL, 1'000'000'000ULL, 2'000'000'000ULL});
  if (draw.one_in(2)) gpu.memory_clock_hz = draw.any_of({500'000'000ULL, 2'000'000'000ULL});
  if (draw.one_in(2)) gpu.link_bandwidth_Bps = draw.any_of({2'000'000'000ULL, 50'000'000'000ULL});
}

Config random_machine(Draw& draw) {
  Config c;
  c.gpus.count = draw.from(2, 5);
  c.gpus.model = GpuModel::explicit_;
  c.workload.m = draw.from(20, 150);
  c.workload.n = draw.from(20, 150);
  c.workload.k = draw.from(32, 64);
  c.workload.tile = {32, 32, 32};
  c.workload.wavefronts = draw.any_of({1U, 2U, 4U});
  c.workload.split_k = draw.one_in(3) && c.workload.k > 32 ? 2 : 1;
  c.workload.order = draw.any_of({OrderKind::row_major, OrderKind::column_major, OrderKind::grouped});
  c.workload.output = draw.any_of({OutputLayout::column_major, OutputLayout::row_major});
  c.gpu.cus = draw.from(1, 3);
  c.memory.channels = draw.any_of({1U, 2U, 4U});
  c.l2.slices = c.memory.channels;
  c.l2.size_bytes = c.l2.slices * (64 << 10);
  c.l2.input_queue = draw.any_of({1U, 2U, 16U});
  c.l2.mshrs = draw.any_of({1U, 4U, 64U});
  c.topology.kind = draw.any_of({TopologyKind::ring, TopologyKind::fully_connected, TopologyKind::switched});
  c.topology.shared_port = draw.one_in(2);
  c.topology.switched.reduction = draw.any_of({SwitchReduction::none, SwitchReduction::in_switch});
  c.topology.switched.table_lines = draw.any_of({1ULL, 8ULL, 4096ULL});
  c.topology.link.bandwidth_Bps = draw.any_of({1'000'000'000ULL, 20'000'000'000ULL, 300'000'000'000ULL});
  c.topology.link.latency_ps = draw.any_of({20'000ULL, 500'000ULL});
  c.topology.link.buffer_bytes = draw.any_of({128ULL, 4096ULL, 262144ULL});
  c.topology.link.store_queue = draw.any_of({1ULL, 64ULL});
  c.dma.engines = draw.any_of({1ULL, 8ULL});
  c.dma.buffer_bytes = draw.any_of({128ULL, 65536ULL});
  c.dma.tiles_per_block = draw.any_of({1ULL, 3ULL, 16ULL});
  if (draw.one_in(2)) c.tracker.capacity = std::uint64_t{kTrackerSets} * c.workload.wavefronts;
  if (draw.one_in(4)) c.gpus.overrides[0].start_delay_ps = 3'000'000;
  c.run.seed = draw.below(1000);
  if (draw.one_in(3)) c.memory.reduction = ReductionSubstrate::atomic;
  c.memory.atomic_cycles = draw.any_of({0U, 143U, 1000U});
  c.memory.queue.shared_bursts = draw.any_of({4U, 64U});
  c.gpu.shared_lane = draw.one_in(3);
  c.gpu.store_acknowledgement = draw.one_in(3);
  if (draw.one_in(4)) c.gpu.network = OnChipNetwork::sectors;
  if (draw.one_in(3)) c.gpu.scheduler = WavefrontScheduler::greedy;
  if (draw.one_in(4)) c.gpu.dispatch = Dispatch::cu;
  c.dma.lines_per_cycle = draw.any_of({1ULL, 4ULL});
  draw_memory_and_cache(draw, c);
  for (std::uint32_t g = 0; g < c.gpus.count; ++g)
    if (draw.one_in(8)) draw_override(draw, c.gpus.overrides[g]);
  return c;
}

// A plan in which every GPU produces every chunk; each chunk's contributions travel to an owner along random
// ways: straight stores, DMA hops from GPU to GPU, or a mixture. One in four is spoiled somewhere.
CollectivePlan random_plan(Draw& draw, std::uint32_t gpus, std::uint32_t chunks) {
  CollectivePlan plan;
  plan.name = "random";
  plan.chunks = chunks;
  plan.arrays = draw.one_in(4) ? 2 : 1;  // the owner may keep what comes from others apart
  plan.gpus.resize(gpus);
  for (GpuPlan& gpu : plan.gpus) {
    gpu.chunks.resize(std::size_t{chunks} * plan.arrays);
    for (std::uint32_t c = 0; c < chunks; ++c) gpu.order.push_back(c);
    for (std::uint32_t c = chunks; c > 1; --c) std::swap(gpu.order[c - 1], gpu.order[draw.below(c)]);
  }
  for (std::uint32_t c = 0; c < chunks; ++c) {
    // A tree towards the owner: everybody sends to somebody who comes later in a random order.
    std::vector<std::uint16_t> way;
    for (std::uint16_t g = 0; g < gpus; ++g) way.push_back(g);
    for (std::uint32_t i = gpus; i > 1; --i) std::swap(way[i - 1], way[draw.below(i)]);
    const bool along_ring = draw.one_in(2);
    for (std::uint32_t i = 0; i < gpus; ++i) {
      const std::uint16_t g = along_ring ? static_cast<std::uint16_t>((way[0] + gpus - i) % gpus) : way[i];
      ChunkPlan& chunk = plan.at(g, 0, c);
      chunk.producer = ChunkPlan::Producer::local;
      if (i + 1 == gpus) continue;
      const std::uint16_t to = along_ring ? ring_next(gpus, g) : way[draw.from(i + 1, gpus - 1)];
      const std::uint16_t owner = along_ring ? static_cast<std::uint16_t>((way[0] + 1) % gpus) : way.back();
      const auto array = static_cast<std::uint8_t>(to == owner ? plan.arrays - 1 : 0);
      if (i == 0 && draw.one_in(2)) {
        chunk.producer = ChunkPlan::Producer::remote;
        chunk.remote = {to, array, Op::update};
      } else {
        chunk.dma.push_back({to, array, Op::update});
      }
    }
  }
  if (draw.one_in(4)) {
    ChunkPlan& chunk = plan.at(draw.below(gpus), 0, draw.below(chunks));
    switch (draw.below(4)) {
      case 0:
        chunk.dma.push_back({static_cast<std::uint16_t>(draw.below(gpus)), 0, Op::update});
        break;
      case 1:
        chunk.producer = ChunkPlan::Producer::none;
        break;
      case 2:
        chunk.op = Op::write;
        break;
      default:
        for (Transfer& t : chunk.dma) t.op = Op::write;
    }
  }
  count_arrivals(plan);
  return plan;
}

// Elements of the outcome that memory has otherwise.
std::uint64_t wrong_elements(const Config& config, const Phase& phase, const PlanOutcome& outcome,
                             const std::vector<FunctionalGpu>& state) {
  const CollectiveArrays arrays = collective_arrays(config, phase);
  std::uint64_t wrong = 0;
  const auto right = [&](std::uint32_t g, std::uint32_t a, std::uint32_t c, std::uint64_t address) {
    std::int32_t sum = 0;
    for (const Contribution& from : outcome.at(g, a, c))
      for (std::uint32_t part = 0; part < config.workload.split_k; ++part)
        sum += static_cast<std::int32_t>(from.times) * state[from.gpu].produced->value(address, part);
    return sum;
  };
  for (std::uint32_t c = 0; c < phase.tracked->chunks; ++c)
    for (std::uint32_t i = 0; i < arrays.chunks.tiles(c); ++i) {
      const Block block = arrays.array.grid.block(arrays.chunks.first_tile(c) + i);
      for (std::uint32_t row = block.row; row < block.row + block.rows; ++row)
        for (std::uint32_t column = block.column; column < block.column + block.columns; ++column) {
          const std::uint64_t address = arrays.array.address(row, column);
          for (std::uint32_t g = 0; g < config.gpus.count; ++g)
            for (std::uint32_t a = 0; a < phase.tracked->arrays; ++a)
              wrong += state[g].memory.element(address + a * arrays.stride) != right(g, a, c, address);
        }
    }
  return wrong;
}

TEST(RandomMachines, EndWithTheRightNumbersOrAreRefusedBeforeTheyStart) {
  std::uint32_t ran = 0, refused = 0;
  for (std::uint32_t seed = 0; seed < kDraws; ++seed) {
    Draw draw(seed);
    const Config config = random_machine(draw);
    const std::uint32_t tiles = gemm_spec(config, 0).c().grid.tiles();
    const auto plan = random_plan(draw, config.gpus.count, draw.from(1, std::min(tiles, 6U)));
    Phase phase = fused_by(plan);
    phase.arbitration = draw.any_of({ArbitrationKind::round_robin, ArbitrationKind::compute_first,
                                     ArbitrationKind::mca, ArbitrationKind::mca_paced});
    PlanOutcome outcome;
    try {
      outcome = check_plan(plan);
      check_routes(config, phase, plan.name);
    } catch (const InputError& refusal) {
      ++refused;
      EXPECT_NE(std::string(refusal.what()).find("GPU"), std::string::npos) << refusal.what();
      continue;
    }
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::vector<FunctionalGpu> state = functional_state(config, collectives(config));
    try {
      run_phase(config, phase, &state);  // throws when a check fails or nothing moves
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
      continue;
    }
    EXPECT_EQ(wrong_elements(config, phase, outcome, state), 0U);
    ++ran;
  }
  RecordProperty("ran", static_cast<int>(ran));
  EXPECT_GE(ran, kDraws / 3);
  EXPECT_GE(refused, kDraws / 10);
}

}  // namespace
}  // namespace t3sim
