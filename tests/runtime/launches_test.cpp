// Kernels of a program: places on CUs, waits and signals by tile, stores to other GPUs, collectives.
#include <gtest/gtest.h>

#include <optional>

#include "base/error.h"
#include "runtime/hand_program.h"

namespace t3sim {
namespace {

struct Gemms {
  explicit Gemms(std::uint32_t gpus) : hand(gpus) {}
  HandProgram hand;
  std::uint32_t a = hand.array("a", 512, 256), b = hand.array("b", 256, 512), c = hand.array("c", 512, 512);
  std::uint32_t d = hand.array("d", 512, 512);
  program::Launch first(std::uint32_t gpu) const { return hand.gemm(gpu, a, b, c); }
  program::Launch second(std::uint32_t gpu) const { return hand.gemm(gpu, a, b, d); }
};

double alone_us(const Config& config, std::uint32_t first_cu, std::uint32_t cus) {
  Gemms g(2);
  program::Launch launch = g.first(0);
  launch.first_cu = first_cu, launch.cus = cus;
  g.hand.issue(0, "main", launch);
  return run_program(config, g.hand.program()).time_us;
}

TEST(KernelsOnCusOfTheirOwn, RunAtTheSameTime) {
  const Config config = program_machine(2);
  Gemms g(2);
  program::Launch first = g.first(0), second = g.second(0);
  first.cus = second.cus = second.first_cu = 4;
  g.hand.issue(0, "one", first);
  g.hand.issue(0, "two", second);
  const double both = run_program(config, g.hand.program()).time_us;
  EXPECT_GE(both, alone_us(config, 0, 4));
  EXPECT_LT(both, 1.3 * alone_us(config, 0, 4));
}

TEST(AKernelBehindAnother, GetsPlacesWhenTheFirstHasDispatchedAllItsWorkgroups) {
  const Config config = program_machine(2);
  Gemms g(2);
  const std::uint32_t first = g.hand.issue(0, "one", g.first(0));
  const std::uint32_t second = g.hand.issue(0, "two", g.second(0));
  const ProgramResult result = run_program(config, g.hand.program());
  EXPECT_EQ(result.gpus[0].times[first].begun, result.gpus[0].times[second].begun);
  EXPECT_LT(result.gpus[0].times[first].done, result.gpus[0].times[second].done);
  EXPECT_GT(result.time_us, 1.5 * alone_us(config, 0, 8));
}

TEST(AKernelOfHigherPriority, GoesFirst) {
  const Config config = program_machine(2);
  Gemms g(2);
  program::Launch urgent = g.second(0);
  urgent.priority = 1;
  const std::uint32_t first = g.hand.issue(0, "one", g.first(0));
  const std::uint32_t second = g.hand.issue(0, "two", urgent);
  const ProgramResult result = run_program(config, g.hand.program());
  EXPECT_GT(result.gpus[0].times[first].done, result.gpus[0].times[second].done);
}

TEST(AKernelThatSpinsOnOneWithoutAPlace, EndsTheRunWithBothNames) {
  Gemms g(2);
  const std::uint32_t here = g.hand.signals("here", 1);
  program::Launch spins = g.first(0), sets = g.second(0);
  for (std::uint32_t tile = 0; tile < 64; ++tile) spins.waits.add(tile, {{here, 0, 0}, 1});
  sets.sets.add(0, {{here, 0, 0}, 1, false});
  Config config = program_machine(2);
  config.gpu.cus = 1;
  g.hand.issue(0, "one", spins);
  g.hand.issue(0, "two", sets);
  try {
    run_program(config, g.hand.program());
    FAIL() << "the second kernel has no place";
  } catch (const NoProgressError& e) {
    const std::string what = e.what();
    EXPECT_NE(
        what.find(
            "these wait for each other, each for the next: GPU 0: command 0 (line 1); GPU 0: command 1"),
        std::string::npos)
        << what;
    EXPECT_NE(what.find("stream one: command 0"), std::string::npos) << what;
    EXPECT_NE(what.find("stream two: command 1"), std::string::npos) << what;
  }
}

// The first workgroups wait for what the last one sets, and a CU has no place for that.
TEST(AKernelThatSpinsOnItsOwnWorkgroups, EndsTheRunWithItsName) {
  Gemms g(2);
  const std::uint32_t here = g.hand.signals("here", 1);
  program::Launch spins = g.first(0);
  for (std::uint32_t tile = 0; tile < 63; ++tile) spins.waits.add(tile, {{here, 0, 0}, 1});
  spins.sets.add(63, {{here, 0, 0}, 1, false});
  Config config = program_machine(2);
  config.gpu.cus = 1;
  g.hand.issue(0, "one", spins);
  try {
    run_program(config, g.hand.program());
    FAIL() << "the last workgroup has no place";
  } catch (const NoProgressError& e) {
    EXPECT_NE(std::string(e.what()).find("GPU 0: command 0 (line 1) waits for itself"), std::string::npos)
        << e.what();
  }
}

TEST(ATile, WaitsForItsSignal) {
  const Config config = program_machine(2);
  Gemms g(2);
  const std::uint32_t here = g.hand.signals("here", 1);
  program::Launch waits = g.first(0);
  waits.waits.add(63, {{here, 0, 0}, 1});
  const std::uint32_t gemm = g.hand.issue(0, "main", waits);
  g.hand.issue(1, "", program::HostTime{100'000'000});
  g.hand.issue(1, "main", program::SetSignal{{{here, 0, 0}, 1, false}});
  const ProgramResult result = run_program(config, g.hand.program());
  const double done = us(config, result.gpus[0].times[gemm].done);
  EXPECT_GT(done, 100.5);
  EXPECT_LT(done, 100.5 + alone_us(config, 0, 8));
}

TEST(ATile, SetsItsSignalAfterItsStores) {
  const Config config = program_machine(2);
  Gemms g(2);
  const std::uint32_t here = g.hand.signals("here", 1);
  program::Launch sets = g.first(0);
  for (std::uint32_t tile = 0; tile < 64; ++tile) sets.sets.add(tile, {{here, 0, 1}, 1, true});
  const std::uint32_t gemm = g.hand.issue(0, "main", sets);
  const std::uint32_t wait = g.hand.issue(1, "main", program::WaitSignal{{{here, 0, 1}, 64}, false});
  const ProgramResult result = run_program(config, g.hand.program());
  EXPECT_NEAR(us(config, result.gpus[1].times[wait].done), us(config, result.gpus[0].times[gemm].done) + 0.5,
              0.2);
}

// When GPU `word` hears of a tile whose data goes to GPU `data`; a link takes 0.5 us.
double told_us(std::uint32_t data, std::uint32_t word, const program::SignalSet& how) {
  const Config config = program_machine(3);
  Gemms g(3);
  const std::uint32_t here = g.hand.signals("here", 1);
  program::Launch launch = g.first(0);
  for (std::uint32_t tile = 0; tile < 64; ++tile) launch.stores.add(tile, {data, 0, Op::write});
  program::SignalSet set = how;
  set.word = {here, 0, word};
  launch.sets.add(0, set);
  g.hand.issue(0, "main", launch);
  const std::uint32_t wait = g.hand.issue(word, "main", program::WaitSignal{{{here, 0, word}, 1}, false});
  return us(config, run_program(config, g.hand.program()).gpus[word].times[wait].done);
}
const program::SignalSet kFenced, kUnfenced{{}, 1, false, false}, kInStores{{}, 1, false, true, true};

TEST(ATile, WaitsUntilItsStoresAreAcknowledgedBeforeItTells) {
  EXPECT_NEAR(told_us(1, 1, kFenced), told_us(1, 2, kFenced), 0.2);
  EXPECT_NEAR(told_us(1, 1, kUnfenced), told_us(1, 1, kFenced) - 1, 0.2);
}

TEST(ATile, ThatSetsAWordWithoutAFenceDoesNotWaitForItsStores) {
  EXPECT_NEAR(told_us(1, 2, kUnfenced), told_us(1, 2, kFenced) - 1, 0.2);
}

TEST(ATile, WhoseWordComesInItsStoresWaitsForNothing) {
  EXPECT_NEAR(told_us(1, 1, kInStores), told_us(1, 1, kUnfenced), 0.1);
}

TEST(Tiles, GoWhereTheLaunchSays) {
  Gemms g(2);
  program::Launch launch = g.first(0);
  for (std::uint32_t tile = 0; tile < 32; ++tile) launch.stores.add(tile, {1, 0, Op::write});
  g.hand.issue(0, "main", launch);
  const ProgramResult result = run_program(program_machine(2), g.hand.program());
  EXPECT_EQ(result.gpus[0].link_bytes, 512 * 512 * 2 / 2);
}

TEST(Tiles, AreDoneInTheOrderOfTheLaunch) {
  const Config config = program_machine(2);
  const auto last_tile_first = [&](bool reversed) {
    Gemms one(2);
    const std::uint32_t here = one.hand.signals("here", 1);
    program::Launch launch = one.first(0);
    if (reversed)
      for (std::uint32_t i = 0; i < 64; ++i) launch.order.push_back(63 - i);
    launch.sets.add(63, {{here, 0, 1}, 1, false});
    one.hand.issue(0, "main", launch);
    const std::uint32_t wait = one.hand.issue(1, "main", program::WaitSignal{{{here, 0, 1}, 1}, false});
    return us(config, run_program(config, one.hand.program()).gpus[1].times[wait].done);
  };
  EXPECT_LT(last_tile_first(true), last_tile_first(false));
}

TEST(ASum, ReadsItsInputsAndWritesItsOutputOnce) {
  HandProgram hand(2);
  const std::uint32_t a = hand.array("a", 1024, 4096), b = hand.array("b", 1024, 4096);
  const std::uint32_t c = hand.array("c", 1024, 4096);
  program::Launch launch;
  launch.body = program::SumBody{{hand.whole(a, 0), hand.whole(b, 0)}, hand.whole(c, 0)};
  hand.issue(0, "main", launch);
  const ProgramResult result = run_program(program_machine(2), hand.program());
  EXPECT_EQ(result.gpus[0].dram.read(Traffic::gemm), 2 * 8 << 20);
  EXPECT_LE(result.gpus[0].dram.written(Traffic::gemm), 8 << 20);
  EXPECT_GT(result.gpus[0].dram.written(Traffic::gemm), 6 << 20);  // the rest stays in the L2
}

struct Gathers {
  Gathers() {
    launch.in = hand.whole(part, 0), launch.out = hand.whole(all, 0);
    launch.channels = 2;
  }
  program::Collective on(std::uint32_t gpu, std::uint32_t number) const {
    program::Collective c = launch;
    c.number = number;
    c.in.gpu = c.out.gpu = gpu;
    return c;
  }
  HandProgram hand{2};
  std::uint32_t part = hand.array("part", 256, 1024), all = hand.array("all", 512, 1024);
  program::Collective launch;
};

TEST(ACollective, WaitsForAllGpusToCome) {
  const Config config = program_machine(2);
  Gathers g;
  const std::uint32_t early = g.hand.issue(0, "main", g.on(0, 0));
  g.hand.issue(1, "", program::HostTime{200'000'000});
  g.hand.issue(1, "main", g.on(1, 0));
  const ProgramResult result = run_program(config, g.hand.program());
  EXPECT_GT(us(config, result.gpus[0].times[early].done), 200);
  EXPECT_GE(result.gpus[0].link_bytes, 512 << 10);
}

// One by LL like a kernel, unless the machine says how.
TEST(ACollective, IsLaunchedAsItsProtocolIs) {
  const auto time_us = [](bool low_latency, std::uint64_t kernel_us,
                          std::optional<std::uint64_t> low_latency_us) {
    Config config = program_machine(2);
    config.gpu.kernel_launch_cycles = kernel_us * config.gpu.clock_hz / 1'000'000;
    config.execution.channel.launch_ps = 30'000'000;
    config.execution.channel.low_latency_launch_ps.reset();
    if (low_latency_us) config.execution.channel.low_latency_launch_ps = *low_latency_us * 1'000'000;
    Gathers g;
    g.launch.low_latency = low_latency;
    for (const std::uint32_t gpu : {0U, 1U}) g.hand.issue(gpu, "main", g.on(gpu, 0));
    return run_program(config, g.hand.program()).time_us;
  };
  EXPECT_NEAR(time_us(true, 5, std::nullopt), time_us(true, 5, 5), 0.01);
  EXPECT_NEAR(time_us(true, 15, std::nullopt) - time_us(true, 5, std::nullopt), 10, 0.01);
  EXPECT_NEAR(time_us(true, 5, 12) - time_us(true, 5, std::nullopt), 7, 0.01);
  EXPECT_NEAR(time_us(true, 15, 12) - time_us(true, 5, 12), 0, 1e-9);
  EXPECT_NEAR(time_us(false, 15, 12) - time_us(false, 5, std::nullopt), 0, 1e-9);
}

// Sends and receives of a channel are warps of one thread block, which has all of a CU's registers here: they are all
// there at once, and with a FIFO's slots far fewer than slices neither waits for the other's end.
TEST(AnAllToAll, HasPlacesForAllThatAChannelDoes) {
  const auto done_us = [](std::uint64_t registers) {
    Config config = program_machine(4);
    config.gpu.registers_bytes = registers;
    config.execution.channel.buffer_bytes = 32 << 10;
    HandProgram hand(4);
    const std::uint32_t a = hand.array("a", 512, 1024), b = hand.array("b", 512, 1024);
    for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
      program::Collective all;
      all.kind = program::CollectiveKind::all_to_all;
      all.in = hand.whole(a, gpu), all.out = hand.whole(b, gpu);
      all.channels = 1;
      hand.issue(gpu, "main", all);
    }
    return run_program(config, hand.program()).time_us;
  };
  EXPECT_EQ(done_us(256 << 10), done_us(8 << 20));
}

TEST(TwoCollectives, InOppositeOrderOnTwoGpusNeverEnd) {
  Gathers g;
  for (std::uint32_t gpu = 0; gpu < 2; ++gpu)
    for (std::uint32_t i = 0; i < 2; ++i) g.hand.issue(gpu, "main", g.on(gpu, gpu == 0 ? i : 1 - i));
  try {
    run_program(program_machine(2), g.hand.program());
    FAIL() << "each waits for the other GPU's first";
  } catch (const NoProgressError& e) {
    EXPECT_NE(std::string(e.what()).find(
                  "these wait for each other, each for the next: GPU 0: command 0 (line 1); GPU 1: "
                  "command 1 (line 2); GPU 1: command 0 (line 1); GPU 0: command 1"),
              std::string::npos)
        << e.what();
    EXPECT_NE(std::string(e.what()).find("GPU 0, stream main: command 0"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("GPU 1, stream main: command 0"), std::string::npos) << e.what();
  }
}

// Each has the CUs of one GPU, in streams of their own.
TEST(TwoCollectives, ThatTakeEachOthersCusNeverEnd) {
  Gathers g;
  g.launch.channels = 8;
  Config config = program_machine(2);
  config.gpu.threads_per_cu = 512;  // one block
  for (std::uint32_t gpu = 0; gpu < 2; ++gpu) {
    g.hand.issue(gpu, gpu == 0 ? "one" : "two", g.on(gpu, gpu));
    g.hand.issue(gpu, "", program::HostTime{20'000'000});
    g.hand.issue(gpu, gpu == 0 ? "two" : "one", g.on(gpu, 1 - gpu));
  }
  try {
    run_program(config, g.hand.program());
    FAIL() << "neither gets places";
  } catch (const NoProgressError& e) {
    EXPECT_NE(std::string(e.what()).find("these wait for each other, each for the next: GPU 0: command 0 "
                                         "(line 1); GPU 1: command 2 (line 3); GPU 1: command 0 (line 1); "
                                         "GPU 0: command 2"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace t3sim
