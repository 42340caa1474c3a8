// Hosts, streams, events, signals: what waits for what.
#include <gtest/gtest.h>

#include "base/error.h"
#include "runtime/hand_program.h"

namespace t3sim {
namespace {

struct SmallGemm {
  explicit SmallGemm(std::uint32_t gpus) : hand(gpus) {}
  HandProgram hand;
  std::uint32_t a = hand.array("a", 512, 256), b = hand.array("b", 256, 512), c = hand.array("c", 512, 512);
  std::uint32_t d = hand.array("d", 512, 512);
  program::Launch gemm(std::uint32_t gpu) const { return hand.gemm(gpu, a, b, c); }
  program::Copy push(std::uint32_t from, std::uint32_t to) const {
    return {hand.whole(c, from), hand.whole(d, to)};
  }
};

TEST(AStream, DoesOneThingAfterTheOther) {
  SmallGemm s(2);
  const std::uint32_t gemm = s.hand.issue(0, "main", s.gemm(0));
  const std::uint32_t copy = s.hand.issue(0, "main", s.push(0, 1));
  const ProgramResult result = run_program(program_machine(2), s.hand.program());
  EXPECT_GT(result.gpus[0].times[gemm].done, result.gpus[0].times[gemm].begun);
  EXPECT_GE(result.gpus[0].times[copy].begun, result.gpus[0].times[gemm].done);
}

// A kernel that copies an array; the launch takes 10 us, and 2 behind another kernel.
TEST(AKernelBehindAnother, IsLaunchedWhileThatOneRuns) {
  const auto time_us = [](std::uint32_t kernels, bool event_between, std::optional<std::uint64_t> next_ps) {
    SmallGemm s(2);
    const std::uint32_t event = s.hand.event(0, "between");
    for (std::uint32_t i = 0; i < kernels; ++i) {
      program::Launch copy;
      copy.body = program::SumBody{{s.hand.whole(s.c, 0)}, s.hand.whole(s.d, 0)};
      if (i != 0 && event_between) s.hand.issue(0, "main", program::Record{event});
      s.hand.issue(0, "main", copy);
    }
    Config config = program_machine(2);
    config.gpu.kernel_launch_cycles = 10 * config.gpu.clock_hz / 1'000'000;
    config.commands.next_kernel_ps = next_ps;
    return run_program(config, s.hand.program()).time_us;
  };
  const double slow = time_us(3, false, std::nullopt), fast = time_us(3, false, 2'000'000);
  EXPECT_NEAR(slow - fast, 2 * 8, 0.01) << "the first one of three waits for its launch";
  EXPECT_NEAR(time_us(1, false, 2'000'000), time_us(1, false, std::nullopt), 1e-9);
  EXPECT_NEAR(time_us(2, true, 2'000'000), time_us(2, true, std::nullopt), 1e-9) << "an event is in between";
}

// What commands.change adds to a series on one stream: k a kernel, c a copy, b a barrier of both GPUs, e an event between streams.
double change_us(const std::string& series, std::uint64_t host_ps = 0) {
  const auto time_us = [&](std::optional<std::uint64_t> change_ps) {
    SmallGemm s(2);
    std::string stream = "main";
    std::uint32_t barriers = 0;
    for (const char what : series) {
      if (what == 'k') s.hand.issue(0, stream, s.gemm(0));
      if (what == 'c') s.hand.issue(0, stream, s.push(0, 1));
      if (what == 'b') {
        for (const std::uint32_t gpu : {0U, 1U})
          s.hand.issue(gpu, gpu == 0 ? stream : "main", program::Barrier{barriers, false});
        ++barriers;
      }
      if (what == 'e') {
        const std::uint32_t event = s.hand.event(0, "other" + std::to_string(barriers++));
        s.hand.issue(0, stream, program::Record{event});
        stream = "next";
        s.hand.issue(0, stream, program::WaitEvent{event});
      }
      if (what == 'h') {
        s.hand.issue(0, "", program::SyncStream{s.hand.stream(0, stream)});
        s.hand.issue(0, "", program::HostTime{host_ps});
      }
    }
    Config config = program_machine(2);
    config.commands.change_ps = change_ps;
    return run_program(config, s.hand.program()).time_us;
  };
  return time_us(5'000'000) - time_us(std::nullopt);
}

TEST(AChangeBetweenKernelsAndCopies, CostsWhereAStreamGoesOnFromOneToTheOther) {
  EXPECT_NEAR(change_us("kck"), 10, 0.1);
  EXPECT_NEAR(change_us("ck"), 5, 0.1);
  EXPECT_NEAR(change_us("bc"), 5, 0.1);
  EXPECT_NEAR(change_us("kec"), 5, 0.1) << "by an event";
  EXPECT_NEAR(change_us("kecek"), 10, 0.1);
}

TEST(AChangeBetweenKernelsAndCopies, CostsNothingBetweenTwoAlikeNorAfterAWhile) {
  EXPECT_NEAR(change_us("kk"), 0, 1e-9);
  EXPECT_NEAR(change_us("cc"), 0, 1e-9);
  EXPECT_NEAR(change_us("kb"), 0, 1e-9);
  EXPECT_NEAR(change_us("c"), 0, 1e-9);
  EXPECT_NEAR(change_us("chk", 4'000'000), 1, 0.1) << "the host takes 4 us between them";
  EXPECT_NEAR(change_us("chk", 6'000'000), 0, 1e-9);
}

// Copies both ways that last as long as the GEMM.
TEST(AGemmBesideCopies, IsSlowerByTheClockThatTheyTake) {
  const auto gemm_us = [](bool copies, std::optional<double> share, OperandData data) {
    HandProgram hand(2);
    const std::uint32_t a = hand.array("a", 512, 1024), b = hand.array("b", 1024, 512),
                        c = hand.array("c", 512, 512);
    const std::uint32_t from = hand.array("from", 2048, 1024), to = hand.array("to", 2048, 1024);
    const std::uint32_t gemm = hand.issue(0, "main", hand.gemm(0, a, b, c));
    for (const std::uint32_t gpu : {0U, 1U})
      for (int i = 0; copies && i < 3; ++i)
        hand.issue(gpu, "copies", program::Copy{hand.whole(from, gpu), hand.whole(to, 1 - gpu)});
    Config config = program_machine(2);
    config.gpu.clock_beside_links = share;
    config.workload.data = data;
    const ProgramResult result = run_program(config, hand.program());
    const auto& times = result.gpus[0].times;
    if (copies) {
      EXPECT_GT(times.back().done, times[gemm].done);
    }
    return us(config, times[gemm].done - times[gemm].begun);
  };
  constexpr OperandData kRandom = OperandData::random, kZeros = OperandData::zeros;
  EXPECT_DOUBLE_EQ(gemm_us(false, 0.5, kRandom), gemm_us(false, std::nullopt, kRandom));
  EXPECT_DOUBLE_EQ(gemm_us(true, 0.5, kZeros), gemm_us(true, std::nullopt, kZeros));
  const double ratio = gemm_us(true, 0.5, kRandom) / gemm_us(true, std::nullopt, kRandom);
  EXPECT_GT(ratio, 1.5);
  EXPECT_LT(ratio, 2.01);
}

TEST(TwoStreams, OverlapACopyWithAKernel) {
  const Config config = program_machine(2);
  const auto time = [&](bool kernel, bool copy) {
    SmallGemm s(2);
    if (kernel) s.hand.issue(0, "main", s.gemm(0));
    if (copy) s.hand.issue(0, "copies", s.push(0, 1));
    return run_program(config, s.hand.program()).time_us;
  };
  const double both = time(true, true), longer = std::max(time(true, false), time(false, true));
  EXPECT_GE(both, longer * 0.99);  // the copy finds some of it in the L2
  EXPECT_LT(both, longer * 1.1);
}

TEST(AnEvent, OrdersTwoStreams) {
  SmallGemm s(2);
  const std::uint32_t gemm = s.hand.issue(0, "main", s.gemm(0));
  const std::uint32_t event = s.hand.event(0, "ready");
  s.hand.issue(0, "main", program::Record{event});
  s.hand.issue(0, "copies", program::WaitEvent{event});
  const std::uint32_t copy = s.hand.issue(0, "copies", s.push(0, 1));
  const ProgramResult result = run_program(program_machine(2), s.hand.program());
  EXPECT_GE(result.gpus[0].times[copy].begun, result.gpus[0].times[gemm].done);
}

TEST(AnEventThatIsRecordedLater, HoldsNobodyUp) {  // cudaStreamWaitEvent looks at what has been issued
  SmallGemm s(2);
  const std::uint32_t event = s.hand.event(0, "ready");
  s.hand.issue(0, "copies", program::WaitEvent{event});
  const std::uint32_t copy = s.hand.issue(0, "copies", s.push(0, 1));
  const std::uint32_t gemm = s.hand.issue(0, "main", s.gemm(0));
  s.hand.issue(0, "main", program::Record{event});
  const ProgramResult result = run_program(program_machine(2), s.hand.program());
  EXPECT_LT(result.gpus[0].times[copy].begun, result.gpus[0].times[gemm].done);
}

TEST(AHost, TakesItsTimeForEveryCommand) {
  Config config = program_machine(2);
  config.commands.issue_ps = 5'000'000;
  SmallGemm s(2);
  for (int i = 0; i < 3; ++i) s.hand.issue(0, "main", program::Record{s.hand.event(0, "e")});
  const ProgramResult result = run_program(config, s.hand.program());
  EXPECT_NEAR(us(config, result.gpus[0].times[2].issued), 10, 0.01);
}

TEST(AHost, WaitsForAStreamAndForTimeToPass) {
  const Config config = program_machine(2);
  SmallGemm s(2);
  const std::uint32_t gemm = s.hand.issue(0, "main", s.gemm(0));
  s.hand.issue(0, "", program::SyncStream{s.hand.stream(0, "main")});
  s.hand.issue(0, "", program::HostTime{7'000'000});
  const std::uint32_t copy = s.hand.issue(0, "main", s.push(0, 1));
  const ProgramResult result = run_program(config, s.hand.program());
  const auto& times = result.gpus[0].times;
  EXPECT_NEAR(us(config, times[copy].issued - times[gemm].done), 7, 0.01);
}

TEST(AHostThatWaitsForLong, IsNoLivelock) {
  const Config config = program_machine(2);
  SmallGemm s(2);
  s.hand.issue(0, "main", s.push(0, 1));
  s.hand.issue(0, "", program::HostTime{50'000'000'000});
  const std::uint32_t copy = s.hand.issue(0, "main", s.push(0, 1));
  const ProgramResult result = run_program(config, s.hand.program());
  EXPECT_NEAR(us(config, result.gpus[0].times[copy].issued), 50'000, 0.1);
}

TEST(ASignal, ReachesAnotherGpuAfterTheLinksLatencyAndTheData) {
  const Config config = program_machine(2);
  SmallGemm s(2);
  const std::uint32_t here = s.hand.signals("here", 1);
  const std::uint32_t copy = s.hand.issue(0, "main", s.push(0, 1));
  const std::uint32_t set = s.hand.issue(0, "main", program::SetSignal{{{here, 0, 1}, 1, false}});
  const std::uint32_t wait = s.hand.issue(1, "main", program::WaitSignal{{{here, 0, 1}, 1}, false});
  const ProgramResult result = run_program(config, s.hand.program());
  const CommandTimes waited = result.gpus[1].times[wait];
  EXPECT_GE(result.gpus[0].times[set].begun, result.gpus[0].times[copy].done);
  const double latency_us = us(config, waited.done - result.gpus[0].times[set].begun);
  EXPECT_GT(latency_us, 0.5);
  EXPECT_LT(latency_us, 0.7);
}

TEST(SignalsThatAdd, CountTheirSenders) {
  SmallGemm s(4);
  const std::uint32_t here = s.hand.signals("here", 1);
  for (std::uint32_t gpu = 1; gpu < 4; ++gpu) {
    s.hand.issue(gpu, "", program::HostTime{gpu * 10'000'000ULL});
    s.hand.issue(gpu, "main", program::SetSignal{{{here, 0, 0}, 1, true}});
  }
  const std::uint32_t wait = s.hand.issue(0, "main", program::WaitSignal{{{here, 0, 0}, 3}, false});
  const Config config = program_machine(4);
  EXPECT_NEAR(us(config, run_program(config, s.hand.program()).gpus[0].times[wait].done), 30.6, 0.2);
}

TEST(ABarrier, EndsWhenTheLastGpuHasCome) {
  const Config config = program_machine(2);
  for (const bool host : {false, true}) {
    SmallGemm s(2);
    s.hand.issue(1, "", program::HostTime{20'000'000});
    s.hand.issue(1, "main", program::Barrier{0, host});
    const std::uint32_t barrier = s.hand.issue(0, "main", program::Barrier{0, host});
    EXPECT_NEAR(us(config, run_program(config, s.hand.program()).gpus[0].times[barrier].done), 20.5, 0.05);
  }
}

TEST(ASignalThatNobodySets, EndsTheRunWithItsName) {
  SmallGemm s(2);
  const std::uint32_t here = s.hand.signals("here", 2);
  s.hand.issue(0, "main", program::WaitSignal{{{here, 1, 0}, 3}, false});
  try {
    run_program(program_machine(2), s.hand.program());
    FAIL() << "nothing sets the signal";
  } catch (const NoProgressError& e) {
    EXPECT_NE(std::string(e.what()).find(
                  "GPU 0, stream main: command 0 (by-hand.yaml:1) waits for here[1] to be 3"),
              std::string::npos)
        << e.what();
  }
}

// Each sets the other's word only after its own has come.
TEST(HostsThatWaitForEachOther, EndTheRunWithTheirRing) {
  SmallGemm s(2);
  const std::uint32_t here = s.hand.signals("here", 1);
  for (std::uint32_t gpu = 0; gpu < 2; ++gpu) {
    s.hand.issue(gpu, "", program::SyncSignal{{{here, 0, gpu}, 1}});
    s.hand.issue(gpu, "main", program::SetSignal{{{here, 0, 1 - gpu}, 1, false}});
  }
  try {
    run_program(program_machine(2), s.hand.program());
    FAIL() << "both hosts wait";
  } catch (const NoProgressError& e) {
    EXPECT_NE(std::string(e.what()).find(
                  "these wait for each other, each for the next: GPU 0: command 0 (line 1); GPU 1: "
                  "command 1 (line 2); GPU 1: command 0 (line 1); GPU 0: command 1"),
              std::string::npos)
        << e.what();
  }
}

TEST(AFlush, WritesBackWhatIsDirtyAndLeavesTheNextKernelAColdL2) {
  const Config config = program_machine(2);
  const auto run = [&](bool flush) {
    HandProgram hand(2);
    const std::uint32_t a = hand.array("a", 64, 1024), b = hand.array("b", 64, 1024);
    program::Launch copy;
    copy.body = program::SumBody{{hand.whole(a, 0)}, hand.whole(b, 0)};
    hand.issue(0, "main", copy);
    if (flush) hand.issue(0, "main", program::Flush{});
    hand.issue(0, "main", copy);
    return run_program(config, hand.program()).gpus[0].dram;
  };
  EXPECT_EQ(run(false).read(Traffic::gemm), 128 << 10);
  EXPECT_EQ(run(false).written(Traffic::gemm), 0);
  EXPECT_EQ(run(true).read(Traffic::gemm), 2 * 128 << 10);
  EXPECT_EQ(run(true).written(Traffic::gemm), 128 << 10);
}

TEST(TheSameProgram, GivesTheSameTimesOnAnyNumberOfThreads) {
  SmallGemm s(4);
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    s.hand.issue(gpu, "main", s.gemm(gpu));
    s.hand.issue(gpu, "copies", s.push(gpu, (gpu + 1) % 4));
  }
  const Config config = program_machine(4);
  const ProgramResult one = run_program(config, s.hand.program()),
                      three = run_program(config, s.hand.program(), {}, 3);
  EXPECT_EQ(one.ticks, three.ticks);
  EXPECT_EQ(one.events, three.events);
}

// A flush asks what is on its way over links: programs run in step (sim/pacer.h).
TEST(AFlushBesideCopies, TakesAsLongOnAnyNumberOfThreads) {
  Config config = program_machine(4);
  config.topology.kind = TopologyKind::fully_connected;
  SmallGemm s(4);
  for (std::uint32_t gpu = 1; gpu < 4; ++gpu)
    for (int i = 0; i < 8; ++i) {
      s.hand.issue(gpu, "main", s.push(gpu, (gpu + 1) % 4));
      s.hand.issue(gpu, "main", program::HostTime{1'700'000 * gpu});
    }
  for (int i = 0; i < 20; ++i) {
    s.hand.issue(0, "main", program::Flush{});
    s.hand.issue(0, "main", program::HostTime{900'000});
    s.hand.issue(0, "main", s.gemm(0));
  }
  const auto times = [&](unsigned threads) {
    std::vector<Tick> done;
    for (const ProgramResult::OneGpu& gpu : run_program(config, s.hand.program(), {}, threads).gpus)
      for (const CommandTimes& command : gpu.times) done.push_back(command.done);
    return done;
  };
  for (const unsigned threads : {2U, 3U, 8U}) EXPECT_EQ(times(threads), times(1)) << threads << " threads";
}

// Longer than the watchdog waits for something to move.
TEST(AHost, MayRestForLongBetweenCopies) {
  SmallGemm s(2);
  for (int i = 0; i < 4; ++i) {
    s.hand.issue(0, "main", s.push(0, 1));
    s.hand.issue(0, "main", program::SyncStream{s.hand.stream(0, "main")});
    s.hand.issue(0, "main", program::HostTime{200'000'000});
  }
  EXPECT_GT(run_program(program_machine(2), s.hand.program()).time_us, 600);
}

}  // namespace
}  // namespace t3sim
