// Runs that cannot end, planted one by one: each is found, ends as NoProgressError, and its first line names
// the culprit.
#include <gtest/gtest.h>

#include <regex>

#include "machine/small_cluster.h"
#include "machine/watchdog.h"
#include "plan/plan_library.h"
#include "run/scheme_table.h"

namespace t3sim {

// What the production code does not do: breaks the parts of a GPU.
struct PlantedFault {
  class Taker final : public Sender, public Component, public ReplySink {
   public:
    void granted(Tick) override {}
    void wake(Tick) override {}
    void reply(const Request&, Tick) override {}
  };
  static Taker& nobody() {
    static Taker taker;
    return taker;
  }
  // Those that are used go to nobody as soon as they are free.
  static void take_all_places(Gpu& gpu, std::size_t slice) {
    for (std::uint64_t i = 0; i < gpu.spec_.l2.input_queue; ++i)
      gpu.parts_.slices[slice]->input().take(nobody());
  }
  static bool deafen_busy_cu(Gpu& gpu, std::size_t cu) {
    if (gpu.parts_.cus[cu]->idle()) return false;
    gpu.scheduler_.components_[gpu.parts_.cus[cu]->rank()] = &nobody();
    return true;
  }
  static void lose_replies_of_cu(Gpu& gpu, std::size_t cu) { gpu.reply_sinks_[cu] = &nobody(); }
  static bool lose_workgroup(Gpu& gpu) {
    KernelRun& kernel = *gpu.kernels_.front()->run;
    if (!kernel.has_next()) return false;
    kernel.take(gpu.scheduler_.now());
    return true;
  }
  // A second command for tiles that have one: the first is never marked ready.
  static void overwrite_dma_command(Gpu& gpu, std::uint32_t chunk) {
    const CollectiveProgram& program = gpu.collective_->program;
    gpu.parts_.dma->program(program.arrays.chunks.first_tile(chunk), 1,
                            program.plan->at(rank(gpu), 0, chunk).dma);
  }
  static void wake_link_for_ever(Gpu& gpu) {
    gpu.scheduler_.wake(*gpu.parts_.egress->ports().front(), gpu.scheduler_.now() + 4000);
  }
  static std::uint32_t rank(const Gpu& gpu) { return gpu.spec_.rank; }
};

namespace {

constexpr std::uint32_t kGpus = 4;

Config small(TopologyKind topology = TopologyKind::ring) {
  Config config = small_config(kGpus, 512, 256, 64, GpuModel::explicit_);
  config.topology.kind = topology;
  return config;
}

// The first lines: the reason and the explanation.
std::string explanation_of(Cluster& cluster) {
  try {
    cluster.run({});
  } catch (const NoProgressError& e) {
    const std::string text = e.what();
    const std::size_t second = text.find('\n', text.find('\n') + 1);
    return text.substr(0, second);
  }
  return "a run that cannot end has ended";
}
std::string explanation_of(const Config& config, const Phase& phase,
                           std::function<void(Gpu&)> after_step = nullptr) {
  Cluster cluster(config, phase, time_base(config));
  cluster.after_step(std::move(after_step));
  return explanation_of(cluster);
}

::testing::AssertionResult says(const std::string& text, const std::string& pattern) {
  if (std::regex_search(text, std::regex(pattern))) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << text << "\n    does not say: " << pattern;
}

Phase changed_fused(const Config& config, const std::function<void(CollectivePlan&)>& change) {
  Phase phase = fused_phase().of(config);
  CollectivePlan plan = *phase.tracked;
  change(plan);
  phase.tracked = std::make_shared<const CollectivePlan>(plan);
  return phase;
}

// Calls f once, on GPU `gpu`, after the first window in which it returns true.
std::function<void(Gpu&)> once(std::uint32_t gpu, std::function<bool(Gpu&)> f) {
  return [gpu, f = std::move(f), done = false](Gpu& g) mutable {
    if (!done && PlantedFault::rank(g) == gpu) done = f(g);
  };
}

TEST(Deadlock, OfAPlanInWhichOneGpuForwardsNothing) {
  const Config config = small();
  const std::string text = explanation_of(config, changed_fused(config, [](CollectivePlan& plan) {
                                            for (ChunkPlan& chunk : plan.gpus[0].chunks) chunk.dma.clear();
                                          }));
  EXPECT_TRUE(
      says(text, "GPU 3 tracker tile \\d+ waits for 128 more sector updates, and nobody has any left"));
  EXPECT_TRUE(says(text, "1 from DMA of other GPUs; by the plan .* GPUs \\[\\] send to it by DMA"));
  EXPECT_TRUE(says(text, "GPU 3 dma tile \\d+ waits for GPU 3 tracker tile"));
}

TEST(Deadlock, OfAThresholdThatIsOneTooHigh) {
  const Config config = small();
  const std::string text =
      explanation_of(config, changed_fused(config, [](CollectivePlan& plan) { ++plan.at(2, 0, 0).dma_in; }));
  EXPECT_TRUE(says(text, "GPU 2 tracker tile 0 waits for 128 more sector updates"));
  EXPECT_TRUE(says(text, "expects 1 an element from its own kernel, 0 from stores and 2 from DMA"));
  EXPECT_TRUE(says(text, "GPUs \\[3\\] send to it by DMA"));
}

TEST(Deadlock, OfALinkWhoseCreditsAreNeverReturned) {
  Config config = small();
  config.topology.link.buffer_bytes = 4096;
  const std::string text = explanation_of(config, fused_phase().of(config), [](Gpu& gpu) {
    if (PlantedFault::rank(gpu) == 1) gpu.outbox().credits.clear();
  });
  EXPECT_TRUE(says(text, "GPU 2 link.out to GPU 1 waits for credits; it has 0 bytes"));
  EXPECT_TRUE(says(text, "GPU 1 holds none of its packets: credits were lost"));
}

TEST(Deadlock, OfABufferThatIsSmallerThanAPacket) {
  Config config = small();
  config.topology.link.buffer_bytes = 64;
  const std::string text = explanation_of(config, fused_phase().of(config));
  EXPECT_TRUE(says(text, "link.out to GPU \\d waits for credits; it has 64 bytes"));
  EXPECT_TRUE(says(text, "the buffer \\(topology.buffer\\) is smaller than a packet"));
}

// Tiles t of chunk 0 and t + 256 of chunk 1 share a set, which has room for one of them. Each GPU keeps what
// it produces first and sends what it produces last: each Tracker is full of tiles that wait for the other
// GPU.
TEST(Deadlock, OfTrackerSetsThatAreFullForEver) {
  Config config = small_config(2, 512, 1024, 32, GpuModel::explicit_);
  config.workload.tile = {32, 32, 32};
  CollectivePlan plan;
  plan.chunks = 2;
  plan.gpus.resize(2);
  for (std::uint32_t g : {0U, 1U}) {
    plan.gpus[g].chunks.resize(2);
    for (ChunkPlan& chunk : plan.gpus[g].chunks) chunk.producer = ChunkPlan::Producer::local;
    plan.gpus[g].chunks[1 - g].dma = {{static_cast<std::uint16_t>(1 - g), 0, Op::update}};
    plan.gpus[g].order = {g, 1 - g};
  }
  count_arrivals(plan);
  Phase phase = fused_phase().of(config);
  phase.tracked = std::make_shared<const CollectivePlan>(plan);
  const std::string text = explanation_of(config, phase);
  EXPECT_TRUE(says(text, "ring of waiters: "));
  EXPECT_TRUE(
      says(text, "channel \\d+ waits for GPU \\d tracker set \\d+: an entry for tile \\d+ wavefront \\d"));
  EXPECT_TRUE(says(text, "GPU 0 tracker set \\d+ waits for GPU 0 tracker tile \\d+: all 8 ways are taken"));
  EXPECT_TRUE(says(text, "GPU 0 tracker tile \\d+ waits for GPU 1 dma tile \\d+: 8 more sector updates"));
  EXPECT_TRUE(says(text, "GPU 1 tracker tile \\d+ waits for GPU 0 dma tile \\d+: 8 more sector updates"));
  config.tracker.capacity = TrackerCapacity::unbounded;
  EXPECT_GT(run_phase(config, phase).time_us, 0);
}

TEST(Deadlock, OfADmaCommandThatIsNeverMarkedReady) {
  const Config config = small();
  const std::string text = explanation_of(config, fused_phase().of(config), once(1, [](Gpu& gpu) {
                                            PlantedFault::overwrite_dma_command(gpu, 3);
                                            return true;
                                          }));
  EXPECT_TRUE(says(text, "GPU 1 dma tile \\d+ has a command to GPU 0 that was never marked ready"));
}

TEST(Deadlock, OfCollectiveKernelsThatWaitForEachOthersAnnouncement) {
  const Config config = small(TopologyKind::fully_connected);
  KernelPlan steps;
  steps.chunks = kGpus;
  for (std::uint16_t g = 0; g < kGpus; ++g)
    steps.gpus.push_back({{g, {0}, g, 0, false, 0, KernelStep::kNoWait}});
  steps.gpus[0] = {{0, {0}, 2, 0, false, 2, 1}};  // sends announcement 2 after 1 has come
  steps.gpus[2] = {{0, {0}, 0, 0, false, 1, 2}};
  Phase phase = scatter_phase().of(config);
  phase.steps = std::make_shared<const KernelPlan>(steps);
  const std::string text = explanation_of(config, phase);
  EXPECT_TRUE(says(text, "ring of waiters: GPU 0 kernel waits for GPU 0 cu\\[0\\]"));
  EXPECT_TRUE(says(text, "GPU 0 arrival 1 of tile \\d+ waits for GPU 2 kernel: its stores of that tile"));
  EXPECT_TRUE(says(text, "GPU 2 arrival 2 of tile \\d+ waits for GPU 0 kernel: its stores of that tile"));
}

TEST(Deadlock, OfAnAnnouncementThatNobodySends) {
  const Config config = small();
  const std::string text = explanation_of(config, scatter_phase().of(config), once(3, [](Gpu& gpu) {
                                            if (gpu.outbox().packets.empty()) return false;
                                            gpu.outbox().packets.pop_back();
                                            return true;
                                          }));
  EXPECT_TRUE(says(text, "GPU 2 arrival \\d+ of tile \\d+ will not come: no GPU is left that announces it"));
  EXPECT_TRUE(says(text, "GPU 2 cu\\[\\d+\\] waits for GPU 2 arrival"));
}

// GPU 0 sends chunk 3 to GPU 3 once it has come from there, and GPU 3 sends it once it has come from GPU 0.
TEST(Deadlock, OfChunksThatWaitForEachOther) {
  const Config config = small(TopologyKind::fully_connected);
  const std::string text = explanation_of(config, changed_fused(config, [](CollectivePlan& plan) {
                                            for (GpuPlan& gpu : plan.gpus) {
                                              gpu.chunks[3].producer = ChunkPlan::Producer::local;
                                              gpu.chunks[3].dma.clear();
                                            }
                                            plan.at(0, 0, 3).dma = {{3, 0, Op::update}};
                                            plan.at(3, 0, 3).dma = {{0, 0, Op::update}};
                                            count_arrivals(plan);
                                          }));
  EXPECT_TRUE(
      says(text, "ring of waiters: GPU 0 dma tile (\\d+) waits for GPU 0 tracker tile \\1: the updates"));
  EXPECT_TRUE(says(text, "GPU 0 tracker tile \\d+ waits for GPU 3 dma tile \\d+: 128 more sector updates"));
  EXPECT_TRUE(says(text, "GPU 3 tracker tile \\d+ waits for GPU 0 dma tile \\d+: 128 more sector updates"));
}

TEST(Deadlock, OfAnL2SliceThatNeverGrantsAPlace) {
  const Config config = small();
  const std::string text = explanation_of(config, gemm_phase().of(config), once(2, [](Gpu& gpu) {
                                            PlantedFault::take_all_places(gpu, 5);
                                            return true;
                                          }));
  EXPECT_TRUE(says(text, "GPU 2 l2\\[5\\] has an empty input queue, but all its \\d+ places are taken"));
  EXPECT_TRUE(
      says(text, "GPU 2 cu\\[\\d+\\] waits for GPU 2 l2\\[5\\]: a place in its queue for a load of tile"));
}

TEST(Deadlock, OfASwitchTableThatWaitsForAnUpdateThatNeverComes) {
  Config config = small(TopologyKind::switched);
  config.topology.switched.reduction = SwitchReduction::in_switch;
  const Phase phase = fused_by(plan_library::load("direct-reduce-scatter", kGpus));
  const std::string text = explanation_of(config, phase, once(1, [](Gpu& gpu) {
                                            if (gpu.outbox().packets.empty()) return false;
                                            gpu.outbox().packets.pop_back();
                                            return true;
                                          }));
  EXPECT_TRUE(says(text, "switch table, tile \\d+ of GPU \\d, lacks \\d+ updates of lines that it adds up"));
  EXPECT_TRUE(says(text, "tracker tile \\d+ waits for switch table, tile"));
}

// Which a configuration with these routes is refused for: see Deadlock.IsFoundBeforeTheRun in graph_test.cpp.
TEST(Deadlock, OfRoutesInARing) {
  Config config = small(TopologyKind::graph);
  config.workload.m = 4096;
  config.topology.link.buffer_bytes = 4096;
  config.topology.vertices["s[0-3]"] = {};
  config.topology.links.resize(2);
  config.topology.links[0].from = "gpu[0-3]";
  config.topology.links[0].to = "s[0-3]";
  config.topology.links[0].bandwidth_Bps = 600'000'000'000;
  config.topology.links[1].from = "s[0-3]";
  config.topology.links[1].to = "s[1,2,3,0]";
  config.topology.links[1].one_way = true;
  Phase phase;
  phase.tracked = std::make_shared<const CollectivePlan>(plan_library::load("ring-reduce-scatter-dma", 4));
  EXPECT_TRUE(says(explanation_of(config, phase), "link s0>s1 waits for link s1>s2: credits"));
}

TEST(Deadlock, OfAPutWhoseDoorbellIsLost) {
  Config config = small(TopologyKind::pcie_tree);
  config.topology.pcie = {1, 2, 1, false, 40'000'000'000, 200'000, 100'000'000'000, 300'000, {}, 800'000};
  config.topology.card = {16, 0, 0, CardPuts::gpu};
  const std::string text = explanation_of(config, near_memory_phase().of(config), once(2, [](Gpu& gpu) {
                                            if (gpu.outbox().puts.empty()) return false;
                                            gpu.outbox().puts.pop_back();
                                            return true;
                                          }));
  EXPECT_TRUE(says(text, "GPU 2 dma tile \\d+ waits for card1: its put to be started"));
}

TEST(Deadlock, OfAGatheredGemmWhoseInputNeverArrives) {
  Config config = small(TopologyKind::fully_connected);
  config.collective = {CollectiveChoice::all_gather, CollectiveAlgorithm::direct, GemmRole::consumer, 0, ""};
  const SchemeTable schemes(config);
  Phase phase;
  for (const SchemePhase& p : schemes.scheme(shipped::t3).phases)
    if (p.phase.kernel && p.phase.kernel->waits_for_rows) phase = p.phase;
  ASSERT_TRUE(phase.tracked);
  CollectivePlan plan = *phase.tracked;
  for (ChunkPlan& chunk : plan.gpus[1].chunks) chunk.dma.clear();
  phase.tracked = std::make_shared<const CollectivePlan>(plan);
  const std::string text = explanation_of(config, phase);
  EXPECT_TRUE(
      says(text, "GPU \\d tracker tile \\d+ waits for \\d+ more sector updates, and nobody has any left"));
  EXPECT_TRUE(says(text, "GPU \\d arrival 0 of tile \\d+ waits for GPU \\d tracker tile"));
  EXPECT_TRUE(says(text, "cu\\[\\d+\\] waits for GPU \\d arrival 0 of tile \\d+: data that its workgroup"));
}

TEST(Deadlock, OfACuThatLosesAWakeUp) {
  const Config config = small();
  const std::string text =
      explanation_of(config, gemm_phase().of(config),
                     once(1, [](Gpu& gpu) { return PlantedFault::deafen_busy_cu(gpu, 3); }));
  EXPECT_TRUE(says(text, "GPU 1 cu\\[3\\] could go on with workgroup \\d+, yet it is not awake"));
}

TEST(Deadlock, OfACuWhoseRepliesAreLost) {
  const Config config = small();
  const std::string text = explanation_of(config, gemm_phase().of(config), once(0, [](Gpu& gpu) {
                                            PlantedFault::lose_replies_of_cu(gpu, 2);
                                            return true;
                                          }));
  EXPECT_TRUE(
      says(text, "GPU 0 l2 has no request left: replies are lost; GPU 0 cu\\[2\\] waits for GPU 0 l2"));
}

TEST(Deadlock, OfAWorkgroupThatNoCuHas) {
  Config config = small();
  config.workload.n = 1024;
  const std::string text =
      explanation_of(config, gemm_phase().of(config), once(3, PlantedFault::lose_workgroup));
  EXPECT_TRUE(says(text, "GPU 3 kernel has ended 31 of its 32 workgroups, and no CU has another one"));
}

TEST(Livelock, OfALinkThatWakesForEver) {
  const Config config = small();
  const Phase phase = changed_fused(config, [](CollectivePlan& plan) {
    for (ChunkPlan& chunk : plan.gpus[0].chunks) chunk.dma.clear();
  });
  const std::string text = explanation_of(config, phase, [](Gpu& gpu) {
    if (PlantedFault::rank(gpu) == 2) PlantedFault::wake_link_for_ever(gpu);
  });
  EXPECT_TRUE(says(text, "events go on, but for \\S+ us nothing has moved.*still waking: GPU 2 link.out"));
  EXPECT_TRUE(says(text, "GPU 3 tracker tile \\d+ waits for 128 more sector updates"));
}

TEST(Watchdog, WaitsForWhateverIsOnlyLate) {
  Config config = small();
  config.gpus.overrides[2].start_delay_ps = 400'000'000;  // 0.4 ms
  config.topology.link.latency_ps = 50'000'000;
  EXPECT_GT(run_phase(config, fused_phase()).time_us, 400);
  config.gpu.matrix_flops_per_cycle = 1;  // a K step takes a millisecond
  EXPECT_GT(run_phase(config, gemm_phase()).time_us, 1000);
  config = small();
  config.memory.timing.ccd_l = 100'000;  // a tenth of a millisecond
  EXPECT_GT(run_phase(config, gemm_phase()).time_us, 1000);
}

TEST(Watchdog, CountsOnlyWhatStandsStillForLongerThanItsLimit) {
  Watchdog watchdog(1000);
  EXPECT_FALSE(watchdog.stuck(0, 5, false));
  EXPECT_FALSE(watchdog.due(200));
  EXPECT_TRUE(watchdog.due(251));
  EXPECT_FALSE(watchdog.stuck(1000, 5, false));
  EXPECT_TRUE(watchdog.stuck(1001, 5, false));
  EXPECT_FALSE(watchdog.stuck(1002, 6, false));
  EXPECT_FALSE(watchdog.stuck(3000, 6, true));
  EXPECT_FALSE(watchdog.stuck(4000, 6, false));
  EXPECT_TRUE(watchdog.stuck(4001, 6, false));
}

TEST(Deadlock, TellsTheDetailsAfterTheExplanation) {
  const Config config = small();
  const Phase phase = changed_fused(config, [](CollectivePlan& plan) { ++plan.at(2, 0, 0).dma_in; });
  try {
    run_phase(config, phase);
    FAIL() << "a run that cannot end has ended";
  } catch (const NoProgressError& e) {
    EXPECT_TRUE(
        says(e.what(), "^no progress: nothing moves any more, but work is left\nGPU 2 tracker tile 0"));
    EXPECT_TRUE(says(e.what(), "\nGPU 1 tracker tile 0 waits for GPU 2 dma tile 0: 128 more sector updates"));
    EXPECT_TRUE(
        says(e.what(), "\nGPU 2 dma tile 0 waits for GPU 2 tracker tile 0: the updates that trigger"));
  }
}

}  // namespace
}  // namespace t3sim
